import Debounce

/// When counts are stored, lines that a key has caused are logged, and others than root see what is done with a device: at whole
/// minutes, and at no other time.
///
/// The times of files and of lines in the log are a key logger where they follow from keys: whoever looks often enough learns when
/// a key was pressed, and from that how long a password is, and much of it. So all of this happens at moments that no key
/// decides: multiples of a minute of the kernel's clock, whenever the first key of that minute came. As long as nothing
/// happens, nothing is written, and nobody wakes up for it.
struct PublicationTimer {
  static let interval: Microseconds = 60_000_000

  /// When ``isDue(at:)`` must be asked at the latest.
  private(set) var deadline = Instant.never

  /// Receives that something has happened that is to be published. Called for every event of a
  /// key, and for motion now and then.
  ///
  /// - Returns: Whether ``deadline`` is another since.
  @inline(__always)
  mutating func somethingHappened(at now: Instant) -> Bool {
    guard deadline == .never else { return false }
    setDeadline(at: now)
    return true
  }

  @inline(never)
  private mutating func setDeadline(at now: Instant) {
    deadline = Instant(now.microseconds - now.microseconds % Self.interval) + Self.interval
  }

  /// Whether it is time to publish: once for each moment.
  mutating func isDue(at now: Instant) -> Bool {
    guard deadline <= now else { return false }
    deadline = .never
    return true
  }
}

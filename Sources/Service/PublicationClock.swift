import Debounce

/// When others than root get to see what has been counted: at whole minutes, and at no other time.
///
/// Counts that may be read at any time are a key logger: whoever reads them often enough learns which key was pressed
/// when, and from the pauses in between how long a password is, and much of which. So what is published is renewed at moments
/// that no key decides: multiples of a minute of the kernel's clock, whenever the first key of that minute came. As
/// long as nothing happens, nothing is renewed, and nobody wakes up for it.
struct PublicationClock {
  static let interval: Microseconds = 60_000_000

  /// When ``isDue(at:)`` must be asked at the latest.
  private(set) var deadline = Instant.never

  /// Receives that something has happened that the next publication is to show. Called for every event of a
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
    deadline = Self.lastMoment(at: now) + Self.interval
  }

  /// Whether it is time to publish. That is then taken to be done.
  mutating func isDue(at now: Instant) -> Bool {
    guard deadline <= now else { return false }
    deadline = .never
    return true
  }

  /// The last moment at which something may have been published.
  static func lastMoment(at now: Instant) -> Instant {
    Instant(now.microseconds - now.microseconds % interval)
  }
}

import Debounce
import Logging

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

/// Lines of the log whose moment a key decides: who reads the log would learn from it when the key moved. Lines that members of
/// the group can cause without end are here, too. They are written at the next whole minute, when counts are published.
final class DelayedLines {
  /// How many different lines wait, so that no device chooses how much memory they take, and how long writing them takes.
  static let most = 100

  private var lines: [(log: Logger, level: Logger.Level, text: String, count: Int)] = []
  /// How many lines there was no room for.
  private var dropped = 0

  /// Writes a line at the next whole minute, equal ones as one; at once where the log is for looking into a fault.
  func add(_ text: String, at level: Logger.Level, to log: Logger) {
    guard log.logLevel > .debug else { return log.log(level: level, "\(text)") }
    if let place = lines.firstIndex(where: { $0.text == text }) {
      // The last line says how things are now.
      let line = lines.remove(at: place)
      lines.append((log, level, text, line.count + 1))
    } else if lines.count < Self.most {
      lines.append((log, level, text, 1))
    } else {
      dropped += 1
    }
  }

  func write() {
    for line in lines {
      line.log.log(
        level: line.level, "\(line.text)\(line.count == 1 ? "" : "; \(line.count) times")")
    }
    if dropped > 0 {
      lines.last?.log.notice("\(dropped) more line(s) about devices are left out: too many at once")
    }
    (lines, dropped) = ([], 0)
  }
}

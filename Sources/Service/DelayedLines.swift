import Logging

/// Lines of the log whose moment a key decides: who reads the log would learn from it when the key moved. They are written
/// at the next whole minute, when counts are published, too.
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
      lines[place].count += 1
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

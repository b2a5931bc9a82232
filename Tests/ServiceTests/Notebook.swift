import Logging
import Synchronization

@testable import Service

/// A log whose lines a test reads.
struct Notebook: LogHandler {
  private let noted = Noted()
  var metadata = Logger.Metadata()
  var logLevel = Logger.Level.trace

  private final class Noted: Sendable {
    let lines = Mutex<[(text: String, subject: String?)]>([])
  }

  var logger: Logger { Logger(label: "test") { _ in self } }
  var lines: [String] { noted.lines.withLock { $0.map(\.text) } }
  var subjects: [String?] { noted.lines.withLock { $0.map(\.subject) } }

  subscript(metadataKey key: String) -> Logger.MetadataValue? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let subject = metadata[LogSubject.field].map { "\($0)" }
    noted.lines.withLock { $0.append(("\(event.message)", subject)) }
  }
}

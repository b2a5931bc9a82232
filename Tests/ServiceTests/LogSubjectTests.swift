import Foundation
import Logging
import Synchronization
import Testing

@testable import Service

/// What the journal's catalog says of lines of the log.
@Suite struct LogSubjectTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..")

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
  }

  @Test("has an entry for each subject, and for what the unit writes")
  func catalog() throws {
    let unit = try text("systemd/keydebounce.service").matches(of: #/MESSAGE_ID=(\w+)/#)
    let known = LogSubject.allCases.map(\.rawValue) + unit.map { String($0.1) }
    let entries = try text("systemd/keydebounce.catalog").matches(of: #/(?m)^-- (.*)$/#)
    #expect(unit.count == 1)
    #expect(Set(known).count == known.count)
    #expect(Set(entries.map { String($0.1) }) == Set(known))
  }

  @Test("stays with a line that waits for the next minute")
  func delayed() {
    let notebook = Notebook()
    let log = Logger(label: "test") { _ in NotebookHandler(notebook: notebook) }
    let lines = DelayedLines()
    lines.add("a", at: .error, to: log.about(.failedDevice))
    lines.add("b", at: .notice, to: log)
    #expect(notebook.subjects.isEmpty)
    lines.write()
    #expect(notebook.subjects == [LogSubject.failedDevice.rawValue, nil])
  }

  private final class Notebook: Sendable {
    private let noted = Mutex<[String?]>([])
    var subjects: [String?] { noted.withLock { $0 } }
    func add(_ subject: String?) { noted.withLock { $0.append(subject) } }
  }

  private struct NotebookHandler: LogHandler {
    let notebook: Notebook
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { notebook.add(metadata[LogSubject.field].map { "\($0)" }) }
  }
}

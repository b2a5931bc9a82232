import Foundation
import Logging
import Samples
import Testing

@testable import Service

@Suite("What the journal's catalog says of lines of the log")
struct LogSubjectTests {
  @Test("has an entry for each subject")
  func catalog() throws {
    let catalog = try String(
      contentsOf: project.appending(path: "systemd/keydebounce.catalog"), encoding: .utf8)
    let entries = catalog.matches(of: #/(?m)^-- (.*)$/#).map { String($0.1) }
    #expect(Set(entries) == Set(LogSubject.allCases.map(\.rawValue)))
    #expect(entries.count == LogSubject.allCases.count)
  }

  @Test(
    "stays with a line that waits; equal ones are one that says how many, and ever new ones fill nothing"
  )
  func flood() {
    var notebook = Notebook()
    notebook.logLevel = .info
    let log = notebook.logger
    let lines = DelayedLines()
    for _ in 0..<1000 {
      lines.add("a", at: .error, to: log)
      lines.add("b", at: .notice, to: log)
    }
    lines.add("c", at: .notice, to: log)
    lines.add("a", at: .notice, to: log.about(.failedDevice))
    #expect(notebook.lines.isEmpty)
    lines.write()
    // The last line says what holds in the end.
    #expect(notebook.lines == ["b; 1000 times", "c", "a; 1001 times"])
    #expect(notebook.subjects == [nil, nil, LogSubject.failedDevice.rawValue])
    lines.write()
    #expect(notebook.lines.count == 3)
    for number in 0..<1000 { lines.add("\(number)", at: .notice, to: log) }
    lines.write()
    let written = notebook.lines.dropFirst(3)
    #expect(written.dropLast() == (0..<DelayedLines.most).map { "\($0)" }[...])
    #expect(written.last?.contains("\(1000 - DelayedLines.most) more") == true)
  }
}

import Foundation
import Service
import Testing

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
}

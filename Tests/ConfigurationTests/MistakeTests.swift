import Configuration
import Foundation
import Samples
import Testing

@Suite("A mistake in the configuration")
struct MistakeTests {
  @Test("is shown where it is, with what was expected", arguments: try MistakeCase.topics)
  func mistakes(topic: String) throws {
    let (head, written) = try MistakeCase.read(topic)
    var cases = written
    for index in cases.indices {
      let found = try Folder(cases[index].folder).findings().joined(separator: "\n")
      cases[index].expected = found.replacing("\t", with: "‹tab›")
    }
    let text = ([head] + cases.map(\.text)).joined(separator: "\n== ")
    _ = try fixture("mistakes/\(topic)", rewrittenAs: text)
    for (found, mistake) in zip(cases, try MistakeCase.read(topic).cases) {
      #expect(found.expected == mistake.expected, "\(topic): \(mistake.title)")
      #expect(!mistake.expected.isEmpty, "\(topic): \(mistake.title)")
    }
  }

  @Test("leaves no name of a key in a log", arguments: try MistakeCase.topics)
  func log(topic: String) throws {
    for mistake in try MistakeCase.read(topic).cases {
      let folder = try Folder(mistake.folder)
      for problem in folder.problems() {
        #expect(problem.forLog.hasPrefix(problem.location + ": "))
        let said = problem.forLog.dropFirst(problem.location.count)
        #expect(!said.contains("KEY_") && !said.contains("BTN_"), "\(topic): \(mistake.title)")
        #expect(!said.contains("\n"))
      }
    }
  }

  @Test("is one of many that are tested")
  func number() throws {
    let cases = try MistakeCase.topics.flatMap { try MistakeCase.read($0).cases }
    #expect(cases.count >= 60)
    #expect(Set(cases.map(\.title)).count == cases.count)
  }
}

import Debounce
import Terminal
import Testing

@testable import Configuration

@Suite("Whatever a configuration file holds")
struct AnyConfigurationTests {
  /// What is wrong with it; nothing if nothing is.
  private func read(_ bytes: [UInt8]) -> [Problem] {
    do {
      var reader = try TableReader(file: "test", bytes: bytes)
      if reader.tables["defaults"] == nil {
        _ = reader.device(refining: Defaults())
      } else {
        _ = reader.defaults()
      }
      return reader.findings
    } catch {
      return error.findings
    }
  }

  /// A place lies within its line, and what a terminal shows of it can be shown.
  private func expect(_ problem: Problem, in bytes: [UInt8]) {
    #expect(!problem.message.isEmpty)
    guard let place = problem.place else { return }
    let lines = String(decoding: bytes, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" })
    guard lines.indices.contains(place.line - 1) else {
      Issue.record("line \(place.line) of \(lines.count)")
      return
    }
    let mark: Character = "\u{feff}"
    let characters = lines[place.line - 1].filter { $0 != mark }.count
    // What is missing at the end of a line stands behind it.
    #expect(place.column >= 1 && place.column <= characters + 1)
    let excerpt = place.lines(in: .unicode)
    let marker = excerpt[1].drop { $0 == " " || $0 == "\t" }
    #expect(marker.first == "^" && marker.dropFirst().allSatisfy { $0 == "~" || $0 == "\t" })
    for text in [problem.message, excerpt[0]] {
      #expect(
        text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control || $0 == "\t" })
    }
    #expect(excerpt[0].columns <= 110)
  }

  @Test("may give every name a value of every kind, and dates to none")
  func kinds() {
    let strategies = ["strategy", "threshold", "flush"] + StrategyKind.parameterNames
    let meanings = TableReader.meaningEntries.map(\.name)
    let tables: [(header: String, names: [String])] = [
      ("", ["device", "debounce", "keys", "groups", "wheel", "defaults"]),
      ("[device]\n", TableReader.deviceEntries.map(\.name)), ("[debounce]\n", strategies),
      ("[keys]\n", ["KEY_A", "\"é\""]), ("[keys.KEY_A]\n", strategies + meanings),
      ("[[groups]]\n", ["keys", "lockout"]), ("[wheel]\n", TableReader.wheelEntries.map(\.name)),
      ("[device.property]\n", ["ID_BUS"]), ("[defaults]\n", ["strategy", "flush", "panic"]),
    ]
    let values = [
      "true", "0", "-9223372036854775808", "9223372036854775807", "1e308", "5e-324", "-inf", "nan",
      "\"\"", "\"25 ms\"", "\"e\u{301}\"", "\"KEY_A\"", "[]", "[[]]", "[\"KEY_A\", 1, [], {}]",
      "{}",
      "{ \"é\" = 1, \"e\u{301}\" = { within = [] } }",
    ]
    for (header, names) in tables {
      for name in names {
        for value in values {
          let bytes = Array("\(header)\(name) = \(value)".utf8)
          for problem in read(bytes) { expect(problem, in: bytes) }
        }
        let problems = read(Array("\(header)\(name) = 1979-05-27".utf8))
        #expect(problems.contains { $0.severity == .error }, "\(header)\(name)")
      }
    }
  }

  /// As many names as a line may have.
  private static let dotted = "a" + String(repeating: ".a", count: 256)

  @Test(
    "may be nested as deep as it likes",
    arguments: [
      "a = " + String(repeating: "[", count: 100_000),
      "a = " + String(repeating: "{a = ", count: 100_000),
      "a" + String(repeating: ".a", count: 500_000) + " = 1",
      "[a" + String(repeating: ".a", count: 500_000) + "]",
      "a = { a" + String(repeating: ".a", count: 500_000) + " = 1 }",
      // What the parser does not refuse by itself, below what is looked at.
      "a.a.a.a.a.a.a.a.a = { a = 1979-05-27T:07:32:00 }",
      "a = { a.a.a.a.a.a.a.a.a = 1979-05-27T:07:32:00 }",
      "a = [[[[[[[[[[1979-05-27T:07:32:00]]]]]]]]]]",
      // As deep as the limits allow: dots in a header, in a key, and in lists that continue on the next line.
      "[\(dotted)]\n\(dotted) = [\n" + String(repeating: "{ \(dotted) = [\n", count: 15) + "0\n"
        + String(repeating: "] }\n", count: 15) + "]",
    ].map(LongText.init))
  func depth(of text: LongText) {
    #expect(!read(Array(text.text.utf8)).isEmpty)
  }

  /// A text of which a test names the beginning only.
  struct LongText: CustomTestStringConvertible {
    let text: String

    var testDescription: String { "\(text.prefix(40))…" }
  }

  @Test("may be wrong in more places than anybody wants to read of")
  func many() {
    let lines = (0..<5000).map { "x\($0) = 1" }.joined(separator: "\n")
    let problems = read(Array(lines.utf8))
    #expect(problems.count == 201)
    #expect(problems.last?.description == "test: and 4800 more")
  }

  @Test("may be unwise in more places than that, and is still no error")
  func manyWarnings() {
    let names = KeyNames.all.reduce(into: [KeyCode: String]()) { names, name in
      if let code = KeyNames.code(named: name) { names[code] = name }
    }
    let lines = names.values.map { "\($0) = 60" }.joined(separator: "\n")
    let problems = read(Array("[keys]\n\(lines)".utf8))
    #expect(problems.count == 201)
    #expect(problems.allSatisfy { $0.severity == .warning })
    #expect(read(Array("[keys]\n\(lines)\nKEY_EE = 3".utf8)).last?.severity == .error)
  }

  @Test("may be long lines, up to 4 KiB")
  func longLine() {
    let entries = (0..<320).map { "\"é\($0)\" = 1" }.joined(separator: ", ")
    let line = "keys = { \(entries) }"
    #expect((4000...4096).contains(line.utf8.count))
    #expect(read(Array(line.utf8)).count == 201)
    let lines = [line, "#" + String(repeating: "#", count: 4096), line]
    let problems = read(Array(lines.joined(separator: "\n").utf8))
    #expect(
      problems.map(\.description) == [
        "test:2:1: not TOML: found a line of 4097 bytes; expected at most 4096"
      ])
  }

  @Test("may have as many dots as it likes in comments, and no more than names need elsewhere")
  func dots() {
    let dots = String(repeating: ".", count: 1000)
    #expect(read(Array("  # \(dots)\n[device]\nname = \"\(dots.prefix(256))\"".utf8)).isEmpty)
    let problems = read(Array("[device]\nname = \"\(dots)\"".utf8))
    #expect(
      problems.map(\.description) == [
        "test:2:265: not TOML: found 1000 dots in a line; expected names of one or two parts, such "
          + "as device.name"
      ])
  }

  /// Each fails an assertion of the parser's, which must not end the program.
  @Test(
    "may be what the parser did not expect, and is told of in which line it stands",
    arguments: [
      ("[&", 1), ("[[[a]]]", 1), ("a=[}", 1), ("a = 1979-05-27 7\n", 1),
      ("b = 1\na = [1979-05-27T:07:32:00]", 2), ("a = {b = 1979-05-27 7}", 1),
      ("[.a]", 1), ("# é\n[[é]]", 2),
      // Further back than the parser remembers, and where it may not throw.
      ("a = 1" + String(repeating: "_", count: 117) + "979-05-27 7:", 1),
    ])
  func assertion(text: String, line: Int) {
    let problems = read(Array(text.utf8))
    #expect(problems.map(\.place?.line) == [line])
  }

  @Test(
    "may hold characters that TOML knows nothing of outside of quotation marks",
    arguments: ["\u{a0}", "\u{1680}", "\u{2003}", "\u{200b}", "\u{3000}", "\u{feff}"])
  func blank(character: String) throws {
    let problems = read(Array("a =\(character)1".utf8))
    let problem = try #require(problems.first)
    #expect(problem.place?.column == 4)
    #expect(problem.message.contains("; write a space or a tab for the character U+"))
  }

  @Test(
    "is read or refused where a generated table of characters has no answer",
    arguments: ["\u{1681}", "\u{2030}", "\u{fffd}", "א", "é"])
  func unreachable(character: String) {
    #expect(read(Array("\(character) = 1".utf8)).map(\.place?.column) == [1])
    #expect(read(Array("a = \(character)".utf8)).map(\.place?.column) == [5])
    #expect(read(Array("[device]\nname = \"\(character)\"".utf8)).isEmpty)
  }
}

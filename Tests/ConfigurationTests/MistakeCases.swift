import Foundation
import Samples

/// A wrong configuration, and what is said of it: a case of the files in `Fixtures/mistakes`.
///
/// ```
/// == what is wrong
/// [keys]
/// KEY_EE = 40
/// --
/// 10.toml:2:1: unknown key “KEY_EE”; …
///     KEY_EE = 40
///     ^~~~~~
/// ```
///
/// What stands above `--` is the device file `10.toml`. If there are other files, a line `@ NAME` is above each:
/// `@ keydebounce.toml`, `@ 20.toml`. For what would not be seen there are names: `‹tab›`, `‹cr›`, `‹bom›`, `‹esc›`,
/// `‹end›` (before it no line ends), and `‹400 x›` for 400 times x.
///
/// With `KEYDEBOUNCE_WRITE_FIXTURES` in the environment, what is said is written below each `--`: for new cases, and to see
/// in git what a change of words does.
struct MistakeCase: Sendable {
  var title: String
  /// The files as they are written in the case, by their names.
  var files: [(name: String, text: String)]
  /// What is said, as it is written in the case.
  var expected: String

  /// The files by their paths in the configuration folder.
  var folder: [String: String] {
    Dictionary(
      uniqueKeysWithValues: files.map { name, text in
        (name == "keydebounce.toml" ? name : "devices.d/\(name)", Self.decoded(text))
      })
  }

  private static let signs = ["tab": "\t", "cr": "\r", "bom": "\u{feff}", "esc": "\u{1b}"]

  private static func decoded(_ text: String) -> String {
    var text = text.replacingOccurrences(of: "‹end›\n", with: "")
    for (name, sign) in signs { text = text.replacingOccurrences(of: "‹\(name)›", with: sign) }
    return text.replacing(/‹(\d+) ([^›]*)›/) { match in
      String(repeating: String(match.2), count: Int(match.1) ?? 0)
    }
  }
}

extension MistakeCase {
  /// The names of the files with cases.
  static var topics: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: fixture("mistakes")).sorted()
    }
  }

  /// The cases of a file, and what stands above them.
  static func read(_ topic: String) throws -> (head: String, cases: [MistakeCase]) {
    let text = try String(contentsOfFile: fixture("mistakes/\(topic)"), encoding: .utf8)
    let parts = ("\n" + text).components(separatedBy: "\n== ")
    return (String(parts[0].dropFirst()), parts.dropFirst().map(MistakeCase.init))
  }

  private init(_ text: String) {
    var files: [(name: String, text: String)] = []
    var expected: String?
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for line in lines.dropFirst() {
      if expected != nil {
        expected?.append(line + "\n")
      } else if line == "--" {
        expected = ""
      } else if line.hasPrefix("@ ") {
        files.append((String(line.dropFirst(2)), ""))
      } else {
        if files.isEmpty { files.append(("10.toml", "")) }
        files[files.count - 1].text += line + "\n"
      }
    }
    title = String(lines[0])
    self.files = files
    self.expected = (expected ?? "").trimmingCharacters(in: .newlines)
  }

  /// The case as it is written.
  var text: String {
    let isPlain = files.count == 1 && files[0].name == "10.toml"
    let files = files.map { (isPlain ? "" : "@ \($0.name)\n") + $0.text }.joined()
    return "\(title)\n\(files)--\n\(expected)\n"
  }
}

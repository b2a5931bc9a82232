import Debounce
import Foundation
import Samples

@testable import Configuration

/// The strategies as the manual page describes them, made from the program's own table.
///
/// With `KEYDEBOUNCE_WRITE_FIXTURES` in the environment, the test that compares the two writes the page's section anew.
enum ManualStrategies {
  /// What the page says of a strategy, in mdoc.
  static func entry(of kind: StrategyKind) -> String {
    var lines = [".It Cm \(kind.name)"] + paragraph(kind.facts.summary)
    guard !kind.parameters.isEmpty else { return (lines + ["It has no parameters."]).text }
    lines.append(".Bl -tag -width \"spurious\"")
    for parameter in kind.parameters {
      lines.append(".It Cm \(parameter.name)")
      lines += paragraph(description(of: parameter, in: kind))
    }
    return (lines + [".El"]).text
  }

  private static func description(of parameter: StrategyParameter, in kind: StrategyKind) -> String
  {
    var text = String(parameter.summary.dropLast())
    if case .counts(let range, _, _) = parameter.values {
      text += ", \(range.lowerBound) to \(range.upperBound)"
    } else if parameter.values.limits.upperBound > 1_000_000 {
      text += ", at most \(parameter.text(of: parameter.values.limits.upperBound))"
    }
    let value = parameter.value(in: kind.packaged).map(parameter.text) ?? ""
    if case .flag = parameter.values {
      text += "; default `\(value)`"
    } else {
      text += "; default \(value)"
    }
    if let formula = parameter.formula { text += " (\(formula))" }
    return text + "."
  }

  /// A paragraph in mdoc: each sentence begins a line, and each name between backticks has one of its own.
  private static func paragraph(_ text: String) -> [String] {
    var lines: [String] = []
    for (index, part) in text.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
      guard index.isMultiple(of: 2) else {
        lines.append(".\(part == "true" || part == "false" ? "Li" : "Cm") \(part)")
        continue
      }
      var words = part.split(separator: " ").map(String.init)
      if let first = words.first, first.allSatisfy(\.isPunctuation), !lines.isEmpty {
        // What belongs to the name stands behind it.
        lines[lines.count - 1] += " \(first)"
        words.removeFirst()
      }
      lines += wrapped(words)
    }
    return lines
  }

  private static func wrapped(_ words: [String]) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in words {
      if !line.isEmpty, line.hasSuffix(".") || line.count + word.count > 79 {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return line.isEmpty ? lines : lines + [line]
  }
}

extension ManualStrategies {
  /// The manual page, in three parts: what stands before its list of strategies, the list's entries, and the rest.
  struct Page {
    var head: String
    var entries: [String]
    var rest: String

    private static let file = project.appending(path: "docs/keydebounce.toml.5")

    /// Reads the page; `nil` if it has no such list.
    init?() throws {
      let text = try String(contentsOf: Self.file, encoding: .utf8)
      guard let section = text.range(of: ".Sh STRATEGIES\n"),
        let start = text.range(
          of: ".Bl -tag -width Ds\n", range: section.upperBound..<text.endIndex),
        let end = text.range(of: "\n.El\n.S", range: start.upperBound..<text.endIndex)
      else { return nil }
      head = String(text[..<start.upperBound])
      rest = String(text[end.lowerBound...])
      entries = []
      var isNested = false
      for line in text[start.upperBound..<end.lowerBound].split(separator: "\n") {
        if line.hasPrefix(".Bl") { isNested = true }
        if line.hasPrefix(".It"), !isNested { entries.append("") }
        if line == ".El" { isNested = false }
        if !entries.isEmpty { entries[entries.count - 1] += "\(line)\n" }
      }
    }

    /// Writes the page with these entries, in the order in which its entries are now; new ones come last.
    func write(_ entries: [String]) throws {
      func name(_ entry: String) -> Substring { entry.prefix { $0 != "\n" } }
      func place(_ entry: String) -> Int {
        self.entries.firstIndex { name($0) == name(entry) } ?? self.entries.count
      }
      let list = entries.sorted { place($0) < place($1) }.joined()
      // In one string, which every compiler checks.
      try "\(head)\(list.dropLast())\(rest)".write(
        to: Self.file, atomically: true, encoding: .utf8)
    }
  }
}

extension [String] {
  fileprivate var text: String { map { "\($0)\n" }.joined() }
}

import Debounce
import Foundation
import Samples

@testable import Configuration

extension StrategyParameter.Values {
  /// The values that the configuration accepts.
  var limits: ClosedRange<Int64> {
    switch self {
    case .times(let range, _): range
    case .counts(let range, _, _): range
    case .flag: 0...1
    }
  }
}

extension StrategyParameter {
  /// The value as the configuration has it: milliseconds, a count, `true` or `false`.
  func text(of value: Int64) -> String {
    switch values {
    case .times: value.textInMilliseconds
    case .counts: "\(value)"
    case .flag: value == 0 ? "false" : "true"
    }
  }
}

/// The strategies as the manual page describes them.
enum ManualStrategies {
  /// How the page must end what it says of a parameter: with the limits, if they are not the usual ones, the default, and the
  /// formula.
  static func figures(of parameter: StrategyParameter, in kind: StrategyKind) -> String {
    var text = ""
    if case .counts(let range, _, _) = parameter.values {
      text = ", \(range.lowerBound) to \(range.upperBound)"
    } else if parameter.values.limits.upperBound > 1_000_000 {
      text = ", at most \(parameter.text(of: parameter.values.limits.upperBound))"
    }
    text += "; default \(parameter.value(in: kind.packaged).map(parameter.text) ?? "")"
    if let formula = formula(of: parameter, in: kind) { text += " (\(formula))" }
    return text + "."
  }

  /// How the engine takes the parameter from the threshold T, in milliseconds: `T`, or `the larger of 40 and 2.4 T`; `nil` if
  /// it does not.
  static func formula(of parameter: StrategyParameter, in kind: StrategyKind) -> String? {
    // Beyond any least value.
    let second: Microseconds = 1_000_000
    guard let least = parameter.value(in: kind.strategy(threshold: 0)),
      let value = parameter.value(in: kind.strategy(threshold: second)), least != value
    else { return nil }
    let factor = Double(value) / Double(second)
    let text = factor == 1 ? "T" : "\(factor) T"
    return least == 0 ? text : "the larger of \(least.textInMilliseconds) and \(text)"
  }

  /// A strategy, or one of its parameters, and what the page says of it, in one line.
  typealias Item = (name: String, text: String)

  /// What the page says of a strategy.
  struct Entry {
    let name: String
    var text = ""
    var parameters: [Item] = []
  }

  /// The manual page: its list of strategies, and what follows that.
  struct Page {
    var entries: [Entry] = []
    let rest: String

    /// Reads the page; `nil` if it has no such list.
    init?() throws {
      let file = project.appending(path: "docs/keydebounce.toml.5")
      let text = try String(contentsOf: file, encoding: .utf8)
      guard let section = text.range(of: ".Sh STRATEGIES\n"),
        let start = text.range(
          of: ".Bl -tag -width Ds\n", range: section.upperBound..<text.endIndex),
        let end = text.range(of: "\n.El\n.S", range: start.upperBound..<text.endIndex)
      else { return nil }
      rest = String(text[end.lowerBound...])
      var isNested = false
      for line in text[start.upperBound..<end.lowerBound].split(separator: "\n") {
        if line.hasPrefix(".Bl") || line == ".El" {
          isNested = line != ".El"
        } else if line.hasPrefix(".It Cm ") {
          let name = String(line.dropFirst(7))
          if isNested {
            entries[entries.count - 1].parameters.append((name, ""))
          } else {
            entries.append(Entry(name: name))
          }
        } else {
          // A macro, as in “.Cm confirm .”, has three characters and a blank.
          let words = line.hasPrefix(".") ? line.dropFirst(4).replacing(" .", with: ".") : line
          append(String(words), isNested: isNested)
        }
      }
    }

    private mutating func append(_ words: String, isNested: Bool) {
      let entry = entries.count - 1
      if isNested {
        let item = entries[entry].parameters.count - 1
        entries[entry].parameters[item].text += " \(words)"
      } else {
        entries[entry].text += " \(words)"
      }
    }
  }
}

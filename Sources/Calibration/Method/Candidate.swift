import Debounce

/// What a line about a key may say: a setting, as the engine takes it and as a file gives it.
public struct Candidate: Equatable, Sendable {
  public let strategy: Strategy
  /// The right side of the line, as `25` or `{ strategy = "eager-defer", threshold = 25 }`; `nil` if there is to be none.
  public let text: String?

  /// No line: what holds without one.
  init(without strategy: Strategy) {
    self.strategy = strategy
    text = nil
  }

  /// - Parameters:
  ///   - values: “threshold” and parameters by their names, in milliseconds.
  ///   - outer: The strategy of the device's keys without a line.
  init(_ kind: StrategyKind, _ values: [(name: String, milliseconds: Int)], beside outer: Strategy)
  {
    var parameters: [String: Int64] = [:]
    for value in values where value.name != "threshold" {
      parameters[value.name] = Int64(value.milliseconds) * 1000
    }
    let threshold = values.first { $0.name == "threshold" }?.milliseconds
    strategy = kind.strategy(threshold: threshold.map { Int64($0) * 1000 }, parameters).named
    var entries = values.map { "\($0.name) = \($0.milliseconds)" }
    if kind != outer.kind { entries.insert("strategy = \"\(kind.name)\"", at: 0) }
    text =
      if entries.count == 1, let threshold { "\(threshold)" } else {
        "{ \(entries.joined(separator: ", ")) }"
      }
  }

  /// A line of a file, as `BTN_LEFT = { strategy = "eager-defer", threshold = 20 }`; `nil` if it is none that can be tried.
  init?(line: String, beside outer: Strategy) {
    var kind = outer.kind
    var values: [(String, Int)] = []
    let words = line.drop { $0 != "=" }.dropFirst().split { " {},=\"".contains($0) }
    for (name, value) in zip(words, words.dropFirst()) {
      if name == "strategy" {
        guard let named = StrategyKind(rawValue: String(value)) else { return nil }
        kind = named
      } else if let number = Int(value) {
        values.append((String(name), number))
      }
    }
    self.init(kind, values.map { (name: $0.0, milliseconds: $0.1) }, beside: outer)
  }

  /// All that are tried, from those that a person feels least to those that they feel most.
  ///
  /// - Parameter outer: The strategy of the device's keys without a line.
  static func all(beside outer: Strategy) -> [Candidate] {
    func candidate(_ name: String, _ values: [(String, Int)]) -> Candidate? {
      guard let kind = StrategyKind(rawValue: name),
        values.allSatisfy({ $0.0 == "threshold" || kind.parameter(named: $0.0) != nil })
      else { return nil }
      return Candidate(kind, values.map { (name: $0.0, milliseconds: $0.1) }, beside: outer)
    }
    let thresholds = [15, 20, 25, 30, 40, 50, 60, 80, 100]
    return thresholds.compactMap { candidate("adaptive", [("threshold", $0)]) }
      + [(25, 80), (20, 80), (25, 110), (40, 110)].compactMap {
        candidate("adaptive", [("threshold", $0.0), ("suspect", $0.1)])
      }
      + [15, 25, 40, 60].compactMap { candidate("eager-defer", [("threshold", $0)]) }
  }
}

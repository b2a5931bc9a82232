/// A parameter of a strategy: its name, its limits, and what it is for.
public struct StrategyParameter: Sendable {
  /// What values it takes.
  public enum Values: Sendable {
    /// Times in microseconds, given in milliseconds. A configuration with a longer time is refused for the reason given.
    case times(ClosedRange<Microseconds>, tooLong: String)
    /// Whole numbers, and for which reason fewer and more are refused.
    case counts(ClosedRange<Int64>, tooFew: String, tooMany: String)
    /// True or false: 1 or 0.
    case flag
  }

  /// What it is called in the configuration.
  public let name: String
  public let values: Values
  /// How it follows from the threshold; `nil` if it does not.
  public let formula: ThresholdFormula?
  /// From which time on `check` warns; `nil` for never.
  public let longTime: LongTime?
  /// What it is, in a sentence for the manual page. Names of parameters stand between backticks.
  public let summary: String

  private let get: @Sendable (Strategy) -> Int64?
  private let set: @Sendable (inout Strategy, Int64) -> Void

  init<Rule>(_ parameter: RuleParameter<Rule>, of entry: StrategyEntry<Rule>) {
    name = parameter.name
    values = parameter.values
    formula = parameter.formula
    longTime = parameter.longTime
    summary = parameter.summary
    get = { entry.unwrap($0).map(parameter.get) }
    set = { strategy, value in
      guard var rule = entry.unwrap(strategy) else { return }
      parameter.set(&rule, value)
      strategy = entry.wrap(rule)
    }
  }

  /// Its value: microseconds, a count, or 1 or 0 for a flag. `nil` if the strategy does not have it.
  public func value(in strategy: Strategy) -> Int64? { get(strategy) }

  /// Gives it a value, which must be within the engine's limits. Does nothing if the strategy does not have it.
  public func set(_ value: Int64, in strategy: inout Strategy) { set(&strategy, value) }

  /// The value as the configuration has it: milliseconds, a count, `true` or `false`.
  public func text(of value: Int64) -> String {
    switch values {
    case .times: value % 1000 == 0 ? "\(value / 1000)" : "\(Double(value) / 1000)"
    case .counts: "\(value)"
    case .flag: value == 0 ? "false" : "true"
    }
  }

  /// The times that most parameters accept: no switch bounces for longer.
  public static let usualTimes: ClosedRange<Microseconds> = 0...1_000_000
  /// Why no longer ones are accepted.
  public static let usualReason = "no switch bounces that long, and the key would seem dead"
}

extension StrategyParameter.Values {
  /// What the configuration accepts.
  public var limits: ClosedRange<Int64> {
    switch self {
    case .times(let range, _): range
    case .counts(let range, _, _): range
    case .flag: 0...1
    }
  }

  /// What the engine can work with. Times may be far longer: nothing is wrong with a lock-out of a day.
  var engineLimits: ClosedRange<Int64> {
    if case .times = self { Microseconds.limits } else { limits }
  }
}

extension Microseconds {
  /// Lengths of time that the engine can calculate with: none is negative, and none exceeds some decades.
  fileprivate static let limits: ClosedRange<Microseconds> = 0...(1 << 50)

  /// The nearest length of time that the engine can calculate with.
  var limited: Microseconds {
    Swift.min(Swift.max(self, Self.limits.lowerBound), Self.limits.upperBound)
  }
}

/// How a parameter follows from the threshold T: a multiple of it, something added, and no less than a least value.
public struct ThresholdFormula: Sendable, Equatable {
  private let numerator: Int64
  private let denominator: Int64
  private let addend: Microseconds
  private let least: Microseconds

  /// - Parameters:
  ///   - numerator: By what T is multiplied, before it is divided by `denominator`.
  ///   - addend: What is added, in microseconds.
  ///   - least: The least value, in microseconds.
  init(
    times numerator: Int64 = 1, over denominator: Int64 = 1, plus addend: Microseconds = 0,
    atLeast least: Microseconds = 0
  ) {
    self.numerator = numerator
    self.denominator = denominator
    self.addend = addend
    self.least = least
  }

  /// The threshold itself.
  public static let threshold = ThresholdFormula()

  /// The parameter's value in microseconds at a threshold, which the engine must be able to calculate with.
  public func value(at threshold: Microseconds) -> Microseconds {
    max(least, threshold * numerator / denominator + addend)
  }
}

extension ThresholdFormula: CustomStringConvertible {
  /// The formula in milliseconds, as `T`, `1.5 T` or `the larger of 55 and T + 30`.
  public var description: String {
    let factor = Double(numerator) / Double(denominator)
    var text = factor == 1 ? "T" : "\(Self.number(factor)) T"
    if addend != 0 { text += " + \(Self.number(Double(addend) / 1000))" }
    return least == 0 ? text : "the larger of \(Self.number(Double(least) / 1000)) and \(text)"
  }

  private static func number(_ value: Double) -> String {
    value == Double(Int(value)) ? "\(Int(value))" : "\(value)"
  }
}

/// A time from which on `check` warns, and what such a time does to typing.
public struct LongTime: Sendable {
  /// The longest time without a warning, in microseconds.
  public let limit: Microseconds
  /// What a longer one does. Its argument is the number of milliseconds as it was given.
  public let consequence: @Sendable (String) -> String
  /// Whether it does that on bad keys alone.
  public let isOfBadKeys: Bool

  init(
    above limit: Microseconds = 50_000, ofBadKeys isOfBadKeys: Bool = false,
    _ consequence: @escaping @Sendable (String) -> String
  ) {
    self.limit = limit
    self.isOfBadKeys = isOfBadKeys
    self.consequence = consequence
  }
}

/// A parameter that a strategy had in an earlier version.
///
/// Configuration files may still have it: it is checked and has no effect, and `check` says what to write instead.
public struct RetiredParameter: Sendable {
  /// What it was called.
  public let name: String
  public let values: StrategyParameter.Values
  /// What to do about it, as the end of a sentence: `“threshold” says it all`.
  public let advice: String

  init(_ name: String, _ values: StrategyParameter.Values, advice: String) {
    self.name = name
    self.values = values
    self.advice = advice
  }
}

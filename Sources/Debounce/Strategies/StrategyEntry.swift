/// An entry of ``StrategyTable``, in terms of the strategy's own rule.
struct StrategyEntry<Rule: Sendable>: Sendable {
  let name: String
  /// The rule with the packaged parameters.
  let packaged: Rule
  let wrap: @Sendable (Rule) -> Strategy
  /// The rule of a strategy; `nil` if it is another strategy.
  let unwrap: @Sendable (Strategy) -> Rule?
  let summary: String
  let parameters: [RuleParameter<Rule>]
  let retired: [RetiredParameter]
  let longThreshold: LongTime?
  /// Where the rule keeps the threshold itself; `nil` if it has only what follows from it.
  let threshold: (WritableKeyPath<Rule, Microseconds> & Sendable)?
  /// What names a key; see ``StrategyKind/naming``.
  let naming: [String]
  /// The rule for a key that is named.
  let named: @Sendable (Rule) -> Rule
  let properties: @Sendable (Rule) -> StrategyKind.Properties

  init(
    _ name: String, packaged: Rule, _ wrap: @escaping @Sendable (Rule) -> Strategy,
    _ unwrap: @escaping @Sendable (Strategy) -> Rule?, summary: String,
    parameters: [RuleParameter<Rule>], retired: [RetiredParameter] = [],
    longThreshold: LongTime? = nil,
    threshold: (WritableKeyPath<Rule, Microseconds> & Sendable)? = nil, naming: [String] = [],
    properties: @escaping @Sendable (Rule) -> StrategyKind.Properties = { _ in .init() },
    named: @escaping @Sendable (Rule) -> Rule = { $0 }
  ) {
    self.name = name
    self.packaged = packaged
    self.wrap = wrap
    self.unwrap = unwrap
    self.summary = summary
    self.parameters = parameters
    self.retired = retired
    self.longThreshold = longThreshold
    self.threshold = threshold
    self.naming = naming
    self.named = named
    self.properties = properties
  }

  /// The rule with the parameters that follow from a threshold, and the packaged ones besides.
  func rule(threshold: Microseconds) -> Rule {
    var rule = packaged
    if let path = self.threshold { rule[keyPath: path] = threshold.limited }
    for parameter in parameters where !parameter.isOptional {
      if let formula = parameter.formula {
        parameter.set(&rule, formula.value(at: threshold.limited))
      }
    }
    return rule
  }

  /// The rule with every parameter at the nearest value that the engine can calculate with.
  func limited(_ rule: Rule) -> Rule {
    var rule = rule
    if let threshold { rule[keyPath: threshold] = rule[keyPath: threshold].limited }
    for parameter in parameters {
      guard let value = parameter.given.map({ $0(rule) }) ?? parameter.get(rule) else { continue }
      let limits = parameter.values.engineLimits
      parameter.set(&rule, min(max(value, limits.lowerBound), limits.upperBound))
    }
    return rule
  }
}

/// A parameter in terms of its rule: what ``StrategyParameter`` is made of.
struct RuleParameter<Rule>: Sendable {
  let name: String
  let values: StrategyParameter.Values
  let formula: ThresholdFormula?
  let longTime: LongTime?
  let summary: String
  /// Whether the rule has it only where it is given; otherwise it follows from the threshold when it is asked for.
  var isOptional = false
  let get: @Sendable (Rule) -> Int64
  let set: @Sendable (inout Rule, Int64) -> Void
  /// The value as it was given; `nil` if it follows.
  var given: (@Sendable (Rule) -> Int64?)?

  /// A time in microseconds.
  ///
  /// - Parameters:
  ///   - formula: How it follows from the threshold; `nil` if it does not.
  ///   - range: What the configuration accepts.
  ///   - tooLong: Why it accepts no longer time.
  static func time(
    _ name: String, _ path: WritableKeyPath<Rule, Microseconds> & Sendable,
    _ formula: ThresholdFormula?, _ summary: String,
    in range: ClosedRange<Microseconds> = StrategyParameter.usualTimes,
    tooLong: String = StrategyParameter.usualReason, long: LongTime? = nil
  ) -> RuleParameter {
    RuleParameter(
      name: name, values: .times(range, tooLong: tooLong), formula: formula, longTime: long,
      summary: summary, get: { $0[keyPath: path] }, set: { $0[keyPath: path] = $1 })
  }

  /// A time in microseconds that the rule has only where it is given by name.
  ///
  /// - Parameter value: What holds: the time given, or the one that follows.
  static func optionalTime(
    _ name: String, _ path: WritableKeyPath<Rule, Microseconds?> & Sendable,
    _ formula: ThresholdFormula, value: @escaping @Sendable (Rule) -> Microseconds,
    _ summary: String, long: LongTime? = nil
  ) -> RuleParameter {
    RuleParameter(
      name: name,
      values: .times(StrategyParameter.usualTimes, tooLong: StrategyParameter.usualReason),
      formula: formula, longTime: long, summary: summary, isOptional: true, get: value,
      set: { $0[keyPath: path] = $1 }, given: { $0[keyPath: path] })
  }

  /// A whole number.
  static func count(
    _ name: String, _ path: WritableKeyPath<Rule, Int> & Sendable, in range: ClosedRange<Int64>,
    _ summary: String, tooFew: String, tooMany: String
  ) -> RuleParameter {
    RuleParameter(
      name: name, values: .counts(range, tooFew: tooFew, tooMany: tooMany), formula: nil,
      longTime: nil, summary: summary, get: { Int64($0[keyPath: path]) },
      set: { $0[keyPath: path] = Int($1) })
  }

  /// A choice between true and false.
  static func flag(
    _ name: String, _ path: WritableKeyPath<Rule, Bool> & Sendable, _ summary: String
  ) -> RuleParameter {
    RuleParameter(
      name: name, values: .flag, formula: nil, longTime: nil, summary: summary,
      get: { $0[keyPath: path] ? 1 : 0 }, set: { $0[keyPath: path] = $1 != 0 })
  }
}

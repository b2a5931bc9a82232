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
  let properties: @Sendable (Rule) -> StrategyKind.Properties

  init(
    _ name: String, packaged: Rule, _ wrap: @escaping @Sendable (Rule) -> Strategy,
    _ unwrap: @escaping @Sendable (Strategy) -> Rule?, summary: String,
    parameters: [RuleParameter<Rule>], retired: [RetiredParameter] = [],
    longThreshold: LongTime? = nil,
    properties: @escaping @Sendable (Rule) -> StrategyKind.Properties = { _ in .init() }
  ) {
    self.name = name
    self.packaged = packaged
    self.wrap = wrap
    self.unwrap = unwrap
    self.summary = summary
    self.parameters = parameters
    self.retired = retired
    self.longThreshold = longThreshold
    self.properties = properties
  }

  /// The rule with the parameters that follow from a threshold, and the packaged ones besides.
  func rule(threshold: Microseconds) -> Rule {
    var rule = packaged
    for parameter in parameters {
      if let formula = parameter.formula {
        parameter.set(&rule, formula.value(at: threshold.limited))
      }
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
  let get: @Sendable (Rule) -> Int64
  let set: @Sendable (inout Rule, Int64) -> Void

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

  /// The parameter as one of a rule that contains this one.
  func inside<Outer>(_ path: WritableKeyPath<Outer, Rule> & Sendable) -> RuleParameter<Outer> {
    RuleParameter<Outer>(
      name: name, values: values, formula: formula, longTime: longTime, summary: summary,
      get: { get($0[keyPath: path]) }, set: { set(&$0[keyPath: path], $1) })
  }
}

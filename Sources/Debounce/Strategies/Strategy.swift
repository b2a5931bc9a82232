/// The rule by which a key's raw edges become clean edges.
///
/// Each rule is a file of its own in this folder, with its facts: its name, its parameters and what they mean. It answers each
/// raw edge with a decision and does nothing itself, so that all of time, order and output is in one place, the ``Debouncer``.
/// ``Adaptive`` alone looks at keys together, and decides inside the engine.
///
/// To add a strategy, write its file, add a case here that has it decide, and add its facts to ``StrategyKind/allCases``.
/// Nothing else lists strategies or their parameters, except the library `DebounceAsync`, which has times as `Duration`s
/// (`Durations.swift`).
public enum Strategy: Equatable, Sendable {
  /// Everything passes.
  case none
  /// Every edge waits until it has lasted; see ``Defer``.
  case `defer`(Defer)
  /// Every edge passes at once and locks the key for a while; see ``Eager``.
  case eager(Eager)
  /// Presses pass at once, releases wait until they have lasted; see ``EagerDefer``.
  case eagerDefer(EagerDefer)
  /// Edges pass at once unless the key is restless; see ``Prompt``.
  case prompt(Prompt)
  /// Suspicious edges wait until it is known what they are; see ``Confirm``.
  case confirm(Confirm)
  /// `confirm` that learns which keys drop out; see ``Adaptive``.
  case adaptive(Adaptive)
  /// One stroke passes per interval; see ``Throttle``.
  case throttle(Throttle)
  /// Strokes that begin too soon after the key was let go vanish whole; see ``BounceKeys``.
  case bounceKeys(BounceKeys)
  /// Strokes that do not last vanish whole; see ``SlowKeys``.
  case slowKeys(SlowKeys)
}

extension Strategy {
  /// Decides on an edge of `key`, whose `raw` is the new state and whose `edge` is still the time of the
  /// change before.
  @inline(__always)
  func decide(_ key: inout KeyState, at time: Microseconds) -> Decision {
    switch self {
    case .none: .emit
    case .defer(let rule): rule.decide(key, at: time)
    case .eager(let rule): rule.decide(key, at: time)
    case .eagerDefer(let rule): rule.decide(key, at: time)
    case .prompt(let rule): rule.decide(key, at: time)
    case .confirm(let rule): rule.decide(&key, at: time)
    // It decides on keys together; see `Adaptive.swift`.
    case .adaptive: .emit
    case .throttle(let rule): rule.decide(key, at: time)
    case .bounceKeys(let rule): rule.decide(key, at: time)
    case .slowKeys(let rule): rule.decide(key, at: time)
    }
  }
}

/// What a strategy decides on a raw edge. The engine does the rest.
enum Decision: Equatable {
  /// Clean becomes raw now.
  case emit
  /// Clean becomes raw at this time, unless raw changes back before.
  case wait(until: Microseconds)
  /// Raw is back at what clean still is: the waiting edge and this one were chatter, and vanish.
  case withdraw(Chatter)
  /// Raw is back at what clean still is: the press that waited and this release vanish for this reason, which is not
  /// chatter.
  case ignore(Removal)
  /// The stroke that begins vanishes whole for this reason, which is not chatter. Where a time is given it is only put off:
  /// the last stroke that began before is delivered then.
  case suppress(Removal, deliverAt: Microseconds?)
}

// MARK: - Facts

/// A strategy as everything outside the event path knows it: its name, its parameters and their limits.
///
/// Configuration files, `check`, calibration, the manual page and the tests take these facts from here and from nowhere
/// else. Each strategy's facts stand beside its rule.
public struct StrategyKind: Sendable {
  /// What the strategy is called in the configuration, as `eager-defer`.
  public let name: String
  /// What it does, in one or two sentences for the manual page. Names of parameters and strategies stand between backticks.
  public let summary: String
  /// Its parameters, in the order in which they are shown.
  public let parameters: [StrategyParameter]
  /// The parameters that it had in earlier versions: they are still read, and have no effect.
  public let retired: [RetiredParameter]
  /// Which thresholds the configuration accepts, in microseconds.
  public let thresholds: ClosedRange<Microseconds>
  /// From which threshold on `check` warns; `nil` for never.
  public let longThreshold: LongTime?
  /// What names a key where the key's own settings give it: its threshold, or one of these parameters. Empty if naming means
  /// nothing to the strategy; see ``Adaptive/isNamed``.
  public let naming: [String]
  /// The strategy with the packaged parameters, which hold where the configuration gives neither them nor a threshold.
  public let packaged: Strategy

  private let withThreshold: @Sendable (Microseconds) -> Strategy
  private let threshold: @Sendable (Strategy) -> Microseconds?
  private let limited: @Sendable (Strategy) -> Strategy
  private let properties: @Sendable (Strategy) -> Properties?

  /// What the engine and its tests must know of a strategy besides its parameters.
  struct Properties {
    /// A press after a gap below twice this is counted as a near miss; 0 if the strategy does not judge by gaps.
    var window: Microseconds = 0
    /// How late a press, and a release, is passed on at most.
    var longestWait: (press: Microseconds, release: Microseconds) = (0, 0)
    /// Whether strokes may vanish whole, however long they last.
    var suppressesStrokes = false
    /// Whether it is for hands rather than for switches: what it removes was made by a finger.
    var isAccessibility = false
  }

  init<Rule>(_ facts: StrategyFacts<Rule>) {
    name = facts.name
    summary = facts.summary
    parameters = facts.parameters.map { StrategyParameter($0, of: facts) }
    retired = facts.retired
    let limits = facts.parameters.filter { $0.formula != nil }.map(\.values.limits.upperBound)
    thresholds = 0...(limits.max() ?? StrategyParameter.usualTimes.upperBound)
    longThreshold = facts.longThreshold
    naming = facts.naming
    packaged = facts.wrap(facts.packaged)
    threshold = { strategy in
      guard let rule = facts.unwrap(strategy) else { return nil }
      return facts.threshold.map { rule[keyPath: $0] }
        ?? facts.parameters.last { $0.formula == .threshold }?.get(rule)
    }
    limited = { strategy in facts.unwrap(strategy).map { facts.wrap(facts.limited($0)) } ?? strategy
    }
    withThreshold = { facts.wrap(facts.rule(threshold: $0)) }
    properties = { facts.unwrap($0).map(facts.properties) }
  }

  /// The parameter of this name; `nil` if the strategy has none.
  public func parameter(named name: String) -> StrategyParameter? {
    parameters.first { $0.name == name }
  }

  /// The names of all parameters that any strategy has or had, each once.
  public static let parameterNames: [String] = {
    var names: [String] = []
    for name in allCases.flatMap({ $0.parameters.map(\.name) + $0.retired.map(\.name) })
    where !names.contains(name) {
      names.append(name)
    }
    return names
  }()

  /// The strategy with these parameters.
  ///
  /// - Parameters:
  ///   - threshold: The threshold in microseconds from which parameters follow; `nil` for the packaged parameters.
  ///   - values: Parameters by their names, which win over those that follow from the threshold: microseconds, counts,
  ///     and 1 or 0 for flags. Names that are none of the strategy's parameters are passed over.
  public func strategy(
    threshold: Microseconds? = nil, _ values: [String: Int64] = [:]
  ) -> Strategy {
    var strategy = threshold.map(withThreshold) ?? packaged
    for parameter in parameters {
      if let value = values[parameter.name] { parameter.set(value, in: &strategy) }
    }
    return strategy
  }

  fileprivate func threshold(of strategy: Strategy) -> Microseconds? { threshold(strategy) }
  fileprivate func limited(_ strategy: Strategy) -> Strategy { limited(strategy) }
  fileprivate func properties(of strategy: Strategy) -> Properties? { properties(strategy) }
}

extension StrategyKind: RawRepresentable, CaseIterable, Hashable {
  /// All strategies, in the order in which messages list them.
  public static let allCases = [
    StrategyKind(Strategy.noneFacts), StrategyKind(Defer.facts), StrategyKind(Eager.facts),
    StrategyKind(EagerDefer.facts), StrategyKind(Prompt.facts), StrategyKind(Confirm.facts),
    StrategyKind(Adaptive.facts), StrategyKind(Throttle.facts), StrategyKind(BounceKeys.facts),
    StrategyKind(SlowKeys.facts),
  ]

  /// The strategy of this name; `nil` if there is none.
  public init?(rawValue: String) {
    guard let kind = Self.allCases.first(where: { $0.name == rawValue }) else { return nil }
    self = kind
  }

  public var rawValue: String { name }
}

extension Strategy {
  /// The threshold, in microseconds, that the packaged parameters correspond to.
  public static let packagedThreshold: Microseconds = 25_000

  /// Which strategy it is, whatever its parameters.
  public var kind: StrategyKind { kindAndProperties.kind }

  /// What the strategy is called in the configuration.
  public var name: String { kind.name }

  /// A press after a gap below twice this is counted as a near miss; 0 if the strategy does not judge by gaps.
  var window: Microseconds { kindAndProperties.properties.window }

  /// How late a press, or a release, is passed on at most.
  public func longestWait(ofPress isPress: Bool) -> Microseconds {
    let wait = kindAndProperties.properties.longestWait
    return isPress ? wait.press : wait.release
  }

  /// Whether strokes may vanish whole, however long they last.
  public var suppressesStrokes: Bool { kindAndProperties.properties.suppressesStrokes }

  /// Whether it is for hands rather than for switches: what it removes was made by a finger that did not mean it.
  public var isAccessibility: Bool { kindAndProperties.properties.isAccessibility }

  /// The threshold that it was made of, in microseconds; `nil` if it has none.
  public var threshold: Microseconds? { kind.threshold(of: self) }

  /// The same strategy for a key that the settings name; see ``StrategyKind/naming``.
  public var named: Strategy {
    guard case .adaptive(var rule) = self else { return self }
    rule.isNamed = true
    return .adaptive(rule)
  }

  /// Whether it is for a key that the settings name.
  public var isNamed: Bool {
    if case .adaptive(let rule) = self { rule.isNamed } else { false }
  }

  /// The strategy with every parameter at the nearest value that the engine can calculate with.
  ///
  /// The configuration refuses other values long before; programs that use the library may pass what they like.
  var limited: Strategy { kind.limited(self) }

  private var kindAndProperties: (kind: StrategyKind, properties: StrategyKind.Properties) {
    for kind in StrategyKind.allCases {
      if let properties = kind.properties(of: self) { return (kind, properties) }
    }
    preconditionFailure("a strategy that is not among StrategyKind.allCases")
  }
}

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

  init<Rule>(_ parameter: RuleParameter<Rule>, of facts: StrategyFacts<Rule>) {
    name = parameter.name
    values = parameter.values
    formula = parameter.formula
    longTime = parameter.longTime
    summary = parameter.summary
    get = { facts.unwrap($0).map(parameter.get) }
    set = { strategy, value in
      guard var rule = facts.unwrap(strategy) else { return }
      parameter.set(&rule, value)
      strategy = facts.wrap(rule)
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

/// The facts of a strategy, in terms of its own rule: what ``StrategyKind`` is made of.
struct StrategyFacts<Rule: Sendable>: Sendable {
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
  let properties: @Sendable (Rule) -> StrategyKind.Properties

  init(
    _ name: String, packaged: Rule, _ wrap: @escaping @Sendable (Rule) -> Strategy,
    _ unwrap: @escaping @Sendable (Strategy) -> Rule?, summary: String,
    parameters: [RuleParameter<Rule>], retired: [RetiredParameter] = [],
    longThreshold: LongTime? = nil,
    threshold: (WritableKeyPath<Rule, Microseconds> & Sendable)? = nil, naming: [String] = [],
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
    self.threshold = threshold
    self.naming = naming
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
    _ name: String, _ path: WritableKeyPath<Rule, Int32> & Sendable, in range: ClosedRange<Int64>,
    _ summary: String, tooFew: String, tooMany: String
  ) -> RuleParameter {
    RuleParameter(
      name: name, values: .counts(range, tooFew: tooFew, tooMany: tooMany), formula: nil,
      longTime: nil, summary: summary, get: { Int64($0[keyPath: path]) },
      set: { $0[keyPath: path] = Int32($1) })
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

extension Strategy {
  static let noneFacts = StrategyFacts(
    "none", packaged: (), { _ in Strategy.none },
    { if case .none = $0 { () } else { nil } },
    summary: "Everything passes.",
    parameters: [])
}

// MARK: - What several of them have

extension LongTime {
  static func loss(within time: String) -> String {
    "a key that is pressed again within \(time) ms loses that press"
  }

  static let lateRelease = LongTime {
    "every release comes \($0) ms late, and \(loss(within: $0))"
  }
  static let lateOrLost = LongTime { "\(loss(within: $0)), or gets it late" }
}

/// What desktops offer for their settings of the same names.
extension Microseconds {
  static let packagedForAccessibility: Microseconds = 300_000
  static let longestForAccessibility: Microseconds = 2_000_000
}

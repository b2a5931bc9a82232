/// The rule by which a key's raw edges become clean edges.
///
/// Each rule is a file of its own in this folder, with its facts: its name, its parameters and what they mean. It answers each
/// raw edge with a decision and does nothing itself, so that all of time, order and output is in one place, the ``Debouncer``.
/// ``Adaptive`` alone looks at keys together, and decides inside the engine.
///
/// To add a strategy, write its file, add a case here, and add it to `decide(_:at:)`, `rule` and
/// ``StrategyKind/allCases`` below. The library `DebounceAsync` has its times as `Duration`s (`Durations.swift`). Elsewhere a
/// strategy is named only where something is true of it alone, such as of `eager-defer`, that `calibrate` proposes it.
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
  /// Suspicious edges wait; what is suspicious depends on what the keys have shown. See ``Adaptive``.
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
  ///
  /// Inlined, as each rule's is: otherwise the key is copied for it.
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
  /// Raw is back at what clean still is: the waiting edge and this one vanish for this reason.
  case withdraw(Removal)
  /// The stroke that begins vanishes whole for this reason, which is not chatter. Where a time is given it is only put off:
  /// the last stroke that began before is delivered then.
  case suppress(Removal, deliverAt: Microseconds?)
}

// MARK: - Facts

/// What a rule tells of itself: all that stands outside the event path is taken from here.
public protocol StrategyRule: Equatable, Sendable {
  /// Its name and its parameters.
  static var kind: StrategyKind { get }
  /// The strategy that has this rule.
  var strategy: Strategy { get }
  /// A press after a gap below twice this is counted as a near miss; 0 if the rule does not judge by gaps.
  var window: Microseconds { get }
  /// How late a press, and a release, is passed on at most.
  var longestWaits: EdgeWaits { get }
  /// Whether strokes may vanish whole, however long they last.
  var suppressesStrokes: Bool { get }
}

/// For how long a press waits, and a release.
public typealias EdgeWaits = (press: Microseconds, release: Microseconds)

extension StrategyRule {
  public var window: Microseconds { 0 }
  public var longestWaits: EdgeWaits { (0, 0) }
  public var suppressesStrokes: Bool { false }

  /// The rule with the parameters that follow from a threshold, and the packaged ones besides.
  public init(threshold: Microseconds) {
    guard let rule = Self.kind.strategy(threshold: threshold).rule as? Self else {
      preconditionFailure("the packaged strategy “\(Self.kind.name)” has another rule")
    }
    self = rule
  }
}

extension Strategy {
  /// Its rule; `nil` for ``none``.
  var rule: (any StrategyRule)? {
    switch self {
    case .none: nil
    case .defer(let rule): rule
    case .eager(let rule): rule
    case .eagerDefer(let rule): rule
    case .prompt(let rule): rule
    case .confirm(let rule): rule
    case .adaptive(let rule): rule
    case .throttle(let rule): rule
    case .bounceKeys(let rule): rule
    case .slowKeys(let rule): rule
    }
  }

  /// Which strategy it is, whatever its parameters.
  public var kind: StrategyKind { rule.map { type(of: $0).kind } ?? StrategyKind.none }

  /// What the strategy is called in the configuration.
  public var name: String { kind.name }

  /// A press after a gap below twice this is counted as a near miss; 0 if the strategy does not judge by gaps.
  var window: Microseconds { rule?.window ?? 0 }

  /// How late a press, or a release, is passed on at most.
  public func longestWait(ofPress isPress: Bool) -> Microseconds {
    (isPress ? rule?.longestWaits.press : rule?.longestWaits.release) ?? 0
  }

  /// Whether strokes may vanish whole, however long they last.
  public var suppressesStrokes: Bool { rule?.suppressesStrokes == true }

  /// Whether it is for hands rather than for switches: what it removes was made by a finger that did not mean it.
  public var isAccessibility: Bool { kind.isAccessibility }

  /// The threshold that it was made of, in microseconds; `nil` if it has none.
  public var threshold: Microseconds? {
    kind.ofThreshold.last { $0.formula == .threshold }?.value(in: self)
  }

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
  var limited: Strategy {
    var limited = self
    for parameter in kind.parameters + kind.ofThreshold where !parameter.isOptional {
      guard let value = parameter.value(in: self) else { continue }
      parameter.set(value.limited(to: parameter.values.engineLimits), in: &limited)
    }
    return limited
  }
}

/// A strategy as everything outside the event path knows it: its name, its parameters and their limits.
///
/// Configuration files, `check`, calibration, the manual page and the tests take these facts from here and from nowhere
/// else. Each strategy's facts stand beside its rule.
public struct StrategyKind: Sendable {
  /// What the strategy is called in the configuration, as `eager-defer`.
  public let name: String
  /// The strategy with the packaged parameters, which hold where the configuration gives neither them nor a threshold.
  public let packaged: Strategy
  /// What it does, in one or two sentences for the manual page. Names of parameters and strategies stand between backticks.
  public let summary: String
  /// Its parameters, in the order in which they are shown.
  public let parameters: [StrategyParameter]
  /// The parameters that it had in earlier versions: they are still read, and have no effect.
  public internal(set) var retired: [RetiredParameter] = []
  /// From which threshold on `check` warns; `nil` for never.
  public internal(set) var longThreshold: LongTime?
  /// The threshold itself, if the rule keeps more of it than what follows from it.
  var ownThreshold: StrategyParameter?
  /// What names a key where the key's own settings give it: its threshold, or one of these parameters. Empty if naming means
  /// nothing to the strategy; see ``Adaptive/isNamed``.
  public internal(set) var naming: [String] = []
  /// Whether it is for hands rather than for switches.
  var isAccessibility = false

  static let none = StrategyKind(
    name: "none", packaged: .none, summary: "Everything passes.", parameters: [])

  /// What follows from the threshold.
  var ofThreshold: [StrategyParameter] {
    parameters.filter { $0.formula != nil } + (ownThreshold.map { [$0] } ?? [])
  }

  /// Which thresholds the configuration accepts, in microseconds.
  public var thresholds: ClosedRange<Microseconds> {
    0...(ofThreshold.map(\.values.limits.upperBound).max()
      ?? StrategyParameter.usualTimes.upperBound)
  }

  /// The parameter of this name; `nil` if the strategy has none.
  public func parameter(named name: String) -> StrategyParameter? {
    parameters.first { $0.name == name }
  }

  /// The names of all parameters that any strategy has or had, each once.
  public static let parameterNames = allCases.flatMap {
    $0.parameters.map(\.name) + $0.retired.map(\.name)
  }.reduce(into: [String]()) { names, name in
    if !names.contains(name) { names.append(name) }
  }

  /// The strategy with these parameters.
  ///
  /// - Parameters:
  ///   - threshold: The threshold in microseconds from which parameters follow; `nil` for the packaged parameters.
  ///   - values: Parameters by their names, which win over those that follow from the threshold: microseconds, counts,
  ///     and 1 or 0 for flags. Names that are none of the strategy's parameters are passed over.
  public func strategy(
    threshold: Microseconds? = nil, _ values: [String: Int64] = [:]
  ) -> Strategy {
    var strategy = packaged
    for parameter in ofThreshold where !parameter.isOptional {
      guard let threshold, let formula = parameter.formula else { continue }
      parameter.set(formula.value(at: threshold.limited), in: &strategy)
    }
    for parameter in parameters {
      if let value = values[parameter.name] { parameter.set(value, in: &strategy) }
    }
    return strategy
  }
}

extension StrategyKind: RawRepresentable, CaseIterable, Hashable {
  /// All strategies, in the order in which messages list them.
  public static let allCases = [
    none, Defer.kind, Eager.kind, EagerDefer.kind, Prompt.kind, Confirm.kind, Adaptive.kind,
    Throttle.kind, BounceKeys.kind, SlowKeys.kind,
  ]

  /// The strategy of this name; `nil` if there is none.
  public init?(rawValue: String) {
    guard let kind = Self.allCases.first(where: { $0.name == rawValue }) else { return nil }
    self = kind
  }

  public var rawValue: String { name }
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
  /// Whether the rule has it only where it is given; otherwise it follows from the threshold when it is asked for.
  let isOptional: Bool

  private let get: @Sendable (Strategy) -> Int64?
  private let set: @Sendable (inout Strategy, Int64) -> Void

  private init<Rule: StrategyRule>(
    _ name: String, _ values: Values, _ summary: String, _ formula: ThresholdFormula? = nil,
    _ long: LongTime? = nil, isOptional: Bool = false, get: @escaping @Sendable (Rule) -> Int64,
    set: @escaping @Sendable (inout Rule, Int64) -> Void
  ) {
    (self.name, self.values, self.formula) = (name, values, formula)
    (longTime, self.summary, self.isOptional) = (long, summary, isOptional)
    self.get = { ($0.rule as? Rule).map(get) }
    self.set = { strategy, value in
      guard var rule = strategy.rule as? Rule else { return }
      set(&rule, value)
      strategy = rule.strategy
    }
  }

  /// A time in microseconds.
  ///
  /// - Parameters:
  ///   - formula: How it follows from the threshold; `nil` if it does not.
  ///   - range: What the configuration accepts.
  ///   - tooLong: Why it accepts no longer time.
  static func time<Rule: StrategyRule>(
    _ name: String, _ path: WritableKeyPath<Rule, Microseconds> & Sendable,
    _ formula: ThresholdFormula?, _ summary: String,
    in range: ClosedRange<Microseconds> = usualTimes, tooLong: String = usualReason,
    long: LongTime? = nil
  ) -> StrategyParameter {
    StrategyParameter(
      name, .times(range, tooLong: tooLong), summary, formula, long,
      get: { (rule: Rule) in rule[keyPath: path] }, set: { $0[keyPath: path] = $1 })
  }

  /// A time in microseconds that the rule has only where it is given by name.
  ///
  /// - Parameter value: What holds: the time given, or the one that follows.
  static func optionalTime<Rule: StrategyRule>(
    _ name: String, _ path: WritableKeyPath<Rule, Microseconds?> & Sendable,
    _ formula: ThresholdFormula, value: @escaping @Sendable (Rule) -> Microseconds,
    _ summary: String, long: LongTime
  ) -> StrategyParameter {
    StrategyParameter(
      name, .times(usualTimes, tooLong: usualReason), summary, formula, long, isOptional: true,
      get: value, set: { $0[keyPath: path] = $1 })
  }

  /// A whole number.
  static func count<Rule: StrategyRule>(
    _ name: String, _ path: WritableKeyPath<Rule, Int32> & Sendable, in range: ClosedRange<Int64>,
    _ summary: String, tooFew: String, tooMany: String
  ) -> StrategyParameter {
    StrategyParameter(
      name, .counts(range, tooFew: tooFew, tooMany: tooMany), summary,
      get: { (rule: Rule) in Int64(rule[keyPath: path]) }, set: { $0[keyPath: path] = Int32($1) })
  }

  /// A choice between true and false.
  static func flag<Rule: StrategyRule>(
    _ name: String, _ path: WritableKeyPath<Rule, Bool> & Sendable, _ summary: String
  ) -> StrategyParameter {
    StrategyParameter(
      name, .flag, summary, get: { (rule: Rule) in rule[keyPath: path] ? 1 : 0 },
      set: { $0[keyPath: path] = $1 != 0 })
  }

  /// Its value: microseconds, a count, or 1 or 0 for a flag. `nil` if the strategy does not have it.
  public func value(in strategy: Strategy) -> Int64? { get(strategy) }

  /// Gives it a value, which must be within the engine's limits. Does nothing if the strategy does not have it.
  public func set(_ value: Int64, in strategy: inout Strategy) { set(&strategy, value) }

  /// The value as the configuration has it: milliseconds, a count, `true` or `false`.
  public func text(of value: Int64) -> String {
    switch values {
    case .times: value.inMilliseconds
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
  fileprivate var engineLimits: ClosedRange<Int64> {
    if case .times = self { Microseconds.limits } else { limits }
  }
}

extension Microseconds {
  /// The threshold that the packaged parameters correspond to.
  static let packagedThreshold: Microseconds = 25_000
  // What desktops offer for their settings of the same names.
  static let packagedForAccessibility: Microseconds = 300_000
  static let longestForAccessibility: Microseconds = 2_000_000

  /// Lengths of time that the engine can calculate with: none is negative, and none exceeds some decades.
  fileprivate static let limits: ClosedRange<Microseconds> = 0...(1 << 50)

  /// The nearest length of time that the engine can calculate with.
  var limited: Microseconds { limited(to: Self.limits) }

  /// Milliseconds, with a fraction if there is one.
  var inMilliseconds: String { self % 1000 == 0 ? "\(self / 1000)" : "\(Double(self) / 1000)" }
}

extension Strategy {
  /// The threshold, in microseconds, that the packaged parameters correspond to.
  public static let packagedThreshold: Microseconds = .packagedThreshold
}

extension Comparable {
  /// The nearest value in the range.
  func limited(to range: ClosedRange<Self>) -> Self {
    min(max(self, range.lowerBound), range.upperBound)
  }
}

/// How a parameter follows from the threshold T: a multiple of it, something added, and no less than a least value.
public struct ThresholdFormula: Sendable, Equatable {
  /// By what T is multiplied, and then divided.
  var times: Int64 = 1
  var over: Int64 = 1
  /// In microseconds, as the least value is.
  var plus: Microseconds = 0
  var atLeast: Microseconds = 0

  /// The threshold itself.
  public static let threshold = ThresholdFormula()

  /// The parameter's value in microseconds at a threshold, which the engine must be able to calculate with.
  public func value(at threshold: Microseconds) -> Microseconds {
    max(atLeast, threshold * times / over + plus)
  }
}

extension ThresholdFormula: CustomStringConvertible {
  /// The formula in milliseconds, as `T`, `1.5 T` or `the larger of 55 and T + 30`.
  public var description: String {
    // A thousand times the factor, as thousandths.
    let factor = (1000 * times / over).inMilliseconds
    var text = times == over ? "T" : "\(factor) T"
    if plus != 0 { text += " + \(plus.inMilliseconds)" }
    return atLeast == 0 ? text : "the larger of \(atLeast.inMilliseconds) and \(text)"
  }
}

/// A time from which on `check` warns, and what such a time does to typing.
public struct LongTime: Sendable {
  /// The longest time without a warning, in microseconds.
  public internal(set) var limit: Microseconds = 50_000
  /// Whether it does that on bad keys alone.
  public internal(set) var isOfBadKeys = false
  /// What a longer one does. Its argument is the number of milliseconds as it was given.
  public let consequence: @Sendable (String) -> String

  // What several strategies have:

  static func loss(within time: String) -> String {
    "a key that is pressed again within \(time) ms loses that press"
  }
  static let lateRelease = LongTime {
    "every release comes \($0) ms late, and \(loss(within: $0))"
  }
  static let lateOrLost = LongTime { "\(loss(within: $0)), or gets it late" }
  static let lateOrShort = LongTime {
    "a fast double press comes \($0) ms late, and is lost if it is shorter"
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
}

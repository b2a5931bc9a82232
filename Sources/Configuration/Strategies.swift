import Debounce

// The facts about strategies that the engine does not need: the limits of parameters, what they do to typing, and the
// parameters that files of earlier versions may have.
//
// Configuration files, `check` and calibration take these facts from here and from nowhere else. What a strategy and its
// parameters are for stands in the manual page; a test compares the page's limits, defaults and formulas with this table.

// MARK: - The table

extension StrategyKind {
  /// The parameters in the order in which they are shown.
  public var parameters: [StrategyParameter] {
    switch self {
    case .none: []
    case .defer: StrategyParameter.ofDefer
    case .eager: StrategyParameter.ofEager
    case .eagerDefer: StrategyParameter.ofEagerDefer
    case .prompt: StrategyParameter.ofPrompt
    case .adaptive: StrategyParameter.ofAdaptive
    case .throttle: StrategyParameter.ofThrottle
    case .bounceKeys: StrategyParameter.ofBounceKeys
    case .slowKeys: StrategyParameter.ofSlowKeys
    }
  }
}

extension StrategyParameter {
  fileprivate static let ofDefer: [StrategyParameter] = [
    .time(
      "press", \Defer.press,
      effect: Effect { "every press comes \($0) ms late, and quicker strokes are lost" }),
    .time("release", \Defer.release, effect: .lateRelease),
  ]

  fileprivate static let ofEager: [StrategyParameter] = [
    .time(
      "press", \Eager.press,
      effect: Effect { "a key that is let go within \($0) ms seems to be held that long" }),
    .time(
      "release", \Eager.release, effect: Effect { "\(Effect.loss(within: $0)), or gets it late" }),
  ]

  fileprivate static let ofEagerDefer: [StrategyParameter] = [
    .time(
      "press", \EagerDefer.press,
      effect: Effect {
        "a key that is let go within \($0) ms seems to be held that long, and \(Effect.loss(within: $0))"
      }),
    .time("release", \EagerDefer.release, effect: .lateRelease),
  ]

  fileprivate static let ofPrompt: [StrategyParameter] = [
    .time(
      "quiet", \Prompt.quiet,
      effect: Effect { "a key that moves again within \($0) ms types late, or loses that press" })
  ]

  fileprivate static let ofAdaptive: [StrategyParameter] = [
    .time(
      "confirm", \Adaptive.confirm, from: nil,
      effect: Effect { "a press soon after a release comes \($0) ms late, and is lost if shorter" }),
    .time(
      "dropout", \Adaptive.dropout,
      effect: Effect(isOfBadKeys: true, consequence: Effect.lateRelease.consequence)),
    StrategyParameter(
      "suspect", .usual, .multiple,
      Effect(warned: 100_000, isOfBadKeys: true) {
        "a press within \($0) ms of the key's last release comes late, and is lost if it is short"
      },
      get: { (rule: Adaptive) in rule.ofBadKeys.suspect }, set: { $0.suspect = $1 }),
    StrategyParameter(
      "within",
      .counts(
        Int64(Adaptive.withinLimits.lowerBound)...Int64(Adaptive.withinLimits.upperBound),
        tooFew: "what was learned of a key would hold for no press",
        tooMany: "what was learned of a key would never be forgotten"),
      get: { (rule: Adaptive) in Int64(rule.within) }, set: { $0.within = Int32($1) }),
  ]

  fileprivate static let ofThrottle: [StrategyParameter] = [
    .time(
      "interval", \Throttle.interval, tooLong: reasonOfHands,
      effect: Effect(warned: .max) {
        "a press within \($0) ms of one that passed is lost; with “latest”, the last of them comes late"
      }),
    StrategyParameter(
      "latest", .flag, get: { (rule: Throttle) in rule.latest ? 1 : 0 },
      set: { $0.latest = $1 != 0 }),
  ]

  fileprivate static let ofBounceKeys: [StrategyParameter] = [
    .time(
      "delay", \BounceKeys.delay, in: timesOfHands, tooLong: reasonOfHands,
      effect: Effect(warned: .max) { "a press within \($0) ms of the key's last release is lost" })
  ]

  fileprivate static let ofSlowKeys: [StrategyParameter] = [
    .time(
      "delay", \SlowKeys.delay, in: timesOfHands, tooLong: reasonOfHands,
      effect: Effect(warned: .max) {
        "every press comes \($0) ms late, and is lost if it is held for less"
      })
  ]

  /// Times that a hand needs, as desktops offer them for their settings of the same names.
  private static let timesOfHands: ClosedRange<Microseconds> = 0...2_000_000
  private static let reasonOfHands = "the key would seem dead"
}

extension StrategyKind {
  /// The parameters of earlier versions. They are still read, and have no effect.
  var retired: [RetiredParameter] { self == .adaptive ? RetiredParameter.ofAdaptive : [] }

  /// The parameters that are about bad keys alone. A key's own settings name the key by one of these, or by a threshold: it
  /// is bad from the start; see ``Adaptive/isNamed``.
  var parametersOfBadKeys: [StrategyParameter] {
    parameters.filter { $0.effect?.isOfBadKeys == true }
  }

  /// What a threshold does to typing: what the last of the parameters does that are the threshold, or all of them.
  var effectOfThreshold: Effect? {
    self == .defer
      ? Effect { "every press and release comes \($0) ms late, and quicker strokes are lost" }
      : parameters.last { $0.formula == .threshold }?.effect
  }

  public func parameter(named name: String) -> StrategyParameter? {
    parameters.first { $0.name == name }
  }

  /// The names of all parameters that any strategy has or had, each once.
  static let parameterNames = allCases.flatMap {
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
  public func strategy(threshold: Microseconds? = nil, _ values: [String: Int64]) -> Strategy {
    var strategy = strategy(threshold: threshold)
    for parameter in parameters {
      if let value = values[parameter.name] { parameter.set(value, in: &strategy) }
    }
    return strategy
  }

  /// The strategies of earlier versions, each with the end of a sentence on what takes its place.
  static let retiredKinds = ["confirm": "“adaptive” is used instead; write that"]
}

extension Strategy {
  /// Sentences on what comes late and what is lost. ``NamedKeyCost`` has those for a named key.
  var costs: [String] {
    kind.parameters.compactMap { parameter in
      guard let value = parameter.value(in: self), value > 0 else { return nil }
      return parameter.effect?.sentence(value.textInMilliseconds)
    }
  }
}

// MARK: - Parameters

/// A parameter of a strategy: its name and its limits.
public struct StrategyParameter: Sendable {
  public enum Values: Sendable {
    /// Times in microseconds, given in milliseconds. A configuration with a longer time is refused for the reason given.
    case times(ClosedRange<Microseconds>, tooLong: String)
    /// Whole numbers, and for which reason fewer and more are refused.
    case counts(ClosedRange<Int64>, tooFew: String, tooMany: String)
    /// True or false: 1 or 0.
    case flag

    static let usual = times(usualTimes, tooLong: usualReason)
  }

  /// How a value follows from the threshold: it is the threshold, or grows with it.
  public enum Formula: Sendable {
    case threshold, multiple
  }

  public let name: String
  public let values: Values
  /// How the value follows from the threshold; `nil` if it does not.
  public let formula: Formula?
  let effect: Effect?

  private let get: @Sendable (Strategy) -> Int64?
  private let set: @Sendable (inout Strategy, Int64) -> Void

  fileprivate init<Rule: StrategyRule>(
    _ name: String, _ values: Values, _ formula: Formula? = nil, _ effect: Effect? = nil,
    get: @escaping @Sendable (Rule) -> Int64,
    set: @escaping @Sendable (inout Rule, Int64) -> Void
  ) {
    (self.name, self.values, self.formula, self.effect) = (name, values, formula, effect)
    self.get = { ($0.rule as? Rule).map(get) }
    self.set = { strategy, value in
      guard var rule = strategy.rule as? Rule else { return }
      set(&rule, value)
      strategy = rule.strategy
    }
  }

  /// A time in microseconds that the rule always has.
  fileprivate static func time<Rule: StrategyRule>(
    _ name: String, _ path: WritableKeyPath<Rule, Microseconds> & Sendable,
    from formula: Formula? = .threshold,
    in range: ClosedRange<Microseconds> = usualTimes, tooLong: String = usualReason,
    effect: Effect
  ) -> StrategyParameter {
    StrategyParameter(
      name, .times(range, tooLong: tooLong), formula, effect,
      get: { (rule: Rule) in rule[keyPath: path] }, set: { $0[keyPath: path] = $1 })
  }

  /// Its value: microseconds, a count, or 1 or 0 for a flag. `nil` if the strategy does not have it.
  public func value(in strategy: Strategy) -> Int64? { get(strategy) }

  /// Gives it a value, which must be within its limits. Does nothing if the strategy does not have it.
  public func set(_ value: Int64, in strategy: inout Strategy) { set(&strategy, value) }

  /// The times that most parameters accept: no switch bounces for longer.
  static let usualTimes: ClosedRange<Microseconds> = 0...1_000_000
  /// Why no longer ones are accepted.
  static let usualReason = "no switch bounces that long, and the key would seem dead"
}

/// What a time does to typing. `check` warns of that where the time is long, and `check --verbose` says it anyway.
struct Effect: Sendable {
  /// The longest time without a warning, in microseconds.
  var warned: Microseconds = 50_000
  /// Whether only bad keys have the consequence.
  var isOfBadKeys = false
  /// The argument is the number of milliseconds as the file gives it.
  let consequence: @Sendable (String) -> String

  /// - Parameter isOfKey: Whether the time is given for a key, which is bad from the start then.
  func sentence(_ time: String, isOfKey: Bool = false) -> String {
    (isOfBadKeys && !isOfKey ? "on a bad key " : "") + consequence(time)
  }

  static func loss(within time: String) -> String {
    "a key that is pressed again within \(time) ms loses that press"
  }
  static let lateRelease = Effect { "every release comes \($0) ms late, and \(loss(within: $0))" }

  /// The consequence of a long `double` of a wheel. A finger turns a wheel by one notch in 10 ms at the fastest.
  static let double = Effect(warned: 20_000) {
    "of a wheel that turns by a notch in \($0) ms or faster, every second step is lost"
  }
}

/// A parameter that a strategy had in an earlier version.
///
/// Configuration files may still have it: it is checked and has no effect, and `check` says what to write instead.
struct RetiredParameter: Sendable {
  let name: String
  let values: StrategyParameter.Values
  /// Advice on what to do, as the end of a sentence: `“threshold” says it all`.
  let advice: String

  fileprivate static let ofAdaptive: [RetiredParameter] =
    ["short", "settle", "spurious"].map {
      RetiredParameter(
        name: $0, values: .usual,
        advice:
          "what it was for is learned now; “threshold” sets how cautiously bad keys are treated")
    } + [
      RetiredParameter(
        name: "learn",
        values: .counts(
          1...8, tooFew: "without evidence no key is known to be bad",
          tooMany: "no more evidence is kept of a key"),
        advice: "one piece of evidence is enough now; “within” sets for how long it holds")
    ]
}

extension Microseconds {
  /// The number of milliseconds, with a fraction if there is one.
  package var textInMilliseconds: String { TableReader.text(Double(self) / 1000) }
}

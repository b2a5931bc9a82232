/// The rule by which a key's raw edges become clean edges.
///
/// Each rule is a file of its own in this folder: the drawing of what it does, its parameters, and its decisions. It answers each
/// raw edge with a decision and does nothing itself, so that all of time, order and output is in one place, the ``Debouncer``.
/// ``Adaptive`` alone looks at keys together, and decides inside the engine.
///
/// To add a strategy, write its file, add a case here and to ``StrategyKind``, and add it to `decide(_:at:)` and to each `rule`
/// below. What it cures and costs stands in <doc:ChoosingAStrategy>, the names and limits of its parameters in the table of the
/// module `Configuration`. The library `DebounceAsync` has its times as `Duration`s (`Durations.swift`).
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
  func decide(_ key: borrowing KeyState, at time: Microseconds) -> Decision {
    switch self {
    case .none: .emit
    case .defer(let rule): rule.decide(key, at: time)
    case .eager(let rule): rule.decide(key, at: time)
    case .eagerDefer(let rule): rule.decide(key, at: time)
    case .prompt(let rule): rule.decide(key, at: time)
    // It decides on keys together; see `Adaptive.swift`.
    case .adaptive: .emit
    case .throttle(let rule): rule.decide(key, at: time)
    case .bounceKeys(let rule): rule.decide(key, at: time)
    case .slowKeys(let rule): rule.decide(key, at: time)
    }
  }
}

/// A strategy's decision on a raw edge. The engine does the rest.
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

// MARK: - What rules have in common

/// Facts that a rule tells of itself.
package protocol StrategyRule: Equatable, Sendable {
  /// The rule with the parameters that follow from a threshold, and the packaged ones besides.
  init(threshold: Microseconds)

  /// Its parameters that are times.
  static var times: [Time] { get }
  /// The strategy that has this rule.
  var strategy: Strategy { get }
  /// The threshold that it was made of, in microseconds, unless a time was given by name.
  var threshold: Microseconds { get }
  /// A press after a gap below twice this is counted as a near miss; 0 if the rule does not judge by gaps.
  var window: Microseconds { get }
  /// Whether it is for hands rather than for switches: what it removes was made by a finger that did not mean it.
  static var isAccessibility: Bool { get }

  /// Brings every parameter to the nearest value that the engine can calculate with.
  mutating func limit()
}

extension StrategyRule {
  package typealias Time = WritableKeyPath<Self, Microseconds> & Sendable

  package var window: Microseconds { 0 }
  package static var isAccessibility: Bool { false }

  package mutating func limit() {
    for time in Self.times { self[keyPath: time] = self[keyPath: time].limited }
  }
}

extension Strategy {
  /// Its rule; `nil` for ``none``.
  package var rule: (any StrategyRule)? {
    switch self {
    case .none: nil
    case .defer(let rule): rule
    case .eager(let rule): rule
    case .eagerDefer(let rule): rule
    case .prompt(let rule): rule
    case .adaptive(let rule): rule
    case .throttle(let rule): rule
    case .bounceKeys(let rule): rule
    case .slowKeys(let rule): rule
    }
  }

  /// Whether it is for hands rather than for switches; see ``StrategyRule/isAccessibility``.
  package var isAccessibility: Bool { kind.rule?.isAccessibility == true }

  /// The threshold that it was made of, in microseconds; `nil` if it has none.
  public var threshold: Microseconds? { rule?.threshold }

  /// The same strategy for a key that the settings name; see ``Adaptive/isNamed``.
  package var named: Strategy {
    guard case .adaptive(var rule) = self else { return self }
    rule.isNamed = true
    return .adaptive(rule)
  }

  /// Whether it is for a key that the settings name.
  package var isNamed: Bool {
    if case .adaptive(let rule) = self { rule.isNamed } else { false }
  }

  /// The strategy with every parameter at the nearest value that the engine can calculate with.
  ///
  /// The configuration refuses other values long before; programs that use the library may pass what they like.
  package var limited: Strategy {
    guard var rule else { return self }
    rule.limit()
    return rule.strategy
  }

  /// The threshold, in microseconds, that the packaged parameters correspond to.
  public static let packagedThreshold: Microseconds = 25_000
  /// The threshold of strategies for hands: what desktops offer for their settings of the same names.
  package static let packagedForAccessibility: Microseconds = 300_000
}

// MARK: - Names

/// The strategies without their parameters, by the names that the configuration has for them, in the order in which messages
/// list them.
public enum StrategyKind: String, CaseIterable, Sendable {
  case none, `defer`, eager
  case eagerDefer = "eager-defer"
  case prompt, adaptive, throttle
  case bounceKeys = "bounce-keys"
  case slowKeys = "slow-keys"

  /// The strategy with the packaged parameters, which hold where the configuration gives neither them nor a threshold.
  public var packaged: Strategy { strategy(threshold: nil) }

  /// The strategy with the parameters that follow from a threshold; with the packaged ones if it is `nil`.
  public func strategy(threshold: Microseconds?) -> Strategy {
    guard let rule else { return .none }
    let packaged =
      rule.isAccessibility ? Strategy.packagedForAccessibility : Strategy.packagedThreshold
    return rule.init(threshold: threshold?.limited ?? packaged).strategy
  }

  /// The type of its rule; `nil` for ``none``.
  fileprivate var rule: (any StrategyRule.Type)? {
    switch self {
    case .none: nil
    case .defer: Defer.self
    case .eager: Eager.self
    case .eagerDefer: EagerDefer.self
    case .prompt: Prompt.self
    case .adaptive: Adaptive.self
    case .throttle: Throttle.self
    case .bounceKeys: BounceKeys.self
    case .slowKeys: SlowKeys.self
    }
  }
}

extension Strategy {
  /// Which strategy it is, whatever its parameters.
  public var kind: StrategyKind {
    guard let rule else { return .none }
    return StrategyKind.allCases.first { $0.rule == type(of: rule) } ?? .none
  }

  /// The strategy's name in the configuration.
  public var name: String { kind.rawValue }
}

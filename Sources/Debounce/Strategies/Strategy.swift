/// The rule by which a key's raw edges become clean edges.
///
/// Each rule is a file of its own in this folder. It answers each raw edge with a decision and does
/// nothing itself, so that all of time, order and output is in one place, the ``Debouncer``.
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
    // It decides on keys together; see `AdaptiveEdges.swift`.
    case .adaptive: .emit
    case .throttle(let rule): rule.decide(key, at: time)
    case .bounceKeys(let rule): rule.decide(key, at: time)
    case .slowKeys(let rule): rule.decide(key, at: time)
    }
  }
}

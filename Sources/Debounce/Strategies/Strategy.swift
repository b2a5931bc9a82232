/// The rule by which a key's raw edges become clean edges.
///
/// Each rule is a file of its own in this folder. It answers each raw edge with a ``Verdict`` and does
/// nothing itself, so that all of time, order and output is in one place, the ``Debouncer``.
public enum Strategy: Equatable, Sendable {
  /// Everything passes.
  case none
  /// Suspicious edges wait until it is known what they are; see ``Confirm``.
  case confirm(Confirm)
  /// `confirm` that learns which keys drop out; see ``Adaptive``.
  case adaptive(Adaptive)
}

extension Strategy {
  /// Judges an edge of `key`, whose `raw` is the new state and whose `edge` is still the time of the
  /// change before.
  @inline(__always)
  func judge(
    _ key: inout KeyState, at time: Microseconds, counting counters: inout Counters
  ) -> Verdict {
    switch self {
    case .none: .emit
    case .confirm(let rule): rule.judge(&key, at: time)
    case .adaptive(let rule): rule.judge(&key, at: time, counting: &counters)
    }
  }

  /// Hears that the edge of `key` which waited is now emitted: raw stayed as it was until the deadline.
  @inline(__always)
  func lasted(_ key: inout KeyState, counting counters: inout Counters) {
    if case .adaptive(let rule) = self { rule.lasted(&key, counting: &counters) }
  }
}

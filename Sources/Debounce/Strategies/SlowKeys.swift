/// Ignores strokes that do not last.
///
/// ```
///          P──R  P─────────|──R
///   raw  ──┘  └──┘  delay  |  └───    a press counts once it has lasted `delay`; the release is not delayed
///  clean ──────────────────┌──┐───
/// ```
///
/// For hands that brush keys they do not mean: what is removed says nothing about the switch, and is not counted as
/// chatter. The price is that every press is late by `delay`.
///
/// Origin: SlowKeys of the X keyboard extension.
public struct SlowKeys: Equatable, Sendable {
  /// How long a press must last to count.
  public var delay: Microseconds

  public init(delay: Microseconds) {
    self.delay = delay
  }

  @inline(__always)
  func decide(_ key: borrowing KeyState, at time: Microseconds) -> Decision {
    guard key.raw != key.clean else { return .withdraw(.tooShort) }
    return key.raw && delay > 0 ? .wait(until: time + delay) : .emit
  }
}

extension SlowKeys: StrategyRule {
  public init(threshold: Microseconds) { self.init(delay: threshold) }

  package static let times: [Time] = [\.delay]
  package var strategy: Strategy { .slowKeys(self) }
  package var threshold: Microseconds { delay }
  package var isAccessibility: Bool { true }
}

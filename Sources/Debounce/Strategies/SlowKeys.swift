/// Ignores strokes that do not last.
///
/// ```
///          P──R  P─────────|──R
///   raw  ──┘  └──┘  delay  |  └───    a press counts once it has lasted `delay`; the release is not delayed
///  clean ──────────────────┌──┐───
/// ```
///
/// Origin: SlowKeys of the X keyboard extension.
public struct SlowKeys: Equatable, Sendable {
  /// How long a press must last to count.
  public var delay: Microseconds

  public init(delay: Microseconds) { self.delay = delay }

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
  package static var isAccessibility: Bool { true }
}

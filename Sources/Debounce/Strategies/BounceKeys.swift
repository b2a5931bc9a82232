/// Ignores strokes that begin too soon after the key was let go.
///
/// ```
///          P──────R P─R  P──R       ·   P───R
///   raw  ──┘      └─┘ └──┘  └───────·───┘   └──    a stroke that begins within `delay` of the last time
///                           | delay |              the key came up vanishes whole, and the time counts
///  clean ──┌──────┐─────────────────────┌───┐──    anew from its end
/// ```
///
/// Origin: BounceKeys of the X keyboard extension. In X, too, events that did not count start the time anew.
public struct BounceKeys: Equatable, Sendable {
  /// How long a key must have been up before a press of it counts.
  public var delay: Microseconds

  public init(delay: Microseconds) { self.delay = delay }

  @inline(__always)
  func decide(_ key: borrowing KeyState, at time: Microseconds) -> Decision {
    // A key that comes up now is up for as long as it stays so, whatever became of its press.
    guard key.raw, time - key.edge < delay else { return .emit }
    return .suppress(.tooSoon, deliverAt: nil)
  }
}

extension BounceKeys: StrategyRule {
  public init(threshold: Microseconds) { self.init(delay: threshold) }

  package static let times: [Time] = [\.delay]
  package var strategy: Strategy { .bounceKeys(self) }
  package var threshold: Microseconds { delay }
  package static var isAccessibility: Bool { true }
}

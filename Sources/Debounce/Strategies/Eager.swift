/// Emits an edge at once, and is deaf for a while.
///
/// ```
///          P R P──────────────R P──R───
///   raw  ──┘ └─┘ ·            └─┘ ·└──        each edge emitted locks the key: for `press` after a
///          |lock |            |lock|          press, for `release` after a release
///  clean ──┌──────────────────┐─────────
///
///          P──R─────
///   raw  ──┘  └─ ·                            what raw is when the lock ends is emitted then, and
///          |lock |lock|                       locks again: nothing gets stuck
///  clean ──┌─────┐─────
/// ```
///
/// Origin: QMK's sym_eager_pk.
public struct Eager: Equatable, Sendable {
  /// How long a press locks.
  public var press: Microseconds
  /// How long a release locks.
  public var release: Microseconds

  public init(press: Microseconds, release: Microseconds) {
    self.press = press
    self.release = release
  }

  @inline(__always)
  func decide(_ key: borrowing KeyState, at time: Microseconds) -> Decision {
    guard key.raw != key.clean else { return .withdraw(key.chatter) }
    let lockEnd = key.clean ? key.pressEmitted + press : key.releaseEmitted + release
    return time < lockEnd ? .wait(until: lockEnd) : .emit
  }
}

extension Eager: StrategyRule {
  public init(threshold: Microseconds) { self.init(press: threshold, release: threshold) }

  package static let times: [Time] = [\.press, \.release]
  package var strategy: Strategy { .eager(self) }
  package var threshold: Microseconds { release }
  package var window: Microseconds { release }
}

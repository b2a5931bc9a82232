/// Emits a press at once, and a release once it has lasted.
///
/// ```
///          P R P──────────R P────────R P R────
///   raw  ──┘ └─┘          └─┘        └─┘ └─ ·   a release waits for `release`, and at least until
///          |lock|                           |   `press` after the press; a press before that
///  clean ──┌────────────────────────────────┐─  cancels it
/// ```
///
/// Origin: QMK's asym_eager_defer_pk, in which a release during the lock begins to wait only when the
/// lock ends. Here it waits from the moment it comes.
public struct EagerDefer: Equatable, Sendable {
  /// How long no release is emitted after a press.
  public var press: Microseconds
  /// How long a release must last.
  public var release: Microseconds

  public init(press: Microseconds, release: Microseconds) {
    self.press = press
    self.release = release
  }

  @inline(__always)
  func decide(_ key: borrowing KeyState, at time: Microseconds) -> Decision {
    guard key.raw != key.clean else { return .withdraw(key.chatter) }
    guard key.clean else { return .emit }
    let due = max(time + release, key.pressEmitted + press)
    return due > time ? .wait(until: due) : .emit
  }
}

extension EagerDefer: StrategyRule {
  public init(threshold: Microseconds) { self.init(press: threshold, release: threshold) }

  package static let times: [Time] = [\.press, \.release]
  package var strategy: Strategy { .eagerDefer(self) }
  package var threshold: Microseconds { release }
  package var window: Microseconds { release }
}

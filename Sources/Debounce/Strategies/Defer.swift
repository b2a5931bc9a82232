/// Emits an edge once it has lasted.
///
/// ```
///          P R P──────────────R P R────
///   raw  ──┘ └─┘  ·           └─┘ └─ ·        every edge waits for `press` or `release`;
///                 |                  |        one that goes back before vanishes
///  clean ─────────┌──────────────────┐─
/// ```
///
/// Origin: QMK's sym_defer_pk; the kernel's gpio-keys do the same.
public struct Defer: Equatable, Sendable {
  /// How long a press must last.
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
    let wait = key.raw ? press : release
    return wait == 0 ? .emit : .wait(until: time + wait)
  }
}

extension Defer: StrategyRule {
  public init(threshold: Microseconds) { self.init(press: threshold, release: threshold) }

  package static let times: [Time] = [\.press, \.release]
  package var strategy: Strategy { .defer(self) }
  package var threshold: Microseconds { release }
  package var window: Microseconds { release }
}

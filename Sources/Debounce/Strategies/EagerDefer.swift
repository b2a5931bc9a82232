/// Emits a press at once, and a release once it has lasted.
///
/// ```
///          P R P──────────R P────────R P R────
///   raw  ──┘ └─┘          └─┘        └─┘ └─ ·   a release waits for `release`, and at least until
///          |lock|                           |   `press` after the press; a press before that
///  clean ──┌────────────────────────────────┐─  cancels it
/// ```
///
/// One number cures every kind of chatter, and presses have no latency; the price is that every release
/// is late.
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
    guard key.raw != key.clean else { return .withdraw(key.chatter(endingAt: time)) }
    guard key.clean else { return .emit }
    let due = max(time + release, key.pressEmitted + press)
    return due > time ? .wait(until: due) : .emit
  }
}

// MARK: - Facts

extension EagerDefer: StrategyRule {
  public static let kind = StrategyKind(
    name: "eager-defer",
    packaged: .eagerDefer(EagerDefer(press: .packagedThreshold, release: .packagedThreshold)),
    summary: "Presses pass at once, releases once they have lasted.",
    parameters: [
      .time(
        "press", \EagerDefer.press, .threshold, "For how long after a press no release passes.",
        long: LongTime {
          "a key that is let go within \($0) ms seems to be held that long, and \(LongTime.loss(within: $0))"
        }),
      .time(
        "release", \EagerDefer.release, .threshold, "How long a release must last.",
        long: .lateRelease),
    ], longThreshold: .lateRelease)

  public var strategy: Strategy { .eagerDefer(self) }
  public var window: Microseconds { release }
  public var longestWaits: EdgeWaits { (0, max(press, release)) }
}

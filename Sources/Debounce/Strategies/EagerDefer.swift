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

  public init(threshold: Microseconds) {
    self = Self.facts.rule(threshold: threshold)
  }

  func decide(_ key: borrowing KeyState, at time: Microseconds) -> Decision {
    guard key.raw != key.clean else { return .withdraw(key.chatter(endingAt: time)) }
    guard key.clean else { return .emit }
    let due = max(time + release, key.pressEmitted + press)
    return due > time ? .wait(until: due) : .emit
  }
}

// MARK: - Facts

extension EagerDefer {
  static let facts = StrategyFacts(
    "eager-defer",
    packaged: EagerDefer(press: Strategy.packagedThreshold, release: Strategy.packagedThreshold),
    Strategy.eagerDefer,
    { if case .eagerDefer(let rule) = $0 { rule } else { nil } },
    summary: "Presses pass at once, releases once they have lasted.",
    parameters: [
      .time(
        "press", \.press, .threshold, "For how long after a press no release passes.",
        long: LongTime {
          "a key that is let go within \($0) ms seems to be held that long, and \(LongTime.loss(within: $0))"
        }),
      .time("release", \.release, .threshold, "How long a release must last.", long: .lateRelease),
    ], longThreshold: .lateRelease
  ) {
    .init(window: $0.release, longestWait: (0, max($0.press, $0.release)))
  }
}

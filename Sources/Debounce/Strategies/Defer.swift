/// Emits an edge once it has lasted.
///
/// ```
///          P R P──────────────R P R────
///   raw  ──┘ └─┘  ·           └─┘ └─ ·        every edge waits for `press` or `release`;
///                 |                  |        one that goes back before vanishes
///  clean ─────────┌──────────────────┐─
/// ```
///
/// Any chatter shorter than the wait is cured; the price is that every edge is late by it.
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
    guard key.raw != key.clean else { return .withdraw(key.chatter(endingAt: time)) }
    let wait = key.raw ? press : release
    return wait == 0 ? .emit : .wait(until: time + wait)
  }
}

// MARK: - Facts

extension Defer: StrategyRule {
  public static let kind = StrategyKind(
    name: "defer", packaged: .defer(Defer(press: .packagedThreshold, release: .packagedThreshold)),
    summary: "Presses and releases pass once they have lasted. Against noise on long wires.",
    parameters: [
      .time(
        "press", \Defer.press, .threshold, "How long a press must last.",
        long: LongTime { "every press comes \($0) ms late, and quicker strokes are lost" }),
      .time(
        "release", \Defer.release, .threshold, "How long a release must last.", long: .lateRelease),
    ],
    longThreshold: LongTime {
      "every press and release comes \($0) ms late, and quicker strokes are lost"
    })

  public var strategy: Strategy { .defer(self) }
  public var window: Microseconds { release }
  public var longestWaits: EdgeWaits { (press, release) }
}

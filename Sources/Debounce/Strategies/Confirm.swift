/// Emits what cannot be chatter at once, and holds back only what may be, until it is known.
///
/// ```
///          P─────────────────R            P─────────────────R
///   raw  ──┘                 └────      ──┘                 └───    a stroke: both edges at once
///
///          P──R P────────────R            hold < short: R waits for `settle`.
///   raw  ──┘  └─┘            └────        P comes first: a press bounce (A), both vanish.
///  clean ──┌─────────────────┐────
///
///          P────────────R P──R            gap < suspect: P waits for `confirm`.
///   raw  ──┘            └─┘  └────        R comes first: a release bounce (B), both vanish,
///  clean ──┌────────────┐─────────        and the next gap counts from that R.
///
///          P────────────R P─────|───R     gap < suspect, but it lasts: a fast double.
///   raw  ──┘            └─┘     |   └─    P is emitted `confirm` after it came.
///  clean ──┌────────────┐───────┌───┐─
///
///          P────────R P──────────R · |    dropout > 0: every R waits for it.
///   raw  ──┘        └─┘          └───|    P comes first: a drop-out (C), both vanish.
///  clean ──┌─────────────────────────┐    The price: each release is late by `dropout`.
/// ```
///
/// Origin: libinput's button debouncing, per key and with separate windows.
public struct Confirm: Equatable, Sendable {
  /// A release after a shorter hold than this may be a press bounce.
  public var short: Microseconds
  /// How long such a release waits for the press that would show it was one.
  public var settle: Microseconds
  /// A press after a shorter gap than this may be a release bounce.
  public var suspect: Microseconds
  /// How long such a press must last to be taken for real.
  public var confirm: Microseconds
  /// How long every other release waits for the press that would show it was a drop-out; 0: not at all.
  public var dropout: Microseconds

  public init(
    short: Microseconds = 30_000, settle: Microseconds = 55_000, suspect: Microseconds = 50_000,
    confirm: Microseconds = 30_000, dropout: Microseconds = 0
  ) {
    self.short = short
    self.settle = settle
    self.suspect = suspect
    self.confirm = confirm
    self.dropout = dropout
  }

  @inline(__always)
  func decide(_ key: inout KeyState, at time: Microseconds) -> Decision {
    if key.raw {
      if key.clean {
        // The release between was waiting. It came at `edge`.
        return .withdraw(isShort(key.edge, after: key) ? .pressBounce : .dropOut)
      }
      return time - key.released < suspect ? .wait(until: time + confirm) : .emit
    }
    guard key.clean else {
      // The press was held back. The contact moved last now: the next gap counts from here.
      key.released = time
      return .withdraw(.releaseBounce)
    }
    let wait = isShort(time, after: key) ? settle : dropout
    return wait == 0 ? .emit : .wait(until: time + wait)
  }

  /// Whether a release at `time` ends a hold so short that it may be a press bounce.
  @inline(__always)
  private func isShort(_ time: Microseconds, after key: KeyState) -> Bool {
    time - key.pressed < short
  }
}

// MARK: - Facts

extension Confirm: StrategyRule {
  public static let kind = StrategyKind(
    name: "confirm", packaged: .confirm(Confirm()),
    summary: "Holds back only what may be chatter.",
    parameters: [
      .time(
        "short", \Confirm.short, nil, "A stroke shorter than this may be a bounce.",
        long: LongTime { _ in
          "more strokes than bounces are that short, and their releases come late"
        }),
      // Packaged it is 55 ms: only releases wait for it that come sooner than hardly a finger lets go.
      .time(
        "settle", \Confirm.settle, ThresholdFormula(plus: 30_000, atLeast: 55_000),
        "How long the release of such a stroke waits for the press that would show it.",
        long: LongTime(limit: 85_000) {
          "a short stroke's release comes \($0) ms late, and \(LongTime.loss(within: $0))"
        }),
      .time(
        "suspect", \Confirm.suspect, ThresholdFormula(times: 2, atLeast: 50_000),
        "A press that comes sooner than this after a release may be a bounce.",
        long: LongTime { _ in "fast double presses of healthy keys come late" }),
      .time(
        "confirm", \Confirm.confirm, nil, "How long such a press must last to be passed on.",
        long: .lateOrShort),
      .time(
        "dropout", \Confirm.dropout, .threshold,
        """
        How long all other releases wait, so that a key that loses contact while it is held stays down; \
        0 for not at all.
        """,
        long: .lateRelease),
    ], longThreshold: .lateRelease)

  public var strategy: Strategy { .confirm(self) }
  public var window: Microseconds { dropout > 0 ? dropout : confirm }
  public var longestWaits: EdgeWaits { (confirm, max(settle, dropout)) }
}

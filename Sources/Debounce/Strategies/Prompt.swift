/// Emits an edge at once if the key had been quiet, and otherwise once it is quiet again.
///
/// ```
///          P R P──────────────R P R────
///   raw  ──┘ └─┘              └─┘ └─          the first edge after `quiet` passes; those that
///          |                  |               follow each other faster are noise, and end where
///  clean ──┌──────────────────┐─────          they began
///
///          P──R───────
///   raw  ──┘  └─ · · |                        if they end elsewhere, that is emitted when raw has
///          |         |                        been quiet for `quiet`
///  clean ──┌─────────┐─
/// ```
///
/// The best that one number can do without latency for healthy keys. Drop-outs while held are not cured.
///
/// Origin: libinput's bounce mode; Bounce2's prompt detection.
public struct Prompt: Equatable, Sendable {
  /// How long raw must not have changed.
  public var quiet: Microseconds

  public init(quiet: Microseconds) {
    self.quiet = quiet
  }

  @inline(__always)
  func decide(_ key: borrowing KeyState, at time: Microseconds) -> Decision {
    guard key.raw != key.clean else { return .withdraw(key.chatter(endingAt: time)) }
    return time - key.edge < quiet ? .wait(until: time + quiet) : .emit
  }
}

// MARK: - Facts

extension Prompt: StrategyRule {
  public static let kind = StrategyKind(
    name: "prompt", packaged: .prompt(Prompt(quiet: .packagedThreshold)),
    summary: "Presses and releases pass at once if the key was quiet before, otherwise once it is.",
    parameters: [
      .time(
        "quiet", \Prompt.quiet, .threshold, "How long the key must be quiet.", long: restless)
    ], longThreshold: restless)

  private static let restless = LongTime {
    "a key that moves again within \($0) ms types late, or loses that press"
  }

  public var strategy: Strategy { .prompt(self) }
  public var window: Microseconds { quiet }
  public var longestWaits: EdgeWaits { (quiet, quiet) }
}

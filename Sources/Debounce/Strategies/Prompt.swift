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
/// Origin: libinput's bounce mode; Bounce2's prompt detection.
public struct Prompt: Equatable, Sendable {
  /// How long raw must not have changed.
  public var quiet: Microseconds

  public init(quiet: Microseconds) { self.quiet = quiet }

  @inline(__always)
  func decide(_ key: borrowing KeyState, at time: Microseconds) -> Decision {
    guard key.raw != key.clean else { return .withdraw(key.chatter) }
    return time - key.edge < quiet ? .wait(until: time + quiet) : .emit
  }
}

extension Prompt: StrategyRule {
  public init(threshold: Microseconds) { self.init(quiet: threshold) }

  package static let times: [Time] = [\.quiet]
  package var strategy: Strategy { .prompt(self) }
  package var threshold: Microseconds { quiet }
  package var window: Microseconds { quiet }
}

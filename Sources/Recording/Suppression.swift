import Debounce

/// A press that the switch reported and that was not passed on.
public struct Suppression: Equatable, Sendable {
  /// Why it was not.
  public enum Kind: String, Sendable, CaseIterable {
    /// A: the contact bounced as the key went down.
    case pressBounce = "press-bounce"
    /// B: the contact bounced as the key came up.
    case releaseBounce = "release-bounce"
    /// C: the contact was lost for a moment while the key was held.
    case dropOut = "drop-out"
    /// No chatter: the strategy `throttle` lets one stroke pass per interval.
    case throttled = "throttled"
    /// No chatter: another key of its group had locked it out.
    case lockedOut = "locked-out"
  }

  /// When the switch reported the press.
  public let time: Microseconds
  public let key: KeyCode
  public let kind: Kind
  /// From the key's release before to the press; `nil` if the recording does not have that release.
  public let gap: Microseconds?
  /// From the press to the switch's next release of the key; `nil` if the recording ends before it.
  public let hold: Microseconds?

  public init(
    time: Microseconds, key: KeyCode, kind: Kind, gap: Microseconds?, hold: Microseconds?
  ) {
    self.time = time
    self.key = key
    self.kind = kind
    self.gap = gap
    self.hold = hold
  }
}

/// Why a press that the switch reported is not passed on.
public enum Removal: String, Sendable, CaseIterable {
  /// Class A: the contact bounced as the key went down.
  case pressBounce = "press-bounce"
  /// Class B: the contact bounced as the key came up.
  case releaseBounce = "release-bounce"
  /// Class C: the contact was lost for a moment while the key was held.
  case dropOut = "drop-out"
  /// Not chatter: the strategy `throttle` lets one stroke pass per interval.
  case throttled
  /// Not chatter: another key of its group had locked it out.
  case lockedOut = "locked-out"
  /// Not chatter: the stroke began too soon after the one before for the strategy `bounce-keys`.
  case tooSoon = "too-soon"
  /// Not chatter: the stroke was too short for the strategy `slow-keys`.
  case tooShort = "too-short"

  /// The removal of this kind of chatter.
  public init(_ chatter: Chatter) {
    switch chatter {
    case .pressBounce: self = .pressBounce
    case .releaseBounce: self = .releaseBounce
    case .dropOut: self = .dropOut
    }
  }
}

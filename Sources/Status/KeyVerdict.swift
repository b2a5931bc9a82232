/// What is wrong with a switch that is certainly bad, as the signal `KeyWorn` says it.
public enum KeyVerdict: String, Sendable, CaseIterable {
  /// Mostly it bounces as it is pressed or released.
  case chatters
  /// Mostly its contact is lost while the key is held.
  case dropsOut = "drops-out"
  /// What it does cannot be told apart from what fingers do: it should be cleaned or replaced.
  case overlap = "bands-overlap"

  /// What the switch does, in a few words.
  public var inWords: String {
    switch self {
    case .chatters: "it bounces"
    case .dropsOut: "it loses contact while it is held"
    case .overlap: "it bounces so long that no setting removes all of it"
    }
  }
}

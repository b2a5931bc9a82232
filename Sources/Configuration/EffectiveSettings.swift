import Debounce

/// The settings that hold for one device: its device file's, or the defaults where it has none.
public struct EffectiveSettings: Equatable, Sendable {
  public let rules: Rules
  /// The device file that they come from; `nil` for the defaults.
  public let file: String?
  /// The keys which, held together, make the daemon let go of every device.
  public let panicChord: [KeyCode]
  /// How long to wait for keys to come up before the device is grabbed all the same; `nil` for as long as it takes.
  public let grabAfter: Microseconds?
  /// What its clone is called.
  public let cloneName: CloneName
  /// Whether the clone gets the links in `/dev/input` that lead to the device.
  public let claimsLinks: Bool

  init(_ match: DeviceSettings?, _ settings: Settings) {
    rules = match?.rules ?? settings.rules
    file = match?.file
    panicChord = match?.panicChord ?? settings.panicChord
    grabAfter = match.map(\.grabAfter) ?? settings.grabAfter
    cloneName = match?.cloneName ?? settings.cloneName
    claimsLinks = match?.claimsLinks ?? settings.claimsLinks
  }
}

import Debounce

/// A press that the switch reported and that was not passed on.
public struct Suppression: Equatable, Sendable {
  /// When the switch reported the press.
  public let time: Microseconds
  public let key: KeyCode
  /// Why it was not.
  public internal(set) var kind: Removal
  /// From the key's release before to the press; `nil` if the recording does not have that release.
  public let gap: Microseconds?
  /// From the press to the switch's next release of the key; `nil` if the recording ends before it.
  public internal(set) var hold: Microseconds?

  public init(
    time: Microseconds, key: KeyCode, kind: Removal, gap: Microseconds?, hold: Microseconds?
  ) {
    self.time = time
    self.key = key
    self.kind = kind
    self.gap = gap
    self.hold = hold
  }
}

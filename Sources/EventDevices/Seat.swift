/// The seats of a machine, as logind knows them: each has its own screen and its own input devices.
public enum Seat {
  /// The seat of all devices that udev assigns to no other.
  public static let first = "seat0"

  /// The seat of a device with these properties of udev's.
  public static func of(_ properties: [String: String]) -> String {
    guard let seat = properties["ID_SEAT"], !seat.isEmpty else { return first }
    return seat
  }
}

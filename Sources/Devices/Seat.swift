/// The seats of a machine, as logind knows them: each has its own screen and its own input devices.
public enum Seat {
  /// The one to which everything belongs of which nobody says otherwise.
  public static let first = "seat0"

  /// The seat of a device of which udev knows this.
  public static func of(_ properties: [String: String]) -> String {
    guard let seat = properties["ID_SEAT"], !seat.isEmpty else { return first }
    return seat
  }
}

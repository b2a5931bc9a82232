/// The names of the daemon and its object on the system bus.
public enum BusNames {
  public static let service = "io.github.keydebounce"
  public static let object = "/io/github/keydebounce"
  public static let interface = "io.github.keydebounce.Daemon1"

  /// The signal that a switch has become bad. Its arguments are the device's node and a ``Status/KeyVerdict``.
  public static let keyWorn = "KeyWorn"

  /// The errors with which the daemon answers a call.
  public enum Error {
    /// The daemon does not hold the device.
    public static let notHeld = "io.github.keydebounce.Error.NotHeld"
    /// Another program has borrowed the device.
    public static let lent = "io.github.keydebounce.Error.Lent"
    /// The device has no such key.
    public static let noSuchKey = "io.github.keydebounce.Error.NoSuchKey"
    /// The caller may not call this.
    public static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    /// The device cannot be lent or watched now.
    public static let busy = "io.github.keydebounce.Error.Busy"
  }
}

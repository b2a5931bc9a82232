/// The names of the daemon and its object on the system bus.
public enum BusNames {
  public static let service = "io.github.keydebounce"
  public static let object = "/io/github/keydebounce"
  public static let interface = "io.github.keydebounce.Daemon1"
  public static let daemon = RemoteObject(service: service, path: object, interface: interface)

  /// The signal that ``Status`` has another answer now: a device has come or gone, was paused or reset, or the settings were
  /// reloaded. It has no arguments, and never depends on a key.
  public static let changed = "Changed"

  /// The errors with which the daemon answers a call.
  public enum Error {
    /// The daemon does not hold the device.
    public static let notHeld = "io.github.keydebounce.Error.NotHeld"
    /// The device is handed over to another program.
    public static let handedOver = "io.github.keydebounce.Error.Lent"
    /// The device has no such key.
    public static let noSuchKey = "io.github.keydebounce.Error.NoSuchKey"
    /// The answer cannot be made.
    public static let failed = "org.freedesktop.DBus.Error.Failed"
    /// The caller may not call this.
    public static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    /// An argument is too long.
    public static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
    /// Too many calls of the caller, or of all, wait for their answers, or too many watch or have devices handed over.
    public static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
    /// The device cannot be handed over or watched now.
    public static let busy = "io.github.keydebounce.Error.Busy"
  }
}

extension RemoteObject {
  /// The bus itself.
  public static let bus = RemoteObject(
    service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
    interface: "org.freedesktop.DBus")

  /// Which of its signals says that a name on the bus has another owner, or none any more.
  public static func ownerRule(of name: String) -> String {
    """
    type='signal',sender='\(bus.service)',path='\(bus.path)',interface='\(bus.interface)',\
    member='NameOwnerChanged',arg0='\(name)'
    """
  }
}

/// What the running daemon reports of itself: what travels over the bus as JSON, and what `status --json` prints.
///
/// Names of fields are written in snake case.
public struct DaemonStatus: Codable, Equatable, Sendable {
  /// The daemon's version, such as `0.1.0`.
  public var version: String
  /// Its process.
  public var pid: Int32
  /// For how long it has been running, in seconds. For all but root as of the last whole minute, as the counts are.
  public var uptime: Double
  /// When the counts were as they are here, in seconds since 1970; `nil` where there are none.
  public var countedAt: Double?
  public var configuration: ConfigurationStatus
  /// The devices that it has taken, in the order of their nodes.
  public var devices: [DeviceStatus]

  public init(
    version: String, pid: Int32, uptime: Double, countedAt: Double? = nil,
    configuration: ConfigurationStatus, devices: [DeviceStatus]
  ) {
    self.version = version
    self.pid = pid
    self.uptime = uptime
    self.countedAt = countedAt
    self.configuration = configuration
    self.devices = devices
  }
}

/// Which settings hold, and whether the files have changed since.
public struct ConfigurationStatus: Codable, Equatable, Sendable {
  /// The folder, such as `/etc/keydebounce`.
  public var path: String
  /// How many device files there are.
  public var deviceFiles: Int
  /// How often the settings were reloaded since the start, with and without success.
  public var reloads: Int
  /// What was wrong when the files were last read, one line for each error, without the names of keys; the earlier
  /// settings then still hold, or, at the start, devices of broken files are left alone. Empty if nothing was wrong.
  public var problems: [String]
  /// What was legal but unwise, one line for each, without the names of keys.
  public var warnings: [String]

  public init(
    path: String, deviceFiles: Int = 0, reloads: Int = 0, problems: [String] = [],
    warnings: [String] = []
  ) {
    self.path = path
    self.deviceFiles = deviceFiles
    self.reloads = reloads
    self.problems = problems
    self.warnings = warnings
  }
}

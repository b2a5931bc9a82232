import Debounce
import EventDevices

/// The running daemon's report to root: its socket carries it as JSON, and `status --json` prints it.
///
/// Names of fields are written in snake case.
public struct DaemonStatus: Codable, Equatable, Sendable {
  /// The format that is written. In format 1, all of a device, and all of a key, stood on one level.
  public static let presentFormat = 2

  public var format = presentFormat
  /// The daemon's version, such as `0.1.0`.
  public var version: String
  public var pid: Int32
  /// For how long it has been running, in seconds.
  public var uptime: Double
  /// When the counts were taken, in seconds since 1970.
  public var countedAt: Double
  public var configuration: ConfigurationStatus
  /// The devices that it has taken, in the order of their nodes.
  public var devices: [DeviceStatus]

  public init(
    version: String, pid: Int32, uptime: Double, countedAt: Double,
    configuration: ConfigurationStatus, devices: [DeviceStatus]
  ) {
    (self.version, self.pid, self.uptime, self.countedAt) = (version, pid, uptime, countedAt)
    (self.configuration, self.devices) = (configuration, devices)
  }
}

extension DaemonStatus {
  /// Whether the status is within what a daemon can report. One that was taken over could send more, over which a command
  /// would work for minutes.
  public var isPlausible: Bool {
    let files = [configuration.path] + devices.compactMap(\.file)
    let texts = files + configuration.problems + configuration.warnings
    let named = devices.flatMap(\.keyStrategies).count { $0.named != nil }
    // The kernel has no more than 1024 nodes, and every device that is held has a clone.
    return devices.count <= 512 && devices.allSatisfy(\.isPlausible)
      && version.utf8.count <= DeviceStatus.longest
      // A path has up to 4096 bytes, and a problem may name several.
      && texts.allSatisfy { $0.utf8.count <= 1 << 14 }
      // Each text is broken into the lines of a screen.
      && texts.reduce(0) { $0 + $1.utf8.count + 64 } <= 1 << 20
      // The cost of each named key is worked out.
      && named <= 1 << 14
  }
}

extension DeviceStatus {
  /// The longest name, in bytes. The kernel's are of 256, each of which may be shown as three.
  fileprivate static let longest = 1024

  fileprivate var isPlausible: Bool {
    let own = keyStrategies.flatMap { [$0.key, $0.strategy] }
    let names = [strategy] + panicChord + keys.map(\.key) + own
    return [keys.count, keyStrategies.count, panicChord.count].max() ?? 0 <= EventType.keyCount
      && device.name.utf8.count <= Self.longest && names.allSatisfy { $0.utf8.count <= 64 }
  }
}

/// Which settings hold, and what was wrong with the files when they were last read.
public struct ConfigurationStatus: Codable, Equatable, Sendable {
  /// The folder, such as `/etc/keydebounce`.
  public var path: String
  /// How many device files hold, those of calibrations included.
  public var deviceFiles: Int
  /// How often the settings were reloaded since the start, with and without success.
  public var reloads: Int
  /// The errors when the files were last read, a line each, without the names of keys. The earlier settings then still hold. At
  /// the start, devices of broken files are left alone, and files that cannot be read do not hold. Empty if nothing was wrong.
  public var problems: [String]
  /// Warnings of legal but unwise settings, a line each, without names of keys.
  public var warnings: [String]

  public init(
    path: String, deviceFiles: Int = 0, reloads: Int = 0, problems: [String] = [],
    warnings: [String] = []
  ) {
    (self.path, self.deviceFiles, self.reloads) = (path, deviceFiles, reloads)
    (self.problems, self.warnings) = (problems, warnings)
  }
}

/// The daemon's work on one device, and its counts.
@dynamicMemberLookup
public struct DeviceStatus: Codable, Equatable, Sendable {
  /// The state of the device in the daemon.
  public enum State: String, Codable, Sendable, CaseIterable {
    /// Its clone is being made ready; the device itself works meanwhile.
    case starting
    /// A key is down; the device is grabbed when it comes up.
    case waiting
    /// Another program has grabbed it.
    case busy
    /// Grabbed: what it sends is debounced.
    case debounced
    /// About to be given back.
    case leaving
  }

  /// The event node, such as `/dev/input/event3`.
  public var node: String
  public var device: DeviceIdentity
  public var state: State
  /// The device file that holds for it; `nil` for the defaults.
  public var file: String?
  /// The strategy of keys that have none of their own, as the configuration names it.
  public var strategy: String
  /// Its threshold, in microseconds; `nil` if it has none, or the daemon is one that does not report it.
  public var threshold: Microseconds?
  /// How many keys have a strategy of their own.
  public var ownKeys: Int

  /// The keys that are debounced in another way.
  public var keyStrategies: [KeyStrategy] = []
  /// The keys of the panic chord; empty where none can be held.
  public var panicChord: [String] = []

  /// The pause, in which everything passes as it is; `nil` if there is none.
  public var pause: DevicePause?
  public var counts: DeviceCounts

  public init(
    node: String, device: DeviceIdentity, state: State, file: String?, strategy: String,
    ownKeys: Int, counts: DeviceCounts
  ) {
    (self.node, self.device, self.state, self.file) = (node, device, state, file)
    (self.strategy, self.ownKeys, self.counts) = (strategy, ownKeys, counts)
  }

  public subscript<Value>(dynamicMember path: WritableKeyPath<DeviceIdentity, Value>) -> Value {
    get { device[keyPath: path] }
    set { device[keyPath: path] = newValue }
  }

  public var keys: [KeyStatus] { counts.keys }
}

/// A pause of a device: everything passes as it is.
public struct DevicePause: Codable, Equatable, Sendable {
  /// How many seconds it still lasts; `nil` if it lasts until somebody ends it, or the daemon starts anew.
  public var remaining: Double?

  public init(remaining: Double? = nil) {
    self.remaining = remaining
  }
}

/// The record of one key, reported and stored: the engine's counts, what the engine has learned, and whether the key is bad.
@dynamicMemberLookup
public struct KeyStatus: Codable, Equatable, Sendable {
  /// The key's name, such as `KEY_E`; its number if it has none.
  public var key: String
  public var counts: KeyCounts
  public var habits: LearnedHabits.Key
  /// Whether `adaptive` takes the key for bad now, or the settings name it.
  public var isBad: Bool
  /// The day on which its switch was found to be bad; `nil` if it is not.
  public var badSince: Day?

  public var code: KeyCode { habits.code }

  public init(key: String, code: KeyCode, counts: KeyCounts, isBad: Bool = false) {
    self.key = key
    self.counts = counts
    habits = LearnedHabits.Key(code)
    self.isBad = isBad
  }

  public subscript<Value>(dynamicMember path: KeyPath<KeyCounts, Value>) -> Value {
    counts[keyPath: path]
  }
}

/// How a key is debounced that has a strategy or parameters of its own. This is configuration: nothing here was counted.
public struct KeyStrategy: Codable, Equatable, Sendable {
  /// The key's name, such as `KEY_E`; its number if it has none.
  public var key: String
  public var code: KeyCode
  /// The strategy, as the configuration names it.
  public var strategy: String
  /// Its threshold, in microseconds; `nil` if it has none.
  public var threshold: Microseconds?
  /// How late a named key's edges may be; `nil` if the settings do not name the key.
  public var named: Adaptive.Windows?

  /// - Parameter threshold: The one that the configuration gives; `nil` if it gives none.
  public init(key: String, code: KeyCode, _ strategy: Strategy, threshold: Microseconds? = nil) {
    (self.key, self.code) = (key, code)
    (self.strategy, self.threshold) = (strategy.name, threshold ?? strategy.threshold)
    if case .adaptive(let rule) = strategy, rule.isNamed { named = rule.ofBadKeys }
  }

  /// The keys that have another strategy, or the same with other parameters, than other keys of their device, in the order of
  /// their numbers.
  ///
  /// - Parameters:
  ///   - thresholds: Those that the configuration gives for keys.
  ///   - keys: Keys to look at besides those that the rules name: encoders' keys have no strategy without being named.
  ///   - name: The name of a key.
  public static func all(
    in rules: Rules, _ thresholds: [KeyCode: Microseconds] = [:],
    among keys: some Sequence<KeyCode>, name: (KeyCode) -> String
  ) -> [KeyStrategy] {
    Set(rules.keys.keys).union(keys).sorted().compactMap { code in
      let strategy = rules.strategy(of: code)
      guard strategy != rules.strategy else { return nil }
      return KeyStrategy(key: name(code), code: code, strategy, threshold: thresholds[code])
    }
  }
}

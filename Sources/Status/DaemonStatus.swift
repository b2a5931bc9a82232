import Configuration
import Debounce
import EventDevices
import FoundationEssentials
import Terminal

/// What the running daemon reports of itself: what travels over the bus as JSON, and what `status --json` prints.
///
/// Names of fields are written in snake case.
public struct DaemonStatus: Codable, Equatable, Sendable {
  /// The format that is written: 1 had all of a device, and of a key, on one level.
  public static let presentFormat = 2

  public var format = presentFormat
  /// The daemon's version, such as `0.1.0`.
  public var version: String
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
    (self.version, self.pid, self.uptime, self.countedAt) = (version, pid, uptime, countedAt)
    (self.configuration, self.devices) = (configuration, devices)
  }
}

/// Which settings hold, and whether the files have changed since.
public struct ConfigurationStatus: Codable, Equatable, Sendable {
  /// The folder, such as `/etc/keydebounce`.
  public var path: String
  /// How many device files hold, those of calibrations included.
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
    (self.path, self.deviceFiles, self.reloads) = (path, deviceFiles, reloads)
    (self.problems, self.warnings) = (problems, warnings)
  }
}

/// What the daemon does with one device, and what it has counted of it, as far as whoever asks may know.
@dynamicMemberLookup
public struct DeviceStatus: Codable, Equatable, Sendable {
  /// What the daemon is doing with the device.
  public enum State: String, Codable, Sendable, CaseIterable {
    /// Its clone is being made ready; the device itself works meanwhile.
    case starting
    /// A key is down; the device is grabbed when it comes up.
    case waiting
    /// Another program has grabbed it.
    case busy
    /// Grabbed: what it sends is debounced.
    case debounced
    /// Handed over to `monitor`, `record` or `calibrate`; it works as if there were no daemon.
    case handedOver = "handed-over"
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

  /// Keys that are debounced in another way; empty for those who may not know what was counted of keys.
  public var keyStrategies: [KeyStrategy] = []
  /// Empty for those who may not know what was counted of keys, and where none can be held.
  public var panicChord: [String] = []

  /// Whether everything passes as it is, for a while; `nil` if not.
  public var pause: DevicePause?
  /// What was counted of it; `nil` for those who may not know.
  public var counts: DeviceCounts?

  public init(
    node: String, device: DeviceIdentity, state: State, file: String?, strategy: String,
    ownKeys: Int, counts: DeviceCounts? = nil
  ) {
    (self.node, self.device, self.state, self.file) = (node, device, state, file)
    (self.strategy, self.ownKeys, self.counts) = (strategy, ownKeys, counts)
  }

  public subscript<Value>(dynamicMember path: WritableKeyPath<DeviceIdentity, Value>) -> Value {
    get { device[keyPath: path] }
    set { device[keyPath: path] = newValue }
  }

  /// What was counted of each key; `nil` for those who may not know.
  public var keys: [KeyStatus]? { counts?.keys }
}

/// That a device is paused: everything passes as it is.
public struct DevicePause: Codable, Equatable, Sendable {
  /// For how many seconds more; `nil` until it is resumed, or the daemon starts anew. For all but root as of the last whole
  /// minute.
  public var remaining: Double?

  public init(remaining: Double? = nil) {
    self.remaining = remaining
  }

  public var inWords: String {
    let rest = remaining.map { "for \(Terminal.inWords(seconds: $0)) more" }
    return "everything passes, chatter too, \(rest ?? "until “keydebounce resume”")"
  }
}

/// What is reported and stored of one key: its counts as the engine has them, what it has learned, and what belongs to them.
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

/// How a key is debounced that is debounced in another way than its device: what the configuration says, nothing that was
/// counted.
public struct KeyStrategy: Codable, Equatable, Sendable {
  /// The key's name, such as `KEY_E`; its number if it has none.
  public var key: String
  public var code: KeyCode
  /// The strategy, as the configuration names it.
  public var strategy: String
  /// Its threshold, in microseconds; `nil` if it has none.
  public var threshold: Microseconds?
  /// How late it makes what; `nil` if the settings do not name the key.
  public var named: Adaptive.Windows?

  /// - Parameter threshold: The one that the configuration gives; `nil` if it gives none.
  public init(key: String, code: KeyCode, _ strategy: Strategy, threshold: Microseconds? = nil) {
    (self.key, self.code) = (key, code)
    (self.strategy, self.threshold) = (strategy.name, threshold ?? strategy.threshold)
    named = NamedKeyCost(of: strategy)?.windows
  }

  /// What it costs that the settings name the key; `nil` if they do not.
  public var cost: NamedKeyCost? {
    named.map { NamedKeyCost(threshold: threshold ?? Strategy.packagedThreshold, windows: $0) }
  }

  /// The keys that have another strategy, or the same with other parameters, than other keys of their device, in the order of
  /// their numbers.
  ///
  /// - Parameters:
  ///   - thresholds: Those that the configuration gives for keys.
  ///   - keys: Keys to look at besides those of which the rules say something: some have none without being named.
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

extension Strategy {
  /// Whether it judges by the gap between a release and the next press, and the threshold is one of gaps.
  public var judgesByGaps: Bool { threshold != nil && !isAccessibility && !suppressesStrokes }

  /// A strategy and its threshold in words: adaptive, threshold 25 ms.
  ///
  /// - Parameters:
  ///   - name: As the configuration names it.
  ///   - threshold: In microseconds; `nil` if it has none, or it is not known.
  public static func inWords(_ name: String, threshold: Microseconds?) -> String {
    name + (threshold.map { ", threshold \($0.inMilliseconds)" } ?? "")
  }
}

extension Microseconds {
  /// The time as the configuration has it, with its unit: 12.5 ms.
  public var inMilliseconds: String {
    (self % 1000 == 0 ? "\(self / 1000)" : "\(Double(self) / 1000)") + " ms"
  }
}

/// What is `null` in JSON, and not left out, where it is not known: every object has the same fields.
@propertyWrapper
public struct OrNull<Value: Encodable>: Encodable {
  public var wrappedValue: Value?

  public init(wrappedValue: Value?) {
    self.wrappedValue = wrappedValue
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

/// JSON as the daemon sends and stores it, and as commands write it: names in snake case, and nothing in it that a
/// terminal obeys.
public enum StatusJSON {
  public static func encode(_ value: some Encodable, isPretty: Bool = false) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting =
      isPretty
      ? [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      : [.sortedKeys, .withoutEscapingSlashes]
    return Array(String(decoding: try encoder.encode(value), as: UTF8.self).printableJSON.utf8)
  }

  /// Decodes a value from JSON.
  ///
  /// - Throws: `DecodingError` if the bytes are not JSON, or describe something else.
  public static func decode<Value: Decodable>(_: Value.Type, from bytes: [UInt8]) throws -> Value {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Value.self, from: Data(bytes))
  }
}

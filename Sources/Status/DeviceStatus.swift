import Debounce
import EventDevices
import Terminal

/// What the daemon does with one device, and what it has counted of it, as far as whoever asks may know.
@dynamicMemberLookup
public struct DeviceStatus: Equatable, Sendable {
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
    /// Lent to `monitor`, `record` or `calibrate`; it works as if there were no daemon.
    case lent
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
  /// The keys of its panic chord; empty for those who may not know what was counted of keys, and where none can be held.
  public var panicChord: [String] = []

  /// Whether everything passes as it is, for a while; `nil` if not.
  public var pause: DevicePause?
  /// What was counted of it; `nil` for those who may not know.
  public var counts: DeviceCounts?

  public init(
    node: String, device: DeviceIdentity, state: State, file: String?, strategy: String,
    ownKeys: Int, counts: DeviceCounts? = nil
  ) {
    self.node = node
    self.device = device
    self.state = state
    self.file = file
    self.strategy = strategy
    self.ownKeys = ownKeys
    self.counts = counts
  }

  public subscript<Value>(dynamicMember path: WritableKeyPath<DeviceIdentity, Value>) -> Value {
    get { device[keyPath: path] }
    set { device[keyPath: path] = newValue }
  }

  /// What was counted of each key; `nil` for those who may not know.
  public var keys: [KeyStatus]? { counts?.keys }
}

/// In JSON the device's name and numbers and what was counted stand beside the rest.
extension DeviceStatus: Codable {
  private enum Field: CodingKey {
    case node, state, file, strategy, threshold, ownKeys, keyStrategies, pause, keys,
      panicChord
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    node = try fields.decode(String.self, forKey: .node)
    state = try fields.decode(State.self, forKey: .state)
    file = try fields.decodeIfPresent(String.self, forKey: .file)
    strategy = try fields.decode(String.self, forKey: .strategy)
    threshold = try fields.decodeIfPresent(Microseconds.self, forKey: .threshold)
    ownKeys = try fields.decode(Int.self, forKey: .ownKeys)
    keyStrategies =
      try fields.decodeIfPresent([KeyStrategy].self, forKey: .keyStrategies) ?? []
    panicChord = try fields.decodeIfPresent([String].self, forKey: .panicChord) ?? []
    pause = try fields.decodeIfPresent(DevicePause.self, forKey: .pause)
    device = try DeviceIdentity(from: decoder)
    counts = fields.contains(.keys) ? try DeviceCounts(from: decoder) : nil
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(node, forKey: .node)
    try fields.encode(state, forKey: .state)
    try fields.encodeIfPresent(file, forKey: .file)
    try fields.encode(strategy, forKey: .strategy)
    try fields.encodeIfPresent(threshold, forKey: .threshold)
    try fields.encode(ownKeys, forKey: .ownKeys)
    if counts != nil, !keyStrategies.isEmpty {
      try fields.encode(keyStrategies, forKey: .keyStrategies)
    }
    if counts != nil, !panicChord.isEmpty { try fields.encode(panicChord, forKey: .panicChord) }
    try fields.encodeIfPresent(pause, forKey: .pause)
    try device.encode(to: encoder)
    try counts?.encode(to: encoder)
  }
}

/// That a device is paused: everything passes as it is.
public struct DevicePause: Codable, Equatable, Sendable {
  /// For how many seconds more; `nil` until it is resumed, or the daemon starts anew. For all but root as of the last whole
  /// minute.
  public var remaining: Double?

  public init(remaining: Double? = nil) {
    self.remaining = remaining
  }

  /// The pause in words.
  public var inWords: String {
    let rest = remaining.map { "for \(Terminal.inWords(seconds: $0)) more" }
    return "everything passes as it is, \(rest ?? "until “keydebounce resume”")"
  }
}

import Debounce
import Devices

/// What the daemon does with one device, and what it has counted of it.
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
  /// How many keys have a strategy of their own.
  public var ownKeys: Int

  /// What the engine has counted of all keys together since the device was plugged in.
  public var counters: Counters
  /// How often events were lost between the kernel and the daemon (`SYN_DROPPED`).
  public var resynchronisations: UInt64
  /// How many keys' drop-outs `adaptive` is bridging now.
  public var bridging: Int
  /// Whether a machine has typed on it since it was plugged in, as `adaptive` judges: a scanner, a macro. Renewed once a
  /// minute.
  public var typesLikeAMachine: Bool

  /// From the kernel's time stamp of a frame to its being written, in microseconds; of deferred frames, from their
  /// deadline. Class `n` holds what took less than 2ⁿ µs and not less than 2ⁿ⁻¹; the last has no end.
  public var latency: [UInt64]

  /// What was counted of each key, since it was first counted on this machine: the most chatter first. `nil` for users
  /// who may not see it.
  public var keys: [KeyStatus]?

  public init(
    node: String, device: DeviceIdentity, state: State, file: String?, strategy: String,
    ownKeys: Int, counters: Counters = Counters(), resynchronisations: UInt64 = 0,
    bridging: Int = 0, typesLikeAMachine: Bool = false, latency: [UInt64] = [],
    keys: [KeyStatus]? = nil
  ) {
    self.node = node
    self.device = device
    self.state = state
    self.file = file
    self.strategy = strategy
    self.ownKeys = ownKeys
    self.counters = counters
    self.resynchronisations = resynchronisations
    self.bridging = bridging
    self.typesLikeAMachine = typesLikeAMachine
    self.latency = latency
    self.keys = keys
  }

  public subscript<Value>(dynamicMember path: WritableKeyPath<DeviceIdentity, Value>) -> Value {
    get { device[keyPath: path] }
    set { device[keyPath: path] = newValue }
  }

  public subscript<Value>(dynamicMember path: WritableKeyPath<Counters, Value>) -> Value {
    get { counters[keyPath: path] }
    set { counters[keyPath: path] = newValue }
  }

  /// All chatter removed.
  public var chatter: UInt64 { counters.chatter }
}

/// In JSON the device's name and numbers and the counters are on the same level as the rest.
extension DeviceStatus: Codable {
  private enum Field: CodingKey {
    case node, state, file, strategy, ownKeys, resynchronisations, bridging, typesLikeAMachine
    case latency, keys
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    node = try fields.decode(String.self, forKey: .node)
    state = try fields.decode(State.self, forKey: .state)
    file = try fields.decodeIfPresent(String.self, forKey: .file)
    strategy = try fields.decode(String.self, forKey: .strategy)
    ownKeys = try fields.decode(Int.self, forKey: .ownKeys)
    resynchronisations = try fields.decode(UInt64.self, forKey: .resynchronisations)
    bridging = try fields.decode(Int.self, forKey: .bridging)
    // Those of before did not know.
    typesLikeAMachine =
      try fields.decodeIfPresent(Bool.self, forKey: .typesLikeAMachine) ?? false
    latency = try fields.decode([UInt64].self, forKey: .latency)
    keys = try fields.decodeIfPresent([KeyStatus].self, forKey: .keys)
    device = try DeviceIdentity(from: decoder)
    counters = try Counters(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(node, forKey: .node)
    try fields.encode(state, forKey: .state)
    try fields.encodeIfPresent(file, forKey: .file)
    try fields.encode(strategy, forKey: .strategy)
    try fields.encode(ownKeys, forKey: .ownKeys)
    try fields.encode(resynchronisations, forKey: .resynchronisations)
    try fields.encode(bridging, forKey: .bridging)
    try fields.encode(typesLikeAMachine, forKey: .typesLikeAMachine)
    try fields.encode(latency, forKey: .latency)
    try fields.encodeIfPresent(keys, forKey: .keys)
    try device.encode(to: encoder)
    try counters.encode(to: encoder)
  }
}

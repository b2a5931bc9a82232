/// What the daemon does with one device, and what it has counted of it.
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
    /// Lent to `monitor`, `record` or `calibrate`; it works as if there were no daemon.
    case lent
    /// About to be given back.
    case leaving
  }

  /// The event node, as `/dev/input/event3`.
  public var node: String
  public var name: String
  /// The numbers of the bus, vendor, product and version.
  public var bus: UInt16
  public var vendor: UInt16
  public var product: UInt16
  public var version: UInt16
  public var state: State
  /// The device file that holds for it; `nil` for the defaults.
  public var file: String?
  /// The strategy of keys that have none of their own, as the configuration names it.
  public var strategy: String
  /// How many keys have a strategy of their own.
  public var ownKeys: Int

  /// Presses in and out, and what was removed, of all keys together, since the device was plugged in.
  public var pressesIn: UInt64
  public var pressesOut: UInt64
  public var pressBounces: UInt64
  public var releaseBounces: UInt64
  public var dropOuts: UInt64
  public var throttled: UInt64
  public var lockedOut: UInt64
  /// How often events were lost between the kernel and the daemon (`SYN_DROPPED`).
  public var resynchronisations: UInt64
  /// How many keys' drop-outs `adaptive` is bridging now.
  public var bridging: Int

  /// From the kernel's time stamp of a frame to its being written, in microseconds; of deferred frames, from their
  /// deadline. Class `n` holds what took less than 2ⁿ µs and not less than 2ⁿ⁻¹; the last has no end.
  public var latency: [UInt64]

  /// What was counted of each key, since it was first counted on this machine: the most chatter first. `nil` for those
  /// who may not know.
  public var keys: [KeyStatus]?

  public init(
    node: String, name: String, bus: UInt16, vendor: UInt16, product: UInt16, version: UInt16,
    state: State, file: String?, strategy: String, ownKeys: Int, pressesIn: UInt64 = 0,
    pressesOut: UInt64 = 0, pressBounces: UInt64 = 0, releaseBounces: UInt64 = 0,
    dropOuts: UInt64 = 0, throttled: UInt64 = 0, lockedOut: UInt64 = 0,
    resynchronisations: UInt64 = 0, bridging: Int = 0, latency: [UInt64] = [],
    keys: [KeyStatus]? = nil
  ) {
    self.node = node
    self.name = name
    self.bus = bus
    self.vendor = vendor
    self.product = product
    self.version = version
    self.state = state
    self.file = file
    self.strategy = strategy
    self.ownKeys = ownKeys
    self.pressesIn = pressesIn
    self.pressesOut = pressesOut
    self.pressBounces = pressBounces
    self.releaseBounces = releaseBounces
    self.dropOuts = dropOuts
    self.throttled = throttled
    self.lockedOut = lockedOut
    self.resynchronisations = resynchronisations
    self.bridging = bridging
    self.latency = latency
    self.keys = keys
  }

  /// All chatter removed.
  public var chatter: UInt64 { pressBounces + releaseBounces + dropOuts }
}

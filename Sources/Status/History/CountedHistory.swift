import Debounce
import EventDevices

/// What was counted of each key on each day: what `status --history --json` writes.
public struct CountedHistory: Codable, Equatable, Sendable {
  public var devices: [Device]

  public init(devices: [Device]) {
    self.devices = devices
  }

  /// A device, and the days of which anything is kept, the oldest first.
  public struct Device: Equatable, Sendable {
    /// Its node, such as `/dev/input/event3`.
    public var node: String
    public var device: DeviceIdentity
    public var days: [OneDay]

    /// - Parameter name: The name of a key.
    public init(
      node: String, device: DeviceIdentity, days: [Day: KeyDays], name: (KeyCode) -> String
    ) {
      self.node = node
      self.device = device
      self.days = days.sorted { $0.key < $1.key }.map { day, keys in
        OneDay(
          day: day,
          keys: keys.sorted { $0.key < $1.key }.map { code, counts in
            Key(key: name(code), code: code, counts: counts)
          })
      }
    }
  }

  /// A day (UTC), and the keys that were pressed on it.
  public struct OneDay: Codable, Equatable, Sendable {
    public var day: Day
    public var keys: [Key]
  }

  /// What was counted of a key on a day.
  public struct Key: Equatable, Sendable {
    /// The key's name, such as `KEY_E`.
    public var key: String
    /// Its number.
    public var code: KeyCode
    public var counts: KeyDay
  }
}

/// In JSON the device's name and numbers are on the same level as its days.
extension CountedHistory.Device: Codable {
  private enum Field: CodingKey {
    case node, days
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    node = try fields.decode(String.self, forKey: .node)
    days = try fields.decode([CountedHistory.OneDay].self, forKey: .days)
    device = try DeviceIdentity(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(node, forKey: .node)
    try fields.encode(days, forKey: .days)
    try device.encode(to: encoder)
  }
}

/// In JSON the counts are on the same level as the name.
extension CountedHistory.Key: Codable {
  private enum Field: CodingKey {
    case key, code, strokes, pressBounces, releaseBounces, dropOuts
  }

  private static let counts: [(Field, WritableKeyPath<KeyDay, UInt32> & Sendable)] = [
    (.strokes, \.strokes), (.pressBounces, \.pressBounces), (.releaseBounces, \.releaseBounces),
    (.dropOuts, \.dropOuts),
  ]

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    key = try fields.decode(String.self, forKey: .key)
    code = try fields.decode(KeyCode.self, forKey: .code)
    counts = KeyDay()
    for (field, count) in Self.counts {
      counts[keyPath: count] = try fields.decode(UInt32.self, forKey: field)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(key, forKey: .key)
    try fields.encode(code, forKey: .code)
    for (field, count) in Self.counts { try fields.encode(counts[keyPath: count], forKey: field) }
  }
}

import Debounce
import EventDevices

/// The counts of each key on each day, as `status --history --json` writes them.
public struct CountedHistory: Codable, Equatable, Sendable {
  public var devices: [Device]

  public init(devices: [Device]) {
    self.devices = devices
  }

  /// A device, and the days of which anything is kept, the oldest first.
  public struct Device: Codable, Equatable, Sendable {
    /// Its node, such as `/dev/input/event3`.
    public var node: String
    public var device: DeviceIdentity
    public var days: [OneDay]

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

  /// The counts of a key on a day.
  public struct Key: Codable, Equatable, Sendable {
    /// The key's name, such as `KEY_E`.
    public var key: String
    public var code: KeyCode
    public var counts: KeyDay
  }
}

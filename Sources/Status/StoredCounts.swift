import Debounce
import EventDevices

/// A file of the daemon's state folder: what was counted of one device's keys while the daemon ran, and what was learned.
///
/// The daemon reads and writes such files; `calibrate --from-stats` reads them, too.
public struct StoredCounts: Equatable, Sendable {
  /// The format that is written. Files of a higher one are of a newer version, and left alone.
  public static let presentFormat = 1

  public var format = presentFormat
  /// Which device it is, for people who read the file.
  public var device: DeviceIdentity
  public var keys: [KeyStatus]
  /// How long keys of the device are usually held, in microseconds; `nil` in files of versions that did not keep it.
  public var usualHold: Microseconds?
  /// The day on which counting and learning began; `nil` as above.
  public var since: Day?

  public init(of device: DeviceIdentity, keys: [KeyStatus]) {
    self.device = device
    self.keys = keys
  }

  /// What was learned of the device.
  public var habits: LearnedHabits {
    LearnedHabits(usualHold: usualHold, keys: keys)
  }
}

extension LearnedHabits {
  /// What a status or a stored file says.
  public init(usualHold: Microseconds?, keys: [KeyStatus]) {
    self.init(
      usualHold: usualHold ?? Self.packagedHold,
      keys: keys.map(\.habits).filter { !$0.isEmpty }
        .sorted { $0.code < $1.code })
  }
}

/// In JSON the device's name and numbers are on the same level as the keys.
extension StoredCounts: Codable {
  private enum Field: CodingKey {
    case format, keys, usualHold, since
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    format = try fields.decode(Int.self, forKey: .format)
    keys = try fields.decode([KeyStatus].self, forKey: .keys)
    usualHold = try fields.decode(in: LearnedHabits.usualHolds, forKey: .usualHold)
    since = try fields.decodeIfPresent(Day.self, forKey: .since)
    device = try DeviceIdentity(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(format, forKey: .format)
    try fields.encode(keys, forKey: .keys)
    try fields.encodeIfPresent(usualHold, forKey: .usualHold)
    try fields.encodeIfPresent(since, forKey: .since)
    try device.encode(to: encoder)
  }
}

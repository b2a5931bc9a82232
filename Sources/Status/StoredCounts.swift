import Devices

/// A file of the daemon's state folder: what was counted of one device's keys while the daemon ran.
///
/// The daemon reads and writes such files; `calibrate --from-stats` reads them, too.
public struct StoredCounts: Equatable, Sendable {
  /// The format that is written. This version cannot read files in another one.
  public static let presentFormat = 1

  public var format = presentFormat
  /// Which device it is, for people who read the file.
  public var device: DeviceIdentity
  public var keys: [KeyStatus]

  public init(of device: DeviceIdentity, keys: [KeyStatus]) {
    self.device = device
    self.keys = keys
  }
}

/// In JSON the device's name and numbers are on the same level as the keys.
extension StoredCounts: Codable {
  private enum Field: CodingKey {
    case format, keys
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    format = try fields.decode(Int.self, forKey: .format)
    keys = try fields.decode([KeyStatus].self, forKey: .keys)
    device = try DeviceIdentity(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(format, forKey: .format)
    try fields.encode(keys, forKey: .keys)
    try device.encode(to: encoder)
  }
}

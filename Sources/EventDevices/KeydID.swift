import Files

/// The identifier that the remapper keyd (2.5 and 2.6) has for a device in the section `[ids]` of its files, as `keyd monitor`
/// shows it: vendor, product, and a hash of the name and of what the device can send.
public struct KeydID: Equatable, Sendable, CustomStringConvertible {
  public let description: String

  /// - Parameter capabilities: All that the device can send.
  public init(_ identity: DeviceIdentity, _ capabilities: DeviceCapabilities) {
    let (key, relative, absolute): (UInt16, UInt16, UInt16) = (1, 2, 3)
    /// A bit for each of the first eight codes, which are all that keyd looks at.
    func mask(_ type: UInt16) -> UInt32 {
      (capabilities.codes[type] ?? []).reduce(0) { $1 < 8 ? $0 | 1 << UInt32($1) : $0 }
    }
    let keys = UInt32(capabilities.codes[key]?.count ?? 0)
    var hash: UInt32 = 5183
    for part in [keys >> 24, keys >> 16 & 0xff, keys >> 8 & 0xff, keys & 0xff] {
      hash = hash &* 33 &+ part
    }
    hash = hash &* 33 &+ mask(absolute)
    hash = hash &* 33 &+ mask(relative)
    for byte in identity.name.utf8 {
      // C's char has a sign on some machines.
      hash = hash &* 33 &+ UInt32(truncatingIfNeeded: Int32(CChar(truncatingIfNeeded: byte)))
    }
    description = "\(identity.numbers):\(hash.hexadecimal(digits: 8))"
  }
}

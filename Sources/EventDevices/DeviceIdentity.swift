import Files

/// The name and numbers that an input device gives itself, as the kernel reports them.
///
/// All parts that deal with devices use this one description: nodes and open devices (EventDevices), recordings (Recording),
/// the choice of settings (Configuration), and the daemon's reports and counts (Status).
public struct DeviceIdentity: Hashable, Sendable {
  public var name: String
  /// The number of the bus (`BUS_*`).
  public var bus: UInt16
  public var vendor, product, version: UInt16
  /// Where the device is plugged in, according to its driver; `nil` if that is not known, as for a recording.
  public var phys: String?
  /// The device's serial number or address, empty if it has none; `nil` if that is not known.
  public var uniq: String?

  public init(
    name: String, bus: UInt16 = 0, vendor: UInt16 = 0, product: UInt16 = 0, version: UInt16 = 0,
    phys: String? = nil, uniq: String? = nil
  ) {
    (self.name, self.phys, self.uniq) = (name, phys, uniq)
    (self.bus, self.vendor, self.product, self.version) = (bus, vendor, product, version)
  }
}

extension DeviceIdentity {
  /// The vendor and the product as people write them: 3434:0120.
  public var numbers: String { "\(vendor.hexadecimal()):\(product.hexadecimal())" }

  /// The identity that the nodes of one keyboard share: without the name, and without the end of `phys`, as in
  /// `usb-0000:00:14.0-2/input1`. Keyboards by radio are told apart by their address. `nil` if neither is known.
  public var keyboard: DeviceIdentity? {
    var keyboard = self
    keyboard.name = ""
    if let phys, let slash = phys.lastIndex(of: "/"), phys[slash...].hasPrefix("/input") {
      keyboard.phys = String(phys[..<slash])
      return keyboard
    }
    return uniq?.isEmpty ?? true ? nil : keyboard
  }
}

/// The daemon reports and stores the name and the numbers, without `phys` and `uniq`, which would tell a person's one device
/// from all others of its kind.
extension DeviceIdentity: Codable {
  private enum CodingKeys: CodingKey {
    case name, bus, vendor, product, version
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try fields.decode(String.self, forKey: .name),
      bus: try fields.decode(UInt16.self, forKey: .bus),
      vendor: try fields.decode(UInt16.self, forKey: .vendor),
      product: try fields.decode(UInt16.self, forKey: .product),
      // Stored counts have no version.
      version: try fields.decodeIfPresent(UInt16.self, forKey: .version) ?? 0)
  }
}

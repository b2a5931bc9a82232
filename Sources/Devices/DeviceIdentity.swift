/// The name and numbers that an input device gives itself, as the kernel reports them.
///
/// Everything that deals with devices goes by this one description: nodes and open devices (EventDevices), recordings
/// (Recording), the choice of settings (Configuration), and what the daemon reports and stores (Status).
public struct DeviceIdentity: Hashable, Sendable {
  public var name: String
  /// The number of the bus (`BUS_*`).
  public var bus: UInt16
  public var vendor: UInt16
  public var product: UInt16
  public var version: UInt16
  /// Where it is plugged in, according to its driver; `nil` if that is not known, as of a recording.
  public var phys: String?
  /// Its serial number or address, empty if it has none; `nil` if that is not known.
  public var uniq: String?

  public init(
    name: String, bus: UInt16 = 0, vendor: UInt16 = 0, product: UInt16 = 0, version: UInt16 = 0,
    phys: String? = nil, uniq: String? = nil
  ) {
    self.name = name
    self.bus = bus
    self.vendor = vendor
    self.product = product
    self.version = version
    self.phys = phys
    self.uniq = uniq
  }
}

extension DeviceIdentity {
  /// What the nodes of one keyboard have in common: all except their names, and the end of where they are plugged in, such as
  /// `usb-0000:00:14.0-2/input1`. By radio, their address tells them. `nil` if neither is known.
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

/// What the daemon reports and stores: the name and the numbers, neither where the device is plugged in nor which one
/// of its kind it is.
extension DeviceIdentity: Codable {
  private enum Field: CodingKey {
    case name, bus, vendor, product, version
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    self.init(
      name: try fields.decode(String.self, forKey: .name),
      bus: try fields.decode(UInt16.self, forKey: .bus),
      vendor: try fields.decode(UInt16.self, forKey: .vendor),
      product: try fields.decode(UInt16.self, forKey: .product),
      // Counts are stored without it.
      version: try fields.decodeIfPresent(UInt16.self, forKey: .version) ?? 0)
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(name, forKey: .name)
    try fields.encode(bus, forKey: .bus)
    try fields.encode(vendor, forKey: .vendor)
    try fields.encode(product, forKey: .product)
    try fields.encode(version, forKey: .version)
  }
}

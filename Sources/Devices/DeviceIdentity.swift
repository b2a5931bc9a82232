/// Who an input device says it is: what the kernel reports of every one.
///
/// Everything that deals with devices goes by this one description: nodes and open devices (EventDevices), recordings
/// (Recording), the choice of settings (Configuration), and what the daemon reports and stores (Status).
public struct DeviceIdentity: Hashable, Codable, Sendable {
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

import Debounce

/// What is known of a device when its settings are chosen.
public struct DeviceIdentity: Equatable, Sendable {
  public var name: String
  public var vendor: UInt16
  public var product: UInt16
  public var version: UInt16
  /// Where it is plugged in, as its driver says; `nil` if that is not known, as of a recording.
  public var phys: String?
  /// Its serial number or address; `nil` if that is not known.
  public var uniq: String?
  /// The links to it, as `/dev/input/by-id/usb-…-event-kbd`; `nil` if they are not known.
  public var links: [String]?
  /// What udev knows of it, as `ID_SERIAL_SHORT`; `nil` if that is not known.
  public var properties: [String: String]?

  public init(
    name: String, vendor: UInt16, product: UInt16, version: UInt16, phys: String? = nil,
    uniq: String? = nil, links: [String]? = nil, properties: [String: String]? = nil
  ) {
    self.name = name
    self.vendor = vendor
    self.product = product
    self.version = version
    self.phys = phys
    self.uniq = uniq
    self.links = links
    self.properties = properties
  }
}

/// A device that is plugged in, to hold the configuration against.
public struct PresentDevice: Equatable, Sendable {
  public var identity: DeviceIdentity
  /// The keys and buttons that it has.
  public var keys: Set<KeyCode>

  public init(identity: DeviceIdentity, keys: Set<KeyCode>) {
    self.identity = identity
    self.keys = keys
  }
}

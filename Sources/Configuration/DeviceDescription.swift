import Debounce
import EventDevices

/// The facts about a device by which its settings are chosen. More is known of a device that is plugged in than of a recording.
@dynamicMemberLookup
public struct DeviceDescription: Equatable, Sendable {
  public var identity: DeviceIdentity
  /// The links to the device, such as `/dev/input/by-id/usb-…-event-kbd`; `nil` if they are not known.
  public var links: [String]?
  /// The device's properties by udev, such as `ID_SERIAL_SHORT`; `nil` if they are not known.
  public var properties: [String: String]?
  /// The device's keys and buttons; `nil` if they are not known.
  public var keys: KeySet?
  /// Whether another program made the device.
  public var isVirtual: Bool

  /// The kinds that udev takes the device for; none if they are not known.
  public var kinds: Set<DeviceNode.Kind> { DeviceNode.Kind.all(by: properties ?? [:]) }

  /// The seat to which it belongs; `nil` if that is not known.
  public var seat: String? { properties.map(Seat.of) }

  public init(
    _ identity: DeviceIdentity, links: [String]? = nil, properties: [String: String]? = nil,
    keys: KeySet? = nil, isVirtual: Bool = false
  ) {
    (self.identity, self.links, self.properties) = (identity, links, properties)
    (self.keys, self.isVirtual) = (keys, isVirtual)
  }

  public init(_ node: DeviceNode) {
    self.init(
      node.identity, links: node.links, properties: node.properties, keys: node.keys,
      isVirtual: node.isVirtual)
  }

  public subscript<Value>(dynamicMember path: WritableKeyPath<DeviceIdentity, Value>) -> Value {
    get { identity[keyPath: path] }
    set { identity[keyPath: path] = newValue }
  }
}

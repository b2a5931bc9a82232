import Debounce
import EventDevices

/// What is known of a device when its settings are chosen: more of one that is plugged in than of a recording.
@dynamicMemberLookup
public struct DeviceDescription: Equatable, Sendable {
  public var identity: DeviceIdentity
  /// The links to it, such as `/dev/input/by-id/usb-…-event-kbd`; `nil` if they are not known.
  public var links: [String]?
  /// Its udev properties, such as `ID_SERIAL_SHORT`; `nil` if they are not known.
  public var properties: [String: String]?
  /// The keys and buttons that it has; `nil` if they are not known.
  public var keys: KeySet?
  /// Whether another program made it.
  public var isVirtual: Bool

  /// What udev takes it for; nothing if that is not known.
  public var kinds: Set<DeviceNode.Kind> { DeviceNode.Kind.all(by: properties ?? [:]) }

  /// The seat to which it belongs; `nil` if that is not known.
  public var seat: String? { properties.map(Seat.of) }

  public init(
    _ identity: DeviceIdentity, links: [String]? = nil, properties: [String: String]? = nil,
    keys: KeySet? = nil, isVirtual: Bool = false
  ) {
    self.identity = identity
    self.links = links
    self.properties = properties
    self.keys = keys
    self.isVirtual = isVirtual
  }

  public subscript<Value>(dynamicMember path: WritableKeyPath<DeviceIdentity, Value>) -> Value {
    get { identity[keyPath: path] }
    set { identity[keyPath: path] = newValue }
  }
}

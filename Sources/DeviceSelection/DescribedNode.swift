import Configuration
import Debounce
import EventDevices

extension DeviceIdentity {
  /// What udev knows of the device.
  public init(_ node: DeviceNode) {
    self.init(
      name: node.name, vendor: node.vendor, product: node.product, version: node.version,
      phys: node.phys, uniq: node.uniq, links: node.links, properties: node.properties)
  }
}

extension PresentDevice {
  /// A device that is plugged in, to check the configuration against.
  public init(_ node: DeviceNode) {
    self.init(
      identity: DeviceIdentity(node),
      keys: Set((0..<KeyCode(EventType.keyCount)).filter { node.keys.contains($0) }))
  }
}

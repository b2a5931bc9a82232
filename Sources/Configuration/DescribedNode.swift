import EventDevices

extension DeviceDescription {
  /// What udev knows of a device that is plugged in.
  public init(_ node: DeviceNode) {
    self.init(
      node.identity, links: node.links, properties: node.properties, keys: node.keys,
      isVirtual: node.isVirtual)
  }
}

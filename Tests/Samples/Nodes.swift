import Debounce
import EventDevices

/// A node as udev could describe it.
///
/// - Parameters:
///   - kinds: What udev takes the device for, beside what `properties` say.
///   - place: The folder of the input device, below `/sys/devices`.
public func node(
  _ number: Int = 3, _ name: String = "Some device", kinds: Set<DeviceNode.Kind> = [.keyboard],
  vendor: UInt16 = 0x3434, product: UInt16 = 0x12, phys: String = "usb-1/input0",
  at place: String? = nil, keys: KeySet = KeySet(1...100), links: [String] = [],
  _ properties: [String: String] = [:]
) -> DeviceNode {
  let ofKinds = kinds.map { ("ID_INPUT_" + $0.rawValue.uppercased(), "1") }
  return DeviceNode(
    id: .init(
      syspath: "/sys/devices/\(place ?? "pci/input\(number)")/event\(number)",
      number: UInt64(number)),
    path: "/dev/input/event\(number)", links: links,
    identity: DeviceIdentity(
      name: name, bus: 3, vendor: vendor, product: product, version: 1, phys: phys, uniq: ""),
    properties: Dictionary(uniqueKeysWithValues: ofKinds).merging(properties) { $1 }, keys: keys)
}

/// A keyboard's node with these properties.
public func node(_ properties: [String: String]) -> DeviceNode {
  node(3, kinds: [.keyboard], properties)
}

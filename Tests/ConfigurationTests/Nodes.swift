import Configuration
import Debounce
@testable import EventDevices

/// A node as udev describes it.
func node(
  kinds: Set<DeviceNode.Kind> = [.keyboard], phys: String = "usb-1/input0",
  syspath: String = "/sys/devices/pci/input3/event3", keys: KeySet = KeySet(1...100),
  vendor: UInt16 = 0x3434, links: [String] = [], _ properties: [String: String] = [:]
) -> DeviceNode {
  DeviceNode(
    id: .init(syspath: syspath, number: 3), path: "/dev/input/event3",
    links: links,
    identity: DeviceIdentity(
      name: "Some device", bus: 3, vendor: vendor, product: 0x12, version: 1, phys: phys,
      uniq: ""),
    properties: kinds.reduce(into: properties) {
      $0["ID_INPUT_" + $1.rawValue.uppercased()] = "1"
    }, keys: keys)
}

func isTaken(
  _ node: DeviceNode, by settings: Settings = .packaged, _ selection: Selection = .automatic
) -> Bool {
  selection.takes(node, by: settings)
}

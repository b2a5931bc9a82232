import Debounce
@testable import EventDevices
import Files
import Foundation
import Testing

@Suite("The mark of a clone")
struct CloneMarkTests {
  private let folder = NSTemporaryDirectory() + "marks-\(UUID().uuidString)"

  private func node(
    _ place: String, phys: String, _ properties: [String: String] = [:]
  ) -> DeviceNode {
    DeviceNode(
      id: .init(syspath: "/sys/devices/\(place)", number: 1),
      path: "/dev/input/\(place.split(separator: "/").last ?? "")", links: [],
      identity: DeviceIdentity(
        name: "K2", bus: 3, vendor: 0x3434, product: 0x12, version: 1, phys: phys, uniq: ""),
      properties: properties, keys: KeySet())
  }

  @Test("says whose clone it is, and goes with all others; other files stay")
  func file() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try "".write(toFile: folder + "/lock", atomically: true, encoding: .utf8)
    let source = node("pci/usb1/input/input7/event5", phys: "usb-1/input0")
    let clone = "/sys/devices/virtual/input/input44"
    let marks = try [false, true].map {
      let mark = CloneMark(for: source, claimsLinks: $0, below: folder)
      mark.announce()
      defer { mark.endAnnouncement() }
      #expect(try entries(of: folder).contains("clone-to-come"))
      return try mark.make(for: clone)
    }
    #expect(try !entries(of: folder).contains("clone-to-come"))
    #expect(
      marks == ["of", "as"].map { "\(folder)/clone-input44-\($0)-input7" })
    #expect(try Data(contentsOf: URL(fileURLWithPath: marks[0])).isEmpty)
    // Whatever is there is left as it is.
    #expect(throws: (any Error).self) {
      try CloneMark(for: source, claimsLinks: false, below: folder).make(for: clone)
    }
    CloneMark(for: source, claimsLinks: false, below: folder).announce()
    CloneMark.removeAll(below: folder)
    #expect(try entries(of: folder) == ["lock"])
    CloneMark.removeAll(below: folder + "/missing")
  }

  @Test("tells the clones of two nodes in one place apart, and from a stranger's device")
  func identity() {
    let nodes = (7...8).map { node("pci/input/input\($0)/event\($0)", phys: "usb-1/input0") }
    let phys = "keydebounce/usb-1/input0"
    let stranger = node("virtual/input/input9/event9", phys: phys)
    let clones = (7...8).map {
      node(
        "virtual/input/input1\($0)/event1\($0)", phys: phys, ["KEYDEBOUNCE_SOURCE": "input\($0)"])
    }
    for (source, clone) in zip(nodes, clones) {
      #expect(source.clone(among: [stranger] + clones) == clone)
    }
    // Without udev's rule, nothing tells more than the place.
    #expect(nodes[0].clone(among: [stranger]) == stranger)
    #expect(nodes[0].clone(among: nodes) == nil)
  }
}

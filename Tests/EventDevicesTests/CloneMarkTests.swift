import Debounce
@testable import EventDevices
import Files
import Foundation
import Samples
import Testing

@Suite("The mark of a clone")
struct CloneMarkTests {
  private let folder = NSTemporaryDirectory() + "marks-\(UUID().uuidString)"

  @Test("says whose clone it is, and goes with all others; other files stay")
  func file() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try "".write(toFile: folder + "/lock", atomically: true, encoding: .utf8)
    let source = node(5, at: "pci/usb1/input/input7")
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
    let nodes = (7...8).map { node($0) }
    let phys = "keydebounce/usb-1/input0"
    let stranger = node(9, phys: phys, at: "virtual/input/input9")
    let clones = (7...8).map {
      node(
        10 + $0, phys: phys, at: "virtual/input/input1\($0)", ["KEYDEBOUNCE_SOURCE": "input\($0)"])
    }
    for (source, clone) in zip(nodes, clones) {
      #expect(source.clone(among: [stranger] + clones) == clone)
    }
    // Without udev's rule, nothing tells more than the place.
    #expect(nodes[0].clone(among: [stranger]) == stranger)
    #expect(nodes[0].clone(among: nodes) == nil)
  }
}

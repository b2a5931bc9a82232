import Debounce
import Devices
import Testing

@testable import EventDevices

@Suite("Links to a clone")
struct CloneLinksTests {
  private func node(phys: String = "usb-0000:00:14.0-1/input0", links: [String]) -> DeviceNode {
    DeviceNode(
      id: .init(syspath: "/sys/devices/pci/input1/event1", number: 1), path: "/dev/input/event1",
      links: links, kinds: .keyboard,
      identity: DeviceIdentity(
        name: "K2", bus: 3, vendor: 0x3434, product: 0x12, version: 1, phys: phys, uniq: ""),
      properties: [:], keys: KeySet())
  }

  private let links = [
    "/dev/input/by-path/pci-0000:00:14.0-usb-0:1:1.0-event-kbd",
    "/dev/input/by-id/usb-Keychron_K2-event-kbd",
  ]

  @Test("the clone has one of its own, named after that of its source by the latter's identity")
  func own() throws {
    let told = try #require(CloneLinks(to: node(links: links), claims: false))
    #expect(told.path == "clones/keydebounce/usb-0000:00:14.0-1/input0")
    #expect(
      told.text == "KEYDEBOUNCE_LINK=input/by-id/keydebounce-usb-Keychron_K2-event-kbd\n")
    let elsewhere = try #require(CloneLinks(to: node(links: [links[0]]), claims: false))
    #expect(
      elsewhere.text
        == "KEYDEBOUNCE_LINK=input/by-path/keydebounce-pci-0000:00:14.0-usb-0:1:1.0-event-kbd\n")
  }

  @Test("and those of its source, if it is to have them")
  func claimed() throws {
    let told = try #require(CloneLinks(to: node(links: links), claims: true))
    #expect(
      told.text.split(separator: "\n").dropFirst() == [
        "KEYDEBOUNCE_CLAIM_0=input/by-id/usb-Keychron_K2-event-kbd",
        "KEYDEBOUNCE_CLAIM_1=input/by-path/pci-0000:00:14.0-usb-0:1:1.0-event-kbd",
      ])
  }

  @Test(
    "a place that could lead out of the folder is not written to",
    arguments: ["", "../../etc/x", "usb-1/../../x", "/etc/x", "usb-1//x", "usb-1/", "."])
  func danger(phys: String) {
    #expect(CloneLinks(to: node(phys: phys, links: links), claims: true) == nil)
  }

  @Test("links elsewhere, and those that would be two properties, are not passed on")
  func otherLinks() {
    let links = ["/dev/mykeyboard", "/dev/input/by-id/a b", "/dev/input/by-id/a\nKEY=1"]
    #expect(CloneLinks(to: node(links: links), claims: true) == nil)
  }
}

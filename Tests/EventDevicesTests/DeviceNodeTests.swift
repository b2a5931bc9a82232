import Debounce
import Testing

@testable import EventDevices

@Suite("A node as udev describes it")
struct DeviceNodeTests {
  private func node(_ properties: [String: String], at now: Int64 = 0) -> DeviceNode {
    DeviceNode(
      id: .init(syspath: "/sys/devices/pci/input3/event3", number: 3), path: "/dev/input/event3",
      links: ["/dev/input/by-id/usb-Some_device-event-kbd"],
      identity: DeviceIdentity(name: "Some device", bus: 3, phys: "", uniq: ""),
      properties: properties, keys: KeySet([30]), at: now)
  }

  private let known = ["USEC_INITIALIZED": "5000", "ID_INPUT_KEYBOARD": "1"]

  private func event(
    _ action: String, _ number: Int, _ more: [String: String] = [:], at now: Int64
  ) -> DeviceNode {
    let ofEvent = ["ACTION": action, "SEQNUM": "\(number)", "SYNTH_UUID": "\(number)"]
    return node(known.merging(ofEvent) { $1 }.merging(more) { $1 }, at: now)
  }

  @Test("is the same for each event of a device that stays as it is")
  func events() {
    let first = event("add", 1, at: 7000)
    let second = event("change", 2, at: 90_000_000)
    #expect(first == second)
    #expect(first == node(known))
    #expect(first.properties == known)
    #expect(first != event("change", 2, ["ID_SEAT": "seat-2"], at: 7000))
    #expect(first != event("change", 2, ["ID_INPUT_KEYBOARD": "0"], at: 7000))
  }

  @Test("says whether it is new, and how long its announcement took")
  func announcement() {
    let (first, second) = (event("add", 1, at: 7000), event("change", 2, at: 9000))
    #expect(first.isNew && first.announcementDelay == 2000)
    #expect(!second.isNew && second.announcementDelay == 4000)
    let later = first.withoutAnnouncement
    #expect(!later.isNew && later.announcementDelay == nil)
    #expect(!node(known).isNew && node(known).announcementDelay == nil)
    #expect(node(["ACTION": "add"]).isNew && node(["ACTION": "add"]).announcementDelay == nil)
  }
}

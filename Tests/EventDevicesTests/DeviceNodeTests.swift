import Debounce
import Samples
import Testing

@testable import EventDevices

@Suite("A node as udev describes it")
struct DeviceNodeTests {
  private let known = ["USEC_INITIALIZED": "5000", "ID_INPUT_KEYBOARD": "1"]

  private func event(
    _ action: String, _ number: Int, _ more: [String: String] = [:]
  ) -> DeviceNode {
    let ofEvent = ["ACTION": action, "SEQNUM": "\(number)", "SYNTH_UUID": "\(number)"]
    return node(known.merging(ofEvent) { $1 }.merging(more) { $1 })
  }

  @Test("is the same for each event of a device that stays as it is")
  func events() {
    let first = event("add", 1)
    let second = event("change", 2)
    #expect(first == second)
    #expect(first == node(known))
    #expect(first.properties == known)
    #expect(first != event("change", 2, ["ID_SEAT": "seat-2"]))
    #expect(first != event("change", 2, ["ID_INPUT_KEYBOARD": "0"]))
  }

  @Test("says how long ago udev applied its rules")
  func timeSinceRules() {
    #expect(node(known).timeSinceRules(at: 7000) == 2000)
    #expect(event("add", 1).timeSinceRules(at: 7000) == 2000)
    #expect(node().timeSinceRules(at: 7000) == 0)
  }

  @Test(
    "has its keys in words of hexadecimal digits, the highest first",
    arguments: [
      ("", []), ("0", []), ("2", [1]), ("8000000000000000 1", [0, 127]),
      ("1 0 0 0", [192]), ("4000000000000000", [62]),
      // What is no number is left out, and what is beyond the kernel's keys.
      ("x 2", [1]),
      ("1" + String(repeating: " 0", count: EventType.keyCount / UInt.bitWidth), []),
    ] as [(String, [KeyCode])])
  func words(text: String, keys: [KeyCode]) {
    #expect(KeySet(sysfs: text) == KeySet(keys))
  }
}

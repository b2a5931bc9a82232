import Debounce
import Testing

@testable import EventDevices

@Suite("Keys as sysfs lists them")
struct SysfsKeysTests {
  @Test(
    "are words of hexadecimal digits, the highest first",
    arguments: [
      ("", []), ("0", []), ("2", [1]), ("8000000000000000 1", [0, 127]),
      ("1 0 0 0", [192]), ("4000000000000000", [62]),
    ] as [(String, [KeyCode])])
  func words(text: String, keys: [KeyCode]) {
    #expect(KeySet(sysfs: text) == KeySet(keys))
  }

  @Test("that are no numbers are left out")
  func damaged() {
    #expect(KeySet(sysfs: "x 2") == KeySet([1]))
  }

  @Test("beyond what the kernel can send are left out")
  func beyond() {
    let words = "1" + String(repeating: " 0", count: EventType.keyCount / UInt.bitWidth)
    #expect(KeySet(sysfs: words).isEmpty)
  }
}

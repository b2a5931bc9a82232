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
      // What is no number is left out, and what is beyond the kernel's keys.
      ("x 2", [1]),
      ("1" + String(repeating: " 0", count: EventType.keyCount / UInt.bitWidth), []),
    ] as [(String, [KeyCode])])
  func words(text: String, keys: [KeyCode]) {
    #expect(KeySet(sysfs: text) == KeySet(keys))
  }
}

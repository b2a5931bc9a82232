import Configuration
import Debounce
import Testing

@Suite("Names of keys")
struct KeyNameTests {
  @Test(
    "are libevdev's",
    arguments: [("KEY_ESC", 1), ("KEY_E", 18), ("BTN_LEFT", 0x110), ("BTN_TRIGGER_HAPPY40", 0x2e7)])
  func both(name: String, code: KeyCode) {
    #expect(KeyNames.code(named: name) == code)
    #expect(KeyNames.name(of: code) == name)
  }

  @Test(
    "are no others", arguments: ["", "KEY_", "E", "key_e", "KEY_MAX", "KEY_CNT", "REL_X", "KEY_é"])
  func unknown(name: String) {
    #expect(KeyNames.code(named: name) == nil)
  }

  @Test(
    "are numbers where there is none",
    arguments: [(KeyCode(84), "84"), (0x2ff, "767"), (0xffff, "65535")])
  func unnamed(code: KeyCode, name: String) {
    #expect(KeyNames.name(of: code) == name)
  }
}

import Configuration
import Debounce
import Samples
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
    "are no others",
    arguments: ["", "KEY_", "E", "key_e", "KEY_MAX", "KEY_CNT", "REL_X", "KEY_é", "KEY_A\u{0}B"])
  func unknown(name: String) {
    #expect(KeyNames.code(named: name) == nil)
  }

  @Test(
    "are numbers where there is none",
    arguments: [(KeyCode(84), "84"), (0x2ff, "767"), (0xffff, "65535")])
  func unnamed(code: KeyCode, name: String) {
    #expect(KeyNames.name(of: code) == name)
  }

  @Test("are found by what stands on the keys, where the layout is known")
  func labels() throws {
    #expect(KeyNames.nearest(to: "z") == "KEY_Z")
    #expect(KeyNames.nearest(to: "ö") == nil)
    #expect(KeyNames.nearest(to: "z", labels: [21: "Z", 44: "Y"]) == "KEY_Y")

    // TOML takes no such name without quotation marks.
    for (line, advice) in [
      ("\"ö\" = 40", "; did you mean “KEY_SEMICOLON”? Expected a name "),
      ("ö = 40", "; the key is called KEY_SEMICOLON"),
    ] {
      let folder = try Folder(["devices.d/10.toml": "[keys]\n\(line)"])
      var places = ConfigurationPlaces(folder.path)
      places.labels = { [39: "Ö"] }
      let errors = #expect(throws: ConfigurationErrors.self) {
        _ = try LoadedSettings(readingFrom: places)
      }
      let message = try #require(errors?.problems.first?.message)
      #expect(message.contains(advice), "\(message)")
    }
  }
}

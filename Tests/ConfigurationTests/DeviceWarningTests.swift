import Configuration
import Debounce
import EventDevices
import Samples
import Testing

@Suite("A configuration beside the devices that are there")
struct DeviceWarningTests {
  private let desk = DeviceDescription(keyboard.identity, keys: KeySet([1, 14, 18, 28, 30]))
  private let consumer = DeviceDescription(
    DeviceIdentity(
      name: "Keychron K2 Consumer", vendor: 0x3434, product: 0x120, version: 1),
    keys: KeySet([113, 114, 115]))

  private func warnings(
    _ files: [String: String], _ devices: DeviceDescription...
  ) throws -> [String] {
    let folder = try Folder(files)
    let loaded = try LoadedSettings(readingFrom: folder.path)
    return loaded.warnings(forDevices: devices).map { problem in
      #expect((problem.severity == .note) == problem.message.hasPrefix("matches no"))
      return problem.explanation().replacing(folder.path + "/devices.d/", with: "")
    }
  }

  @Test("has files that match none of them")
  func noMatch() throws {
    let files = ["devices.d/10.toml": "# mine\n[device]\nvendor = 1", "devices.d/20.toml": "#"]
    #expect(
      try warnings(files, desk, consumer) == [
        """
        10.toml:2:2: matches no device that is present; there are “Keychron K2 Consumer” and “Keychron K2 Max”
            [device]
             ^~~~~~
        """
      ])
    #expect(try warnings(files).count == 2)
    let decimal = try warnings(["devices.d/10.toml": "[device]\nvendor = 3434"], desk)
    #expect(decimal.first?.contains("one would with 0x before the digits of its numbers") == true)
  }

  @Test("matches only what other programs have made, and does not ask for such devices")
  func onlyVirtual() throws {
    var copy = desk
    copy.isVirtual = true
    let file = "[device]\nname = \"Keychron*\""
    #expect(
      try warnings(["devices.d/10.toml": file], copy) == [
        """
        10.toml:1:2: only devices that other programs have made match: add “virtual = true” to have them taken
            [device]
             ^~~~~~
        """
      ])
    #expect(try warnings(["devices.d/10.toml": file], copy, desk) == [])
    #expect(try warnings(["devices.d/10.toml": file + "\nvirtual = true"], copy) == [])
    #expect(try warnings(["devices.d/10.toml": "#"], copy) == [])
  }

  @Test("names keys that they do not have")
  func missingKeys() throws {
    let file = """
      [device]
      name = "Keychron*"
      panic = ["KEY_ESC", "KEY_F12"]
      [keys]
      KEY_E = 40
      BTN_LEFT = 20
      [[groups]]
      keys = ["KEY_A", "KEY_B"]
      lockout = 10
      """
    #expect(
      try warnings(["devices.d/10.toml": file], desk) == [
        """
        10.toml:6:1: “BTN_LEFT” is not a key of “Keychron K2 Max”: this has no effect
            BTN_LEFT = 20
            ^~~~~~~~
        """,
        """
        10.toml:8:18: “KEY_B” is not a key of “Keychron K2 Max”: this has no effect
            keys = ["KEY_A", "KEY_B"]
                             ^~~~~~~
        """,
        """
        10.toml:3:21: “KEY_F12” is not a key of “Keychron K2 Max”: there the panic chord is KEY_BACKSPACE + KEY_ESC + \
        KEY_ENTER
            panic = ["KEY_ESC", "KEY_F12"]
                                ^~~~~~~~~
        """,
      ])
  }

  @Test("chooses a panic chord that keyboards lack keys for: the usual one holds there")
  func panicChord() throws {
    func chords(_ files: [String: String], _ devices: DeviceDescription...) throws -> [[KeyCode]] {
      try loadedSettings(files).panicChords(of: devices).map(\.keys)
    }
    let defaults = ["keydebounce.toml": "[defaults]\npanic = [\"KEY_E\", \"KEY_MUTE\"]"]
    #expect(try chords([:], desk) == [[14, 1, 28]])
    #expect(try chords(defaults, desk) == [[14, 1, 28]])
    #expect(
      try warnings(defaults, desk).map { $0.drop { $0 != "“" }.prefix(70) } == [
        "“KEY_MUTE” is not a key of “Keychron K2 Max”: there the panic chord is"
      ])
    // Spread over two nodes of one keyboard, it can be held.
    var (one, two) = (desk, consumer)
    (one.identity.phys, two.identity.phys) = ("usb-1/input0", "usb-1/input1")
    two.identity.version = one.identity.version
    #expect(try chords(defaults, one, two) == [[18, 113]])
    #expect(try warnings(defaults, one, two) == [])
    // Another keyboard's keys do not help.
    two.identity.phys = "usb-2/input1"
    #expect(try chords(defaults, one, two) == [[14, 1, 28], []])
    #expect(try warnings(defaults, one, two).count == 2)
    // Nor does what is left alone have one.
    let left = ["devices.d/10.toml": "[device]\nname = \"Key*\"\nignore = true"]
    #expect(try chords(defaults.merging(left) { $1 }, one, two) == [])
  }

  @Test("shows names that devices give themselves, and lets no terminal obey them")
  func names() throws {
    let loaded = try loadedSettings(["keydebounce.toml": "#"])
    var device = desk
    device.identity.name = "Desk\u{1b}[2J"
    let summary = ConfigurationSummary(of: loaded, chords: loaded.panicChords(of: [device]))
    #expect(summary.lines.contains { $0.hasPrefix("“Desk␛[2J”: panic chord: KEY_BACKSPACE") })
  }

  @Test("names keys of which each is on one of several devices")
  func parts() throws {
    let file = "[device]\nvendor = 0x3434\n[keys]\nKEY_E = 40\nKEY_MUTE = \"none\"\nKEY_Z = 3"
    #expect(
      try warnings(["devices.d/10.toml": file], desk, consumer).map { $0.prefix(46) }
        == ["10.toml:6:1: “KEY_Z” is not a key of “Keychron"])
    #expect(try warnings(["devices.d/10.toml": file], desk).count == 2)
  }

  @Test("names keys for every device that none has")
  func ofEvery() throws {
    let file = ["devices.d/10.toml": "[keys]\nKEY_E = 40\nKEY_Z = 3"]
    #expect(
      try warnings(file, desk, consumer).map { $0.split(separator: "\n")[0] } == [
        "10.toml:3:1: “KEY_Z” is not a key of any device that is present and has no file of its own: this has no effect"
      ])
  }

  @Test("is judged by the file that a device gets")
  func better() throws {
    let files = [
      "devices.d/10.toml": "[device]\nvendor = 0x3434\n[keys]\nKEY_Z = 3",
      "devices.d/20.toml": "[device]\nvendor = 0x3434\nproduct = 0x120",
    ]
    #expect(try warnings(files, desk) == [])
    #expect(
      try warnings(["devices.d/10.toml": "[device]\nignore = true\n[keys]\nKEY_Z = 3"], desk) == [])
  }

  @Test("names no key where it is logged")
  func log() throws {
    let folder = try Folder(["devices.d/10.toml": "[keys]\nKEY_Z = 3"])
    let problems = try LoadedSettings(readingFrom: folder.path).warnings(forDevices: [desk])
    #expect(
      problems.map(\.forLog)
        == ["\(folder.path)/devices.d/10.toml:2:1: a key that the device does not have"])
    let other = try Folder(["devices.d/10.toml": "[device]\nvendor = 1"])
    #expect(
      try LoadedSettings(readingFrom: other.path).warnings(forDevices: [desk]).map(\.forLog) == [
        "\(other.path)/devices.d/10.toml:1:2: matches no device that is present; “keydebounce list” shows them all"
      ])
  }
}

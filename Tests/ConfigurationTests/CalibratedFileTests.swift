import Configuration
import Debounce
import EventDevices
import Testing

@Suite("Device files that were calibrated, beside those that were written by hand")
struct CalibratedFileTests {
  private let desk = DeviceDescription(
    DeviceIdentity(name: "desk", vendor: 1, product: 2, version: 3))
  private let a: KeyCode = 30
  private let s: KeyCode = 31
  private let d: KeyCode = 32

  private func settings(_ files: [String: String]) throws -> Settings {
    try loadedSettings(files).settings
  }

  @Test("speak for keys that nobody else names")
  func otherKeys() throws {
    let loaded = try loadedSettings([
      "devices.d/10-desk.toml": "[device]\nname = \"desk\"\n[keys]\nKEY_A = 40\n",
      "calibrated.d/desk.toml": "[device]\nvendor = 1\n[keys]\nKEY_A = 20\nKEY_S = \"none\"\n",
    ])
    #expect(
      ConfigurationSummary(of: loaded).lines.contains {
        $0.hasSuffix(
          "vendor 0x0001; only for keys that your own file about the device does not set")
      })
    let settings = loaded.settings
    #expect(settings.devices.count + settings.calibrations.count == 2)
    let device = try #require(try settings.device(for: desk))
    #expect(device.file.hasSuffix("10-desk.toml"))
    #expect(device.calibration?.hasSuffix("calibrated.d/desk.toml") == true)
    #expect(device.rules.keys[a] == .adaptive(Adaptive(threshold: 40_000, isNamed: true)))
    #expect(device.rules.keys[s] == Strategy.none)
    #expect(device.rules.keys[d] == nil)
  }

  @Test("hold where no file is about the device")
  func alone() throws {
    let settings = try settings([
      "calibrated.d/desk.toml": "[device]\nname = \"desk\"\n[keys]\nKEY_A = 20\n"
    ])
    let device = try #require(try settings.device(for: desk))
    #expect(device.file.hasSuffix("calibrated.d/desk.toml"))
    #expect(device.rules.keys[a] == .adaptive(Adaptive(threshold: 20_000, isNamed: true)))
    let other = DeviceDescription(
      DeviceIdentity(name: "other", vendor: 1, product: 2, version: 3))
    #expect(try settings.device(for: other) == nil)
  }

  @Test("do not take what is ignored")
  func ignored() throws {
    let settings = try settings([
      "devices.d/10-desk.toml": "[device]\nname = \"desk\"\nignore = true\n",
      "calibrated.d/desk.toml": "[device]\nname = \"desk\"\n[keys]\nKEY_A = 20\n",
    ])
    #expect(try settings.device(for: desk)?.isIgnored == true)
  }
}

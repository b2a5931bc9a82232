import Debounce
import EventDevices
import Foundation
import Samples
import Testing

@testable import Configuration

@Suite("The files that are shipped")
struct ShippedFileTests {
  private static let folder = project.appending(path: "packaging/configuration")

  private func read(_ name: String) throws -> LoadedSettings {
    try LoadedSettings(readingFrom: Self.folder.appending(path: name).path)
  }

  private func example(_ name: String) throws -> DeviceSettings {
    let loaded = try read("examples/\(name).toml")
    #expect(loaded.warnings.isEmpty)
    return try #require(loaded.settings.devices.first)
  }

  /// The defaults with their lines uncommented.
  private func uncommented() throws -> String {
    let text = try String(
      contentsOf: Self.folder.appending(path: "keydebounce.toml"), encoding: .utf8)
    return text.replacing(/(?m)^# (?=\w+ +=)/, with: "")
  }

  @Test("change nothing as they are")
  func defaults() throws {
    let loaded = try read("keydebounce.toml")
    #expect(loaded.settings == .packaged)
    #expect(loaded.warnings.isEmpty)
  }

  @Test("show the packaged defaults, all of them")
  func uncommentedDefaults() throws {
    let text = try uncommented()
    // Given by name, it follows from no threshold any more.
    let scaling = text.replacing(/(?m)^suspect .*\n/, with: "")
    let loaded = try loadedSettings(["keydebounce.toml": scaling])
    var packaged = Settings.packaged
    packaged.defaults.threshold = Strategy.packagedThreshold
    #expect(loaded.settings == packaged)
    #expect(loaded.warnings.isEmpty)
    let names = ["strategy", "threshold", "flush", "panic"]
    for name in names + Rules().strategy.kind.parameters.map(\.name) {
      #expect(text.split(separator: "\n").contains { $0.hasPrefix("\(name) ") }, "\(name)")
    }
    for kind in StrategyKind.allCases {
      #expect(text.contains("#   \(kind.rawValue) "), "\(kind.rawValue)")
    }
  }

  @Test("show a keyboard with worn keys")
  func wornKeyboard() throws {
    let device = try example("worn-keyboard")
    #expect(device.pattern.matches(keyboard))
    #expect(device.rules.strategy == Settings.packaged.rules.strategy)
    #expect(
      device.rules.keys == [
        18: .adaptive(Adaptive(threshold: 25_000, isNamed: true)),
        57: .eagerDefer(EagerDefer(press: 25_000, release: 30_000)),
        115: .adaptive(Adaptive()),
      ])
  }

  @Test("show a mouse whose movements and other buttons pass")
  func mouse() throws {
    let device = try example("double-clicking-mouse")
    #expect(device.rules.strategy == .none)
    #expect(
      device.rules.keys
        == [0x110: .adaptive(Adaptive(threshold: 25_000, suspect: 80_000, isNamed: true))])
    let links = ["/dev/input/by-id/usb-Logitech_G_Pro_Gaming_Mouse_1-event-mouse"]
    #expect(
      device.pattern.matches(
        DeviceDescription(
          DeviceIdentity(name: "Logitech G Pro", vendor: 0x46d, product: 1, version: 1),
          links: links)))
  }

  @Test("show a keyboard for hands that tremble")
  func tremblingHands() throws {
    let device = try example("trembling-hands")
    #expect(device.rules.strategy == .bounceKeys(BounceKeys(delay: 300_000)))
    #expect(device.rules.keys.count == 5)
    #expect(device.rules.keys[14] == .adaptive(Adaptive()))
  }

  @Test("show a pedal whose button means several things")
  func pedal() throws {
    let device = try example("pedal")
    #expect(
      device.rules.meanings == [
        0x100: Meanings(single: 109, double: 104, shortestGap: 40_000),
        164: Meanings(single: 164, double: 163, hold: 128, after: 600_000),
        183: Meanings(single: 113, double: 167, isEager: true),
      ])
  }

  @Test("show a button on a pin")
  func pinButton() throws {
    let device = try example("pin-button")
    #expect(device.rules.strategy == Settings.packaged.rules.strategy)
    #expect(
      device.rules.meanings == [
        164: Meanings(single: 164, double: 163, hold: 128, within: 300_000, after: 500_000)
      ])
  }

  @Test("show arcade buttons of which two lock each other out")
  func arcadeButtons() throws {
    let device = try example("arcade-buttons")
    #expect(device.rules.strategy == .eagerDefer(EagerDefer(threshold: 15_000)))
    #expect(
      device.rules.keys == [0x129: .throttle(Throttle(interval: 500_000, latest: false))])
    #expect(device.rules.groups == [Group(keys: [0x120, 0x121], lockout: 80_000)])
    // Joysticks are taken only if they are named exactly.
    #expect(device.pattern.vendor != nil && device.pattern.product != nil)
  }

  @Test("include a manual page that knows every name")
  func manualPage() throws {
    let page = try String(
      contentsOf: project.appending(path: "docs/keydebounce.toml.5"), encoding: .utf8)
    let strategies = StrategyKind.allCases.flatMap { [$0.name] + $0.parameters.map(\.name) }
    let names =
      strategies
      + Flush.allCases.map(\.rawValue) + TableReader.deviceEntries.map(\.name) + [
        "lockout", "keys",
      ]
      + TableReader.meaningEntries.map(\.name) + TableReader.wheelEntries.map(\.name)
    for name in names { #expect(page.contains(" \(name)"), "\(name)") }
  }
}

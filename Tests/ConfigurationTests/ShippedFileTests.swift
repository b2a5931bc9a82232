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
    try #require(try read("examples/\(name).toml").settings.devices.first)
  }

  @Test("change nothing as they are")
  func defaults() throws {
    let loaded = try read("keydebounce.toml")
    #expect(loaded.settings == .packaged)
    #expect(loaded.warnings.isEmpty)
  }

  @Test("show the packaged defaults, all of them")
  func uncommentedDefaults() throws {
    let text = try String(
      contentsOf: Self.folder.appending(path: "keydebounce.toml"), encoding: .utf8
    ).replacing(/(?m)^# (?=\w+ +=)/, with: "")
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

  @Test("show what their comments say")
  func examples() throws {
    func expect(_ name: String, _ rules: Rules) throws {
      #expect(try example(name).rules == rules, "\(name)")
    }
    try expect(
      "worn-keyboard",
      Rules(keys: [
        18: .adaptive(Adaptive(threshold: 25_000, isNamed: true)),
        57: .eagerDefer(EagerDefer(press: 25_000, release: 30_000)),
        115: .adaptive(Adaptive()),
      ]))
    try expect(
      "double-clicking-mouse",
      Rules(
        strategy: .none,
        keys: [0x110: .adaptive(Adaptive(threshold: 25_000, suspect: 80_000, isNamed: true))]))
    let adaptive = Strategy.adaptive(Adaptive())
    try expect(
      "trembling-hands",
      Rules(
        strategy: .bounceKeys(BounceKeys(delay: 300_000)),
        keys: [14: adaptive, 103: adaptive, 105: adaptive, 106: adaptive, 108: adaptive]))
    try expect(
      "pedal",
      Rules(
        keys: [
          0x100: .eagerDefer(EagerDefer(threshold: 40_000)), 164: adaptive, 183: adaptive,
        ],
        meanings: [
          0x100: Meanings(single: 109, double: 104, shortestGap: 40_000),
          164: Meanings(single: 164, double: 163, hold: 128, after: 600_000),
          183: Meanings(single: 113, double: 167, isEager: true),
        ]))
    try expect(
      "pin-button",
      Rules(
        keys: [164: adaptive],
        meanings: [
          164: Meanings(single: 164, double: 163, hold: 128, within: 300_000, after: 500_000)
        ]))
    try expect(
      "arcade-buttons",
      Rules(
        strategy: .eagerDefer(EagerDefer(threshold: 15_000)),
        keys: [0x129: .throttle(Throttle(interval: 500_000, latest: false))],
        groups: [Group(keys: [0x120, 0x121], lockout: 80_000)]))
  }

  @Test("show lines that match their devices")
  func patterns() throws {
    #expect(try example("worn-keyboard").pattern.matches(keyboard))
    var mouse = DeviceDescription(DeviceIdentity(name: "Logitech G Pro", vendor: 0x46d, product: 1))
    mouse.links = ["/dev/input/by-id/usb-Logitech_G_Pro_Gaming_Mouse_1-event-mouse"]
    #expect(try example("double-clicking-mouse").pattern.matches(mouse))
    // Joysticks are taken only if they are named exactly.
    let pad = try example("arcade-buttons").pattern
    #expect(pad.vendor != nil && pad.product != nil)
  }

  @Test("include a manual page that knows every name")
  func manualPage() throws {
    let page = try String(
      contentsOf: project.appending(path: "docs/keydebounce.toml.5"), encoding: .utf8)
    let strategies = StrategyKind.allCases.flatMap { [$0.rawValue] + $0.parameters.map(\.name) }
    let names =
      strategies
      + Flush.allCases.map(\.rawValue) + TableReader.deviceEntries.map(\.name) + [
        "lockout", "keys",
      ]
      + TableReader.meaningEntries.map(\.name) + TableReader.wheelEntries.map(\.name)
    for name in names { #expect(page.contains(" \(name)"), "\(name)") }
  }
}

import Debounce
import EventDevices
import Foundation
import Samples
import Testing

@testable import Configuration

@Suite("Settings")
struct SettingsTests {
  private func rules(_ toml: String, defaults: String = "") throws -> Rules {
    try rulesInForce(settings(toml, defaults: defaults))
  }

  @Test("are the packaged ones where there is no file")
  func packaged() throws {
    let settings = try loadedSettings(["other.txt": "no configuration"]).settings
    #expect(settings == .packaged)
    #expect(settings.rules.strategy == .adaptive(Adaptive(threshold: 25_000)))
    #expect(settings.rules.flush == .modifiers)
    #expect(try rulesInForce(settings) == settings.rules)
  }

  @Test("have every form that a key can be given in")
  func keys() throws {
    let file = fixtures.appending(path: "devices/desk-keyboard.toml")
    let settings = try LoadedSettings(readingFrom: file.path).settings
    let rules = try rulesInForce(
      settings,
      for: DeviceDescription(
        DeviceIdentity(name: "Worn keyboard 2", vendor: 0x3434, product: 0x120, version: 1)))
    #expect(rules.strategy == .adaptive(Adaptive(threshold: 25_000)))
    #expect(
      rules.keys == [
        18: .adaptive(Adaptive(threshold: 40_000, isNamed: true)),
        57: .eagerDefer(EagerDefer(press: 25_000, release: 40_000)),
        115: Strategy.none,
        272: .eagerDefer(EagerDefer(threshold: 20_000)),
      ])
    #expect(rules.groups == [Group(keys: [288, 289], lockout: 500_000)])
  }

  @Test("have what is done with a wheel's steps; nothing by default")
  func wheel() throws {
    #expect(try rules("[wheel]\nreversal = 80").wheel == WheelRules(reversal: 80_000))
    #expect(
      try rules("[wheel]\naxes = [\"REL_Y\", \"REL_MISC\"]\nreversal = 20\nfirst = 0\ndouble = 5.5")
        .wheel
        == WheelRules(axes: [1, 9], reversal: 20_000, first: 0, double: 5_500))
    #expect(try !rules("[debounce]\nthreshold = 20").wheel.areInForce)
  }

  @Test("have what the strokes of a key mean, with times of its own or the packaged ones")
  func meanings() throws {
    let rules = try rules(
      """
      [keys]
      KEY_PLAYPAUSE = { double = "KEY_NEXTSONG", hold = "KEY_STOP" }
      BTN_0 = { threshold = 20, double = "KEY_ENTER", within = 300.5 }
      KEY_F13 = { strategy = "none", single = "KEY_MUTE", hold = "KEY_POWER", after = 600 }
      KEY_F14 = { strategy = "slow-keys", threshold = 100, double = "KEY_MUTE", eager = true }
      KEY_F15 = { within = 900 }
      """)
    #expect(
      rules.meanings == [
        164: Meanings(single: 164, double: 163, hold: 128),
        0x100: Meanings(single: 0x100, double: 28, within: 300_500, shortestGap: 20_000),
        183: Meanings(single: 113, hold: 116, after: 600_000),
        184: Meanings(single: 184, double: 113, isEager: true),
      ])
    #expect(Meanings(single: 1).within == 250_000)
    #expect(Meanings(single: 1).after == 500_000)
    #expect(Meanings(single: 1).shortestGap == 25_000)
    // A key with meanings is debounced as others are; `within` alone is a parameter of `adaptive`.
    #expect(rules.keys[164] == .adaptive(Adaptive()))
    #expect(rules.keys[0x100] == .adaptive(Adaptive(threshold: 20_000, isNamed: true)))
    #expect(rules.keys[185] == .adaptive(Adaptive(within: 900)))
    #expect(rules.meantKeys == KeySet([164, 163, 128, 0x100, 28, 113, 116, 184]))
  }

  @Test("are taken from the nearest place that gives them")
  func precedence() throws {
    let defaults = "[defaults]\nstrategy = \"eager-defer\"\nthreshold = 10\nflush = \"all\""
    #expect(
      try rules("", defaults: defaults).strategy == .eagerDefer(EagerDefer(threshold: 10_000)))
    #expect(try rules("", defaults: defaults).flush == .all)
    let device = try rules(
      """
      [debounce]
      threshold = 20
      flush = "none"
      [keys]
      KEY_A = 30
      KEY_B = "prompt"
      KEY_C = { strategy = "prompt", threshold = 40 }
      KEY_D = { release = 50.5 }
      """, defaults: defaults)
    #expect(device.strategy == .eagerDefer(EagerDefer(threshold: 20_000)))
    #expect(device.flush == .none)
    #expect(
      device.keys == [
        30: .eagerDefer(EagerDefer(threshold: 30_000)), 48: .prompt(Prompt(quiet: 20_000)),
        46: .prompt(Prompt(quiet: 40_000)),
        32: .eagerDefer(EagerDefer(press: 20_000, release: 50_500)),
      ])
  }

  @Test("take a threshold for hands as none for a switch, and the other way round")
  func thresholdsOfHands() throws {
    let hands = try rules(
      "[keys]\nKEY_A = \"adaptive\"\nKEY_B = \"slow-keys\"",
      defaults: "[defaults]\nstrategy = \"bounce-keys\"\nthreshold = 2000")
    #expect(hands.keys[30] == .adaptive(Adaptive()))
    #expect(hands.keys[48] == .slowKeys(SlowKeys(threshold: 2_000_000)))
    let switches = try rules(
      "[keys]\nKEY_A = \"bounce-keys\"", defaults: "[defaults]\nthreshold = 40")
    #expect(switches.keys[30] == .bounceKeys(BounceKeys(delay: 300_000)))
  }

  @Test("let a parameter by its name win over the threshold, unless that is nearer")
  func namedParameters() throws {
    let rules = try rules(
      """
      [debounce]
      strategy = "adaptive"
      threshold = 20
      dropout = 30
      confirm = 10
      [keys]
      KEY_A = 40
      KEY_B = { threshold = 40, dropout = 15 }
      """)
    #expect(
      rules.strategy
        == .adaptive(Adaptive(threshold: 20_000, confirm: 10_000, dropout: 30_000)))
    #expect(
      rules.keys == [
        30: .adaptive(Adaptive(threshold: 40_000, confirm: 10_000, isNamed: true)),
        48: .adaptive(
          Adaptive(threshold: 40_000, confirm: 10_000, dropout: 15_000, isNamed: true)),
      ])
  }

  @Test("take “adaptive” for “confirm”, which is no more, and say so")
  func retiredStrategy() throws {
    let loaded = try loadedSettings(
      """
      [debounce]
      strategy = "confirm"
      threshold = 30
      short = 10
      dropout = 0
      [keys]
      KEY_A = "confirm"
      KEY_B = { strategy = "confirm", suspect = 50 }
      """)
    let rules = try #require(loaded.settings.devices.first).rules
    // What its parameters meant is no longer meant.
    #expect(rules.strategy == .adaptive(Adaptive(threshold: 30_000)))
    #expect(rules.keys == [30: rules.strategy, 48: rules.strategy])
    #expect(loaded.errors.isEmpty)
    let places = loaded.warnings.map { "\($0)".split(separator: "/").last ?? "" }
    #expect(
      zip(places, ["2:12", "7:9", "8:22"]).allSatisfy { $0.hasPrefix("10.toml:\($1): ") }
        && places.count == 3)
    #expect(places.allSatisfy { $0.contains("the strategy “confirm” is no more") })
  }

  /// What stands in `[keys]`, and whether it names the key.
  private static let entries = [
    ("40", true), ("0", true), ("\"adaptive\"", false), ("{ strategy = \"adaptive\" }", false),
    ("{ threshold = 40 }", true), ("{ dropout = 10 }", true), ("{ suspect = 80 }", true),
    ("{ confirm = 30 }", false), ("{ within = 100 }", false),
    ("{ within = 100, dropout = 25 }", true),
    ("{ double = \"KEY_MUTE\" }", false), ("{ threshold = 20, double = \"KEY_MUTE\" }", true),
    ("\"none\"", false), ("{ strategy = \"eager-defer\", threshold = 20 }", false),
  ]

  @Test("name a key that has a number of its own, and no other", arguments: entries)
  func naming(entry: String, isNamed: Bool) throws {
    // What is given further away names none, and holds all the same.
    let rules = try rules(
      "[debounce]\nthreshold = 30\nsuspect = 70\n[keys]\nKEY_A = \(entry)",
      defaults: "[defaults]\ndropout = 20")
    #expect(!rules.strategy.isNamed)
    #expect(rules.strategy == .adaptive(Adaptive(threshold: 30_000, suspect: 70_000)))
    #expect(rules.keys[30]?.isNamed == isNamed)
    // A strategy without such a word does not change by it.
    if rules.keys[30]?.kind != rules.strategy.kind {
      #expect(rules.keys[30]?.named == rules.keys[30])
    }
  }

  @Test("have a named key's numbers from where they are given")
  func numbersOfNamedKeys() throws {
    let rules = try rules(
      """
      [debounce]
      threshold = 40
      [keys]
      KEY_A = { suspect = 80 }
      KEY_B = { threshold = 20, suspect = 80 }
      KEY_C = { dropout = 10 }
      """)
    #expect(
      rules.keys == [
        30: .adaptive(Adaptive(threshold: 40_000, suspect: 80_000, isNamed: true)),
        48: .adaptive(Adaptive(threshold: 20_000, suspect: 80_000, isNamed: true)),
        46: .adaptive(Adaptive(threshold: 40_000, dropout: 10_000, isNamed: true)),
      ])
  }

  @Test("keep the threshold that was given, for strategies that do not keep it themselves, too")
  func givenThresholds() throws {
    let text = """
      [debounce]
      strategy = "confirm"
      threshold = 30
      dropout = 10

      [keys]
      KEY_C = { strategy = "eager-defer", threshold = 40, release = 10 }
      KEY_D = "none"
      """
    let device = try #require(try settings(text).devices.first)
    #expect(device.effective.threshold == 30_000)
    #expect(device.effective.keyThresholds == [46: 40_000])
    // A calibration's line for a key that is not written by hand brings its own.
    var both = try settings(text)
    both.calibrations = try settings(
      "[keys]\nKEY_C = 25\nKEY_E = { strategy = \"eager\", threshold = 20, release = 5 }"
    ).devices
    let merged = try #require(try both.device(for: keyboard))
    #expect(merged.effective.keyThresholds == [46: 40_000, 18: 20_000])
  }

  @Test("carry over to device files, which may change them")
  func carryOver() throws {
    let packaged = try #require(try settings("#").devices.first).effective
    #expect(packaged.panicChord == [14, 1, 28])
    #expect(packaged.grabAfter == nil)
    #expect(packaged.cloneName.name(forSource: "Some keyboard") == "Some keyboard")
    let defaults = """
      [defaults]
      panic = ["KEY_ESC", "KEY_F12"]
      grab-after = 10
      clone-name = "%s (debounced)"
      """
    let carriedOver = try settings("#", defaults: defaults)
    for settings in [carriedOver.defaults] + carriedOver.devices.map(\.effective) {
      #expect(settings.panicChord == [1, 88])
      #expect(settings.grabAfter == 10_000_000)
      #expect(settings.cloneName.name(forSource: "K2") == "K2 (debounced)")
    }
    let changed = try settings(
      """
      [device]
      panic = ["KEY_A", "KEY_B", "KEY_C", "KEY_D", "KEY_E"]
      grab-after = 0
      clone-name = "100 %"
      """, defaults: defaults)
    #expect(changed.defaults == carriedOver.defaults)
    let own = try #require(changed.devices.first).effective
    #expect(own.panicChord == [30, 48, 46, 32, 18])
    #expect(own.grabAfter == 0)
    #expect(own.cloneName.name(forSource: "K2") == "100 %")
  }

  @Test("cut a device's name, between characters, where its clone's would be too long")
  func longCloneName() throws {
    let name = try settings("[device]\nclone-name = \"a %s b\"").devices[0].cloneName
    let long = String(repeating: "é", count: 60)
    #expect(name.name(forSource: long) == "a \(String(repeating: "é", count: 37)) b")
    #expect(name.name(forSource: "%s") == "a %s b")
    #expect(name.name(forSource: "") == "a  b")
  }

  @Test("are the packaged ones where none of several folders is, and none where the one is not")
  func missing() throws {
    func settings(in folders: String...) throws -> Settings {
      try LoadedSettings(readingFrom: ConfigurationPlaces(folders)).settings
    }
    #expect(try settings(in: "/nowhere/keydebounce", "/nowhere/else") == .packaged)
    #expect(throws: ConfigurationErrors.self) { try settings(in: "/nowhere/keydebounce") }
    #expect(throws: ConfigurationErrors.self) {
      try settings(in: "/nowhere/keydebounce", "/dev/null/keydebounce")
    }
  }

  @Test("are equal if they do the same, wherever they come from")
  func equality() throws {
    let loaded = try loadedSettings("[keys]\nKEY_A = 60")
    let other = try loadedSettings("# the same\n[keys]\nKEY_A = { threshold = 60.0 }")
    #expect(loaded.warnings != other.warnings)
    let first = loaded.settings
    var second = other.settings
    second.devices[0].effective.file = first.devices[0].file
    #expect(first == second)
    second.devices[0].panicChord = [1, 2]
    #expect(first != second)
  }

  @Test("know the files that they come from, in the order in which they were read")
  func files() throws {
    let folder = try Folder([
      "devices.d/20.toml": "[device]\nversion = 1", "devices.d/10.toml": "#",
      "keydebounce.toml": "#",
      "devices.d/.30.toml": "#",
    ])
    let files = try LoadedSettings(readingFrom: folder.path).files
    #expect(
      files
        == ["keydebounce.toml", "devices.d/10.toml", "devices.d/20.toml"].map {
          "\(folder.path)/\($0)"
        })
  }
}

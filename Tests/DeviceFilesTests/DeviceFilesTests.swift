import Calibration
import Debounce
import EventDevices
import Foundation
import Samples
import Terminal
import Testing

@testable import Configuration
@testable import DeviceFiles

@Suite("Device files that take and leave write")
final class DeviceFilesTests {
  private let home: Folder
  /// A configuration folder, gone after the test.
  private let folder: String

  init() throws {
    home = try Folder()
    folder = home.path
  }

  private var places: ConfigurationPlaces { ConfigurationPlaces(folder) }

  private var settings: Settings { get throws { try LoadedSettings(readingFrom: folder).settings } }

  private func deviceFiles(about device: DeviceDescription? = nil) throws -> DeviceFiles {
    try DeviceFiles(about: device ?? self.device(), in: places)
  }

  private func write(_ text: String, to path: String) throws {
    let url = URL(filePath: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  private func text(of path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  private func device(
    _ name: String = "Some \"Optical\" Mouse", kind: String = "MOUSE", interface: Int = 0,
    product: UInt16 = 0xc077, uniq: String = "", keys: [KeyCode] = [0x110, 0x111, 0x112]
  ) -> DeviceDescription {
    DeviceDescription(
      DeviceIdentity(
        name: name, bus: 3, vendor: 0x46d, product: product, version: 1,
        phys: "usb-0000:00:14.0-2/input\(interface)", uniq: uniq),
      links: [], properties: ["ID_INPUT_\(kind)": "1"], keys: KeySet(keys))
  }

  private func change(_ plan: DeviceFilePlan) throws -> DeviceFileChange {
    let change: DeviceFileChange? = if case .change(let change) = plan { change } else { nil }
    return try #require(change, "\(plan)")
  }

  private func reason(_ plan: DeviceFilePlan) -> String? {
    if case .nothing(let reason) = plan { reason } else { nil }
  }

  /// What is said of the error that a plan ends with.
  private func error(_ plan: () throws -> DeviceFilePlan) -> String {
    do {
      return "no error, but \(try plan())"
    } catch {
      return "\(error)"
    }
  }

  /// Takes the device, and returns the change that was made.
  @discardableResult
  private func take(
    _ device: DeviceDescription, beside others: [DeviceDescription] = [], in folder: String? = nil
  ) throws -> DeviceFileChange {
    let places = ConfigurationPlaces(folder ?? self.folder)
    let files = try DeviceFiles(about: device, beside: others, in: places)
    let change = try change(files.planToTake(leftBecause: "no keyboard"))
    // The difference that is shown has a sign before each line.
    let comments = (change.proposal ?? "").split(separator: "\n").filter { $0.hasPrefix("#") }
    #expect(!comments.isEmpty && comments.allSatisfy { $0.count < 80 }, "\(comments)")
    _ = try change.settings()
    try change.make()
    return change
  }

  // MARK: - What is written

  @Test("a mouse has each of its buttons named, and all else left as it is")
  func mouse() throws {
    let change = try take(device())
    #expect(change.path == "\(folder)/devices.d/some-optical-mouse-046d-c077.toml")
    let loaded = try LoadedSettings(readingFrom: folder)
    #expect(loaded.warnings.isEmpty)
    #expect(loaded.warnings(forDevices: [device()]).isEmpty)
    let settings = try #require(try loaded.settings.device(for: device()))
    let strategy = Self.ofMice
    #expect(settings.file == change.path)
    #expect(!settings.isIgnored)
    #expect(settings.rules.strategy == .none)
    #expect(settings.rules.keys == [0x110: strategy, 0x111: strategy, 0x112: strategy])
    #expect(!settings.rules.wheel.areInForce)
    #expect(
      try text(of: change.path).contains("BTN_MIDDLE = { strategy = \"adaptive\", threshold"))
    let permissions = try FileManager.default.attributesOfItem(atPath: change.path)
    #expect(permissions[.posixPermissions] as? Int == 0o644)
    // For calibrate it is left alone until then.
    #expect(try InForce(for: device(), by: .packaged).rules == Rules(strategy: .none))
    #expect(try InForce(for: device(), by: loaded.settings).rules == settings.rules)
  }

  private static let ofPedals = Strategy.eagerDefer(EagerDefer(threshold: 40_000))
  private static let ofPads = Strategy.eagerDefer(EagerDefer(threshold: 15_000))
  private static let ofMice = Strategy.adaptive(
    Adaptive(threshold: 25_000, suspect: 80_000, isNamed: true))

  /// Keys of a device, udev's kind, those that are named, and with which strategy.
  private static let kinds: [(kind: String, keys: [KeyCode], named: [KeyCode], Strategy)] = [
    // A pedal: contacts that are numbered, and a media key.
    ("KEY", [0x100, 0x101, 164], [164, 0x100, 0x101], ofPedals),
    // A knob that is a button, too: its steps are left alone.
    ("KEY", [113, 114, 115], [113], ofPedals),
    // Two volume keys, and no knob with them.
    ("KEY", [114, 115], [114, 115], ofPedals),
    ("JOYSTICK", [0x120, 0x121, 0x126], [0x120, 0x121, 0x126], ofPads),
    ("JOYSTICK", [0x130, 0x13e, 0x2c0], [0x130, 0x13e, 0x2c0], ofPads),
    // Media keys that a mouse has are not those that are clicked.
    ("MOUSE", [113, 0x110], [0x110], ofMice),
  ]

  @Test(
    "other devices have their buttons named, with a strategy for their kind",
    arguments: kinds.indices)
  func otherKinds(_ index: Int) throws {
    let (kind, keys, named, strategy) = Self.kinds[index]
    let device = device("Box", kind: kind, keys: keys)
    try take(device)
    let loaded = try LoadedSettings(readingFrom: folder)
    #expect(loaded.warnings.isEmpty)
    let settings = try #require(try loaded.settings.device(for: device))
    #expect(settings.rules.strategy == .none)
    #expect(settings.rules.keys.keys.sorted() == named)
    #expect(settings.rules.keys.values.allSatisfy { $0 == strategy })
  }

  @Test("a keyboard that is left alone is taken with the settings of all")
  func keyboard() throws {
    try write("[defaults]\nthreshold = 30\n", to: folder + "/keydebounce.toml")
    let keyboard = device("Board", kind: "KEYBOARD", keys: Array(1...100))
    try take(keyboard)
    let settings = try #require(try self.settings.device(for: keyboard))
    #expect(settings.rules.strategy == .adaptive(Adaptive(threshold: 30_000)))
    #expect(settings.rules.keys.isEmpty)
  }

  @Test("nothing is written for a keyboard that is taken anyway, nor for what has no buttons")
  func nothingToTake() throws {
    let keyboard = device("Board", kind: "KEYBOARD", keys: Array(1...100))
    let plan = try deviceFiles(about: keyboard).planToTake(leftBecause: nil)
    #expect(reason(plan) == "“Board” is a keyboard, and taken without a file of its own")
    for keys: [KeyCode] in [[], [0x145, 0x14a]] {
      let device = device("Lid", kind: "SWITCH", keys: keys)
      #expect(throws: DeviceFileError.self) {
        try deviceFiles(about: device).planToTake(leftBecause: "has switches")
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
  }

  @Test("leave has the device ignored, take has it taken again, in one file; forget deletes it")
  func leaveAndForget() throws {
    let taken = try take(device())
    var files = try deviceFiles()
    let left = try change(files.planToLeave())
    #expect(left.path == taken.path)
    _ = try left.settings()
    try left.make()
    #expect(try settings.device(for: device())?.isIgnored == true)
    files = try deviceFiles()
    #expect(reason(try files.planToLeave())?.contains("already says this") == true)

    #expect(try take(device()).proposal == taken.proposal)
    files = try deviceFiles()
    #expect(
      reason(try files.planToTake(leftBecause: nil))?.contains("already says this") == true)
    let gone = try change(files.planToForget())
    #expect(gone.proposal == nil)
    #expect(try gone.settings().device(for: device()) == nil)
    try gone.make()
    #expect(!FileManager.default.fileExists(atPath: taken.path))
    files = try deviceFiles()
    #expect(reason(files.planToForget())?.hasPrefix("neither take nor leave has") == true)
  }

  @Test("forget finds the file of a device that is not there, by its name or path")
  func forgetByName() throws {
    try write("[device]\nname = \"Some mouse by hand\"\n", to: folder + "/devices.d/10.toml")
    let path = try take(device()).path
    for name in ["optical", path] {
      let plan = try #require(try DeviceFiles.planToForget(named: name, in: places))
      #expect(try change(plan).path == path)
    }
    let isFound = try DeviceFiles.planToForget(named: "nothing", in: places) != nil
    #expect(!isFound)
    for name in ["by hand", folder + "/devices.d/10.toml"] {
      let mine = try DeviceFiles.planToForget(named: name, in: places)
      #expect(
        mine.flatMap(reason)?.hasSuffix("10.toml was written by hand: delete it yourself") == true)
    }
    try take(device("Optical rest", product: 1))
    #expect(throws: DeviceFileError.self) {
      try DeviceFiles.planToForget(named: "optical", in: places)
    }
  }

  // MARK: - What others wrote

  @Test("a file that somebody writes or changes while the question stands there is left as it is")
  func changedMeanwhile() throws {
    var files = try deviceFiles()
    let new = try change(files.planToTake(leftBecause: "no keyboard"))
    try write(Self.fileByHand, to: new.path)
    #expect(throws: DeviceFileError.self) { try new.make() }
    #expect(try text(of: new.path) == Self.fileByHand)
    try FileManager.default.removeItem(atPath: new.path)
    try new.make()
    files = try deviceFiles()
    for plan in [try files.planToLeave(), files.planToForget()] {
      let change = try change(plan)
      try write(Self.fileByHand, to: change.path)
      #expect(throws: DeviceFileError.self) { try change.make() }
      #expect(try text(of: change.path) == Self.fileByHand)
    }
  }

  @Test("a file in another folder is hidden by one of its name, and left as it is")
  func otherFolder() throws {
    let system = try Folder()
    let own = try Folder()
    let path = try take(device(), in: system.path).path
    let written = try text(of: path)
    let places = ConfigurationPlaces([system.path, own.path])
    let files = try DeviceFiles(about: device(), in: places)
    let left = try change(files.planToLeave())
    #expect(left.path == path.replacing(system.path, with: own.path) && left.present == nil)
    #expect(try left.settings().device(for: device())?.isIgnored == true)
    #expect(reason(files.planToForget())?.hasSuffix("delete it yourself") == true)
    try left.make()
    #expect(try text(of: path) == written)
    #expect(try text(of: left.path) == left.proposal)
  }

  private static let fileByHand = "# mine\n\n[device]\nname = \"Some*\"\n[keys]\nKEY_A = 30\n"

  @Test("a file written by hand is named with its line, and left as it is")
  func byHand() throws {
    try write(Self.fileByHand, to: folder + "/devices.d/10.toml")
    let place = "\(folder)/devices.d/10.toml:3"
    let files = try deviceFiles()
    let errors = [
      error { try files.planToTake(leftBecause: "no key") }, error { try files.planToLeave() },
    ]
    #expect(errors.allSatisfy { $0.hasPrefix("\(place) is about this device already") })
    #expect(errors[0].contains("It is left alone (no key). Write there what follows"))
    #expect(
      errors[0].contains(
        "\n    BTN_LEFT   = { strategy = \"adaptive\", threshold = 25, suspect = 80 }"))
    #expect(errors[1].contains("Write “ignore = true” below its [device]"))
    // Where it says already what is wanted, that is no error.
    #expect(reason(try files.planToTake(leftBecause: nil))?.contains(place) == true)
    #expect(reason(files.planToForget())?.contains("\(place) was written by hand") == true)
    #expect(try text(of: folder + "/devices.d/10.toml") == Self.fileByHand)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/devices.d").count == 1)
  }

  @Test("a file by hand that ignores the device is said to")
  func ignoringByHand() throws {
    let ignoring = "[device]\nname = \"Some*\"\nignore = true\n"
    try write(ignoring, to: folder + "/devices.d/10.toml")
    let files = try deviceFiles()
    #expect(reason(try files.planToLeave())?.contains("10.toml:1") == true)
    let error = error { try files.planToTake(leftBecause: "ignored") }
    #expect(error.contains("Delete “ignore = true” there, and call"))
  }

  @Test("a file by hand about every device is not in the way")
  func everyDeviceByHand() throws {
    try write("[debounce]\nthreshold = 30\n", to: folder + "/devices.d/all.toml")
    try take(device())
    #expect(try settings.device(for: device())?.rules.keys.count == 3)
  }

  @Test("a file that has the name of a new one is left as it is")
  func nameInTheWay() throws {
    let name = "devices.d/some-optical-mouse-046d-c077.toml"
    let other = "[device]\nname = \"other\"\n"
    try write(other, to: "\(folder)/\(name)")
    let path = try take(device()).path
    #expect(path.hasSuffix("-046d-c077-2.toml"))
    #expect(try text(of: "\(folder)/\(name)") == other)
  }

  @Test(
    "a file with the mark is replaced and deleted whatever was changed in it, one without is not")
  func marks() throws {
    let path = try take(device()).path
    let written = try text(of: path)
    #expect(written.hasPrefix("# Written by keydebounce take\n"))
    let changed = written.replacingOccurrences(of: "80 }", with: "90 }")
    let earlier = changed.replacingOccurrences(
      of: "keydebounce take\n", with: "keydebounce take; checksum cbf29ce484222325\r\n")
    for text in [changed, earlier] {
      try write(text, to: path)
      let files = try deviceFiles()
      #expect(try change(files.planToTake(leftBecause: nil)).proposal == written)
      #expect(try change(files.planToForget()).path == path)
      #expect(try DeviceFiles.planToForget(named: path, in: places) != nil)
    }
    for line in ["# Written by keydebounce taken", "# Written by keydebounce", ""] {
      try write(line + changed.drop { $0 != "\n" }, to: path)
      let own = try deviceFiles()
      #expect(throws: DeviceFileError.self) { try own.planToLeave() }
      #expect(reason(own.planToForget())?.contains(path) == true)
    }
  }

  // MARK: - Which device

  @Test("a mouse is told from the keyboard of its name, whatever socket it is in")
  func twins() throws {
    let mouse = device("Combo", interface: 1)
    let keyboard = device("Combo", kind: "KEYBOARD", interface: 0, keys: Array(1...100))
    let path = try take(mouse, beside: [keyboard]).path
    #expect(path.hasSuffix("/combo-046d-c077-input1.toml"))
    #expect(try text(of: path).contains("\nphys    = \"*/input1\"\n"))
    let settings = try self.settings
    #expect(try settings.device(for: mouse)?.file == path)
    #expect(try settings.device(for: keyboard) == nil)
    let left = try change(
      DeviceFiles(about: keyboard, beside: [mouse], in: places).planToLeave())
    #expect(left.path.hasSuffix("/combo-046d-c077-input0.toml"))
  }

  @Test("of two mice that are the same, both are meant")
  func same() throws {
    #expect(try !text(of: take(device(), beside: [device()]).path).contains("phys"))
  }

  @Test(
    "a device of any name and serial number has a file about itself alone",
    arguments: [("*", "?"), ("Some? *", "?"), ("A \\ \"B\"\n\u{1b}[2J*", "1\u{7}2")])
  func anyName(name: String, uniq: String) throws {
    let path = try take(device(name, uniq: uniq)).path
    let settings = try self.settings
    #expect(try settings.device(for: device(name, uniq: uniq))?.file == path)
    #expect(try settings.device(for: device("Some? Mouse", uniq: uniq)) == nil)
    #expect(try settings.device(for: device(name, uniq: "1")) == nil)
    #expect(try DeviceFiles.planToForget(named: name, in: places) != nil)
  }

  // MARK: - What is wrong

  @Test("nothing is planned beside a configuration that is broken, or in what is no folder")
  func brokenConfiguration() throws {
    try write("[device]\nnme = \"x\"\n", to: folder + "/devices.d/10.toml")
    #expect(throws: ConfigurationErrors.self) { try deviceFiles() }
    #expect(throws: DeviceFileError.self) {
      try DeviceFiles(about: device(), in: ConfigurationPlaces(folder + "/devices.d/10.toml"))
    }
  }

  @Test("a file is not written if another would hold instead")
  func overridden() throws {
    let files = try deviceFiles()
    let change = try change(files.planToLeave())
    let hand = """
      [device]
      name = "Some*"
      vendor = 0x046d
      product = 0xc077
      version = 1
      phys = "*"
      """
    try write(hand, to: folder + "/devices.d/10.toml")
    #expect(throws: DeviceFileError.self) { try change.settings() }
    try write("[device]\nnme = 1\n", to: folder + "/devices.d/10.toml")
    #expect(throws: DeviceFileError.self) { try change.settings() }
  }

  @Test("the command that would take a device is that which would")
  func command() throws {
    func command(_ device: DeviceDescription) throws -> String? {
      DeviceFiles.command(toTake: device, by: try settings)
    }
    let keyboard = device("Board", kind: "KEYBOARD", keys: Array(1...100))
    #expect(try command(device()) == "take")
    #expect(try command(keyboard) == nil)
    #expect(try command(device("Pad", kind: "TOUCHPAD")) == nil)
    #expect(try command(device("Button", kind: "KEY", keys: [116])) == nil)
    var virtual = device()
    virtual.isVirtual = true
    #expect(try command(virtual) == nil)
    var refused = device()
    refused.properties?["KEYDEBOUNCE_IGNORE"] = "1"
    #expect(try command(refused) == nil)
    for device in [device(), keyboard] {
      try change(DeviceFiles(about: device, in: places).planToLeave()).make()
    }
    #expect(try command(device()) == "take")
    #expect(try command(keyboard) == "forget")
    try write(
      "[device]\nname = \"Hand\"\nignore = true\n", to: folder + "/devices.d/hand.toml")
    #expect(try command(device("Hand")) == nil)
  }
}

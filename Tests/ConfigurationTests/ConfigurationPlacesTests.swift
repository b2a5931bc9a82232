import Debounce
import EventDevices
import Foundation
import Samples
import Testing

@testable import Configuration

@Suite("Where the configuration stands")
struct ConfigurationPlacesTests {
  private let desk = DeviceDescription(DeviceIdentity(name: "desk", vendor: 1, product: 2))

  private func load(
    _ folders: String..., mustBeRoots: String? = nil, tolerant: Bool = false,
    with change: FileChange? = nil
  ) throws -> LoadedSettings {
    try LoadedSettings(
      readingFrom: ConfigurationPlaces(folders, mustBeRoots: mustBeRoots),
      toleratesBrokenDevices: tolerant, with: change)
  }

  private func file(_ name: String = "desk", threshold: Int) -> String {
    "[device]\nname = \"\(name)\"\n[debounce]\nthreshold = \(threshold)\n"
  }

  private func threshold(_ loaded: LoadedSettings) throws -> Microseconds? {
    try rulesInForce(loaded.settings, for: desk).strategy.threshold
  }

  @Test("of two files of one name the later place's is read, and the others beside it")
  func precedence() throws {
    let vendor = try Folder([
      "keydebounce.toml": "[defaults]\nthreshold = 10\ngrab-after = 3",
      "devices.d/10.toml": file(threshold: 11), "devices.d/20.toml": file("other", threshold: 12),
    ])
    let own = try Folder(["devices.d/10.toml": file(threshold: 13)])
    let loaded = try load(vendor.path, own.path)
    #expect(try threshold(loaded) == 13_000)
    #expect(loaded.settings.grabAfter == 3_000_000)
    #expect(
      loaded.files == [
        "\(vendor.path)/keydebounce.toml", "\(own.path)/devices.d/10.toml",
        "\(vendor.path)/devices.d/20.toml",
      ])
    #expect(loaded.unread.map(\.file) == ["\(vendor.path)/devices.d/10.toml"])
    #expect(
      ConfigurationSummary(of: loaded).lines.last
        == "\(vendor.path)/devices.d/10.toml: not read: \(own.path)/devices.d/10.toml takes its place"
    )
    #expect(try threshold(self.load(vendor.path)) == 11_000)
  }

  @Test("a file for every device that is read alone holds for every device")
  func defaultsAlone() throws {
    let text = "[defaults]\nthreshold = 20"
    let folder = try Folder(["keydebounce.toml": text, "keydebounce.toml.d/10.toml": text])
    for path in [
      "keydebounce.toml", "keydebounce.toml.d/10.toml",
      "keydebounce.toml.d/./../keydebounce.toml.d/10.toml",
    ] {
      let loaded = try LoadedSettings(readingFrom: "\(folder.path)/\(path)")
      #expect(try threshold(loaded) == 20_000)
      #expect(loaded.warnings.isEmpty)
    }
  }

  @Test("files in keydebounce.toml.d refine keydebounce.toml, by their names, wherever they are")
  func refinements() throws {
    let vendor = try Folder([
      "keydebounce.toml": "[defaults]\nthreshold = 10\nclaim-links = true\nflush = \"all\"",
      "keydebounce.toml.d/20.toml": "[defaults]\nthreshold = 20",
    ])
    let own = try Folder([
      "keydebounce.toml.d/10.toml": "[defaults]\nthreshold = 30\nflush = \"none\"",
      "keydebounce.toml.d/30.toml": "[defaults]\npanic = [\"KEY_A\", \"KEY_B\"]",
    ])
    let settings = try load(vendor.path, own.path).settings
    #expect(settings.rules.strategy.threshold == 20_000)
    #expect(settings.rules.flush == Flush.none)
    #expect(settings.claimsLinks)
    #expect(settings.panicChord == [30, 48])
    let broken = try Folder(["keydebounce.toml.d/10.toml": "[defaults]\nthresold = 1"])
    #expect(throws: ConfigurationErrors.self) {
      try load(vendor.path, broken.path, tolerant: true)
    }
  }

  @Test("an empty file, or a link to /dev/null, stands for none", arguments: [true, false])
  func masks(isLink: Bool) throws {
    let names = [
      "keydebounce.toml", "keydebounce.toml.d/10.toml", "devices.d/10.toml", "calibrated.d/10.toml",
    ]
    let vendor = try Folder(
      Dictionary(
        uniqueKeysWithValues: names.map { name in
          let defaults = "[defaults]\nthreshold = 10"
          return (name, name.hasPrefix("key") ? defaults : file(threshold: 10))
        }))
    let own = try Folder(
      Dictionary(uniqueKeysWithValues: names.map { ($0, "") }))
    if isLink {
      for name in names {
        unlink("\(own.path)/\(name)")
        #expect(symlink("/dev/null", "\(own.path)/\(name)") == 0)
      }
    }
    #expect(try load(vendor.path).settings != .packaged)
    let masked = try load(vendor.path, own.path)
    #expect(masked.settings == .packaged)
    #expect(masked.files.isEmpty && masked.errors.isEmpty && masked.warnings.isEmpty)
    #expect(masked.unread.count == 8)
    #expect(try LoadedSettings(readingFrom: own.path).settings == .packaged)
    #expect(
      try LoadedSettings(readingFrom: "/dev/null").settings.defaults == Settings.packaged.defaults)
  }

  @Test("what others than root could write is not read where only root may have written")
  func others() throws {
    let folder = try Folder(["devices.d/10.toml": file(threshold: 13)])
    let empty = try Folder(["README": ""])
    chmod(folder.path, 0o777)
    let refused = try load(empty.path, folder.path, mustBeRoots: folder.path)
    #expect(refused.settings == .packaged)
    #expect(refused.warnings.map(\.file) == [folder.path])
    guard geteuid() == 0 else { return }
    chmod(folder.path, 0o755)
    #expect(try threshold(load(empty.path, folder.path, mustBeRoots: folder.path)) == 13_000)
    chown(folder.path, 65534, 65534)
    #expect(try load(empty.path, folder.path, mustBeRoots: folder.path).settings == .packaged)
  }

  /// Device files that are broken, and whether it can be told which devices they are about.
  private static let broken = [
    ("[device]\nname = \"desk\"\n[keys]\nKEY_EE = 40", true),
    ("[device]\nname = \"desk\"\nignroe = true", true),
    ("[device]\nname = \"desk\"\n[keys]\nKEY_E = \n", true),
    ("[device]\nvendor = 1\n[[groups]\n", true),
    ("[device]\nname = desk\n", false), ("[keys]\nKEY_EE = 40", false),
    ("[device]\nname = \"*\"\n[keys]\nKEY_EE = 40", false), ("\u{fe}\u{0}", false),
  ]

  @Test("a broken device file has its devices left alone, and no others", arguments: broken)
  func brokenDevice(text: String, isTold: Bool) throws {
    for name in ["devices.d/10.toml", "calibrated.d/10.toml"] {
      let folder = try Folder([name: text, "devices.d/20.toml": file("other", threshold: 12)])
      #expect(throws: ConfigurationErrors.self) { try load(folder.path) }
      let loaded = try load(folder.path, tolerant: true)
      #expect(!loaded.errors.isEmpty && loaded.errors.allSatisfy { $0.file.hasSuffix(name) })
      let path = "\(folder.path)/\(name)"
      #expect(try loaded.settings.device(for: desk)?.brokenFile == (isTold ? path : nil))
      let other = DeviceDescription(DeviceIdentity(name: "other", vendor: 3, product: 4))
      let rules = try loaded.settings.device(for: other)
      #expect(rules?.brokenFile == nil && rules?.rules.strategy.threshold == 12_000)
      #expect(loaded.warnings(forDevices: [desk, other]).allSatisfy { $0.severity != .error })
    }
  }

  @Test("a file that says more about a device holds beside a broken one")
  func better() throws {
    let folder = try Folder([
      "devices.d/10.toml": "[device]\nname = \"desk\"\n[keys]\nKEY_EE = 40",
      "devices.d/20.toml": "[device]\nname = \"desk\"\nvendor = 1",
    ])
    #expect(try load(folder.path, tolerant: true).settings.device(for: desk)?.brokenFile == nil)
  }

  @Test("what cannot be read, and two files about every device, leave no keyboard alone")
  func unreadable() throws {
    let folder = try Folder([
      "devices.d/10.toml": "[debounce]\nthreshold = 11", "devices.d/20.toml": "#",
      "devices.d/30.toml/x": "", "calibrated.d": "",
    ])
    let loaded = try load(folder.path, tolerant: true)
    #expect(loaded.errors.count == 3)
    #expect(try threshold(loaded) == 11_000)
  }

  @Test("only what holds for every device must be right")
  func brokenDefaults() throws {
    for text in ["[defaults]\nthresold = 1", "[defaults"] {
      let folder = try Folder(["keydebounce.toml": text])
      #expect(throws: ConfigurationErrors.self) { try load(folder.path, tolerant: true) }
    }
    let alone = try Folder(["devices.d/10.toml": "[keys]\nKEY_EE = 1"])
    #expect(throws: ConfigurationErrors.self) {
      try LoadedSettings(
        readingFrom: ConfigurationPlaces(alone.path + "/devices.d/10.toml"),
        toleratesBrokenDevices: true)
    }
  }

  @Test("a file can be read as it would be if it were written, or deleted")
  func change() throws {
    let folder = try Folder(["keydebounce.toml": "#", "devices.d/10.toml": file(threshold: 10)])
    func threshold(_ name: String, _ text: String?) throws -> Microseconds? {
      try self.threshold(
        load(
          folder.path,
          with: FileChange(of: "\(folder.path)/\(name)", to: text.map { Array($0.utf8) })))
    }
    #expect(try threshold("devices.d/10.toml", file(threshold: 20)) == 20_000)
    #expect(try threshold("devices.d/10.toml", nil) == 25_000)
    #expect(try threshold("calibrated.d/10.toml", file(threshold: 30)) == 10_000)
    #expect(throws: ConfigurationErrors.self) { try threshold("devices.d/20.toml", "[") }
  }
}

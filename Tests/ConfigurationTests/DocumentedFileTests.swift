import Configuration
import Debounce
import EventDevices
import Foundation
import Samples
import Testing

/// What README, manuals and examples show as files: saved as it stands, each must do what is said of it, and no more.
@Suite("A file that is shown")
struct DocumentedFileTests {
  struct Block: CustomTestStringConvertible {
    let source: String
    let text: String
    var isDefaults: Bool { "\n\(text)".contains("\n[defaults]") }
    var testDescription: String { "\(source): \(text.prefix(60))" }
  }

  private static let tables = [
    "[defaults]", "[device]", "[debounce]", "[keys]", "[[groups]]", "[wheel]",
  ]

  static var blocks: [Block] {
    get throws {
      let manager = FileManager.default
      let documents =
        ["README.md", "SECURITY.md", "CONTRIBUTING.md"]
        + (try manager.subpathsOfDirectory(atPath: project.appending(path: "docs").path))
        .map { "docs/\($0)" }.filter { $0.wholeMatch(of: /.*\.(md|mdoc|[1-9])/) != nil }
      let examples =
        try manager.contentsOfDirectory(
          atPath: project.appending(path: "packaging/configuration/examples").path
        ).map { "packaging/configuration/examples/\($0)" }
      return try documents.sorted().flatMap { name in
        try blocks(in: text(of: name)).map { Block(source: name, text: $0) }
      } + examples.sorted().map { Block(source: $0, text: try text(of: $0)) }
    }
  }

  private static func text(of name: String) throws -> String {
    try String(contentsOf: project.appending(path: name), encoding: .utf8)
  }

  /// The blocks of Markdown and of mdoc that have a table of ours.
  private static func blocks(in text: String) -> [String] {
    var blocks: [String] = []
    var block: [String]?
    for line in text.components(separatedBy: "\n") {
      let isFence = line.hasPrefix("```")
      if let lines = block, isFence || line == ".Ed" {
        if lines.contains(where: { tables.contains(String($0.prefix { $0 != " " })) }) {
          blocks.append(lines.map { $0 + "\n" }.joined())
        }
        block = nil
      } else if isFence || line.hasPrefix(".Bd") {
        block = []
      } else {
        block?.append(line.replacing("\\(dq", with: "\"").replacing("\\e", with: "\\"))
      }
    }
    return blocks
  }

  private let other = DeviceDescription(
    DeviceIdentity(name: "Another keyboard", vendor: 1, product: 2, version: 3, phys: "", uniq: ""),
    links: [], properties: ["ID_INPUT_KEYBOARD": "1"], keys: KeySet(1...120))

  @Test(
    "is read without a warning, is about its device and leaves another alone",
    arguments: try blocks)
  func block(_ block: Block) throws {
    let folder = try Folder([
      block.isDefaults ? "keydebounce.toml" : "devices.d/10.toml": block.text
    ])
    #expect(folder.findings() == [])
    let settings = try LoadedSettings(readingFrom: folder.path).settings
    guard let file = settings.devices.first else {
      #expect(block.isDefaults && settings != .packaged)
      return
    }
    #expect(try settings.device(for: other) == nil)
    #expect(try rulesInForce(settings, for: other) == Settings.packaged.rules)
    #expect(file.isIgnored || file.rules != Settings.packaged.rules)
    // What is not known of a device matches.
    let name = (file.pattern.name?.pattern ?? "").replacing("*", with: "")
    let meant = DeviceDescription(
      DeviceIdentity(
        name: name, vendor: file.pattern.vendor ?? 0, product: file.pattern.product ?? 0,
        version: 0))
    #expect(try settings.device(for: meant) == file)
  }

  @Test("is one of many")
  func number() throws {
    let sources = try Dictionary(grouping: Self.blocks, by: \.source).mapValues(\.count)
    #expect(sources["README.md", default: 0] >= 1)
    #expect(sources["docs/BUTTONS.md", default: 0] >= 3)
    #expect(sources["docs/keydebounce.toml.5", default: 0] >= 8)
    #expect(sources["docs/keydebounce-remappers.7", default: 0] >= 1)
  }
}

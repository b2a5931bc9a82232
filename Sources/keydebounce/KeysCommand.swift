import ArgumentParser
import Configuration
import Debounce
import EventDevices
import Terminal

struct KeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Show the names that keys have in configuration files.",
    discussion: """
      Beside each name stands the kernel's number for the key. If your layout has another letter on the key than the name \
      says, that is shown, too: with a German layout, KEY_Y (Z). To find the name of a key, run “keydebounce monitor” \
      and press it. Needs no privilege.
      """)

  @Argument(
    help: ArgumentHelp(
      "Show only these: a part of the name (“volume”), a pattern (“KEY_F?”), or a number (“30”).",
      valueName: "filter"),
    completion: KeyNames.completion)
  var filter: String?

  @Option(
    help: .device("Show only the keys that this device has."), completion: NamedDevices.completion)
  var device: String?

  func run() throws {
    var keys = KeyList.all
    if let device {
      // A keyboard may be several devices of one name: its keys are those of all of them.
      let nodes = NamedDevices.named(device, among: try NamedDevices.all())
      guard !nodes.isEmpty else { throw NamedDeviceError.none(name: device) }
      keys.keys.removeAll { key in !nodes.contains { $0.keys.contains(key.code) } }
    }
    if let filter { keys = try keys.matching(filter) }
    keys = keys.labelled(LayoutLabels.ofSystem())
    let output = TextOutput.standard
    try output.write(output.isTerminal ? keys.grid(columns: output.columns) : keys.lines)
  }
}

struct KeyList: Equatable {
  struct Key: Equatable {
    let name: String
    let code: KeyCode
    /// The label on the key in this system's layout, if it differs from the name.
    var label: String?
  }

  var keys: [Key]

  init(_ keys: [Key]) {
    self.keys = keys
  }

  /// All keys that have a name, less `KEY_RESERVED`, the number that no key has.
  static var all: KeyList {
    KeyList(
      KeyNames.all.compactMap { name in
        KeyNames.code(named: name).map { Key(name: name, code: $0) }
      }.filter { $0.code != 0 })
  }

  /// Those whose name holds the filter or, if it has wildcards, fits it with or without the part before the
  /// underscore; and the one whose number it is.
  func matching(_ filter: String) throws(CommandError) -> KeyList {
    let wanted = filter.uppercased()
    let glob = Glob(wanted)
    let found = keys.filter { key in
      if key.code == KeyCode(filter) { return true }
      guard glob.hasWildcards else { return key.name.contains(wanted) }
      return glob.matches(key.name) || glob.matches(String(key.name.dropFirst(4)))
    }
    guard !found.isEmpty else {
      throw CommandError(
        "no key here has “\(filter.printable)” in its name. “keydebounce keys” shows all")
    }
    return KeyList(found)
  }

  func labelled(_ labels: [KeyCode: String]) -> KeyList {
    KeyList(keys.map { Key(name: $0.name, code: $0.code, label: labels[$0.code]) })
  }

  /// One key a line: name, tabulator, number; another tabulator and the label if there is one.
  var lines: String {
    keys.map { "\($0.name)\t\($0.code)\($0.label.map { "\t\($0)" } ?? "")\n" }.joined()
  }

  /// The keys in as many columns as there is room for, each read downwards.
  func grid(columns: Int) -> String {
    let cells = keys.map { key in
      "\(String(key.code).aligned(to: 3)) \(key.name)\(key.label.map { " (\($0))" } ?? "")"
    }
    guard !cells.isEmpty else { return "" }
    // No cell is narrower than eight columns.
    for count in stride(from: max(1, columns / 8), through: 1, by: -1) {
      let height = (cells.count + count - 1) / count
      let table = stride(from: 0, to: cells.count, by: height).map { start in
        TableColumn(
          "", alignment: .left, space: start == 0 ? 0 : 2,
          cells: (start..<start + height).map { StyledText($0 < cells.count ? cells[$0] : "") })
      }
      guard count == 1 || table.width <= columns else { continue }
      let sheet = Sheet(columns: columns)
      return table.spans.dropFirst().map { sheet.line($0) + "\n" }.joined()
    }
    return ""
  }
}

extension KeyNames {
  static let completion = CompletionKind.custom { _, _, _ in all }

  /// Checks that a key has this name.
  static func check(_ name: String) throws(ValidationError) {
    guard code(named: name) == nil else { return }
    let labels = name.count == 1 ? LayoutLabels.ofSystem() : [:]
    let meant = nearest(to: name, labels: labels).map { "; do you mean \($0)?" } ?? "."
    throw ValidationError(
      "no key has the name “\(name.printable)”\(meant) “keydebounce keys” lists the names")
  }
}

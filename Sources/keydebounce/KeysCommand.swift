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
      says, that is shown, too: with a German layout, Z beside KEY_Y. To find the name of a key, run “keydebounce monitor” \
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
    try TextOutput.standard.write(keys.lines(labels: LayoutLabels.ofSystem()))
  }
}

struct KeyList: Equatable {
  struct Key: Equatable {
    let name: String
    let code: KeyCode
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

  /// One key a line: name, tabulator, number; another tabulator and the label if there is one.
  func lines(labels: [KeyCode: String]) -> String {
    keys.map { "\($0.name)\t\($0.code)\(labels[$0.code].map { "\t\($0)" } ?? "")\n" }.joined()
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

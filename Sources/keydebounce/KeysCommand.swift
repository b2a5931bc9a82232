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

  @Option(
    help: .device("Show only the keys of this device, or of all devices whose name has this part."),
    completion: NamedDevices.completion)
  var device: String?

  func run() throws {
    // A keyboard may be several devices of one name: its keys are those of all of them.
    let nodes = try device.map { try NamedDevices.named($0, among: NamedDevices.all()) }
    if let nodes, nodes.isEmpty { throw NamedDeviceError.none(name: device) }
    // 0 is KEY_RESERVED, the number that no key has.
    let keys = KeyNames.all.compactMap { KeyNames.code(named: $0) }.filter { key in
      key != 0 && nodes?.contains { $0.keys.contains(key) } ?? true
    }
    try TextOutput.standard.write(Self.lines(of: keys, labels: LayoutLabels.ofSystem()))
  }

  /// One key a line: name, tabulator, number; another tabulator and the label if there is one.
  static func lines(of keys: [KeyCode], labels: [KeyCode: String]) -> String {
    keys.map { key in
      "\(KeyNames.name(of: key))\t\(key)\(labels[key].map { "\t\($0)" } ?? "")\n"
    }.joined()
  }
}

extension KeyNames {
  static let completion = CompletionKind.custom { _, _, _ in all }

  static func check(_ name: String) throws(ValidationError) {
    guard code(named: name) == nil else { return }
    let labels = name.count == 1 ? LayoutLabels.ofSystem() : [:]
    let meant = nearest(to: name, labels: labels).map { "; do you mean \($0)?" } ?? "."
    throw ValidationError(
      "no key has the name “\(name.printable)”\(meant) “keydebounce keys” lists the names")
  }
}

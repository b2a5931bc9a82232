import ArgumentParser
import Configuration
import Debounce
import EventDevices
import Terminal

struct KeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Show the names of keys that configuration files may use.",
    discussion: """
      Each is shown with the kernel's number for it, and, where this system's layout has something else on the key than \
      the name says, with that: KEY_Y (Z) with a German one. To find out what a key of yours is called, press it while \
      “keydebounce monitor” runs. Needs no privilege.
      """)

  @Argument(
    help: ArgumentHelp(
      "Show only these: a part of the name (“volume”), a pattern (“KEY_F?”), or a number (“30”).",
      valueName: "filter"),
    completion: .list([]))
  var filter: String?

  @Option(
    help: ArgumentHelp(
      "Show only the keys that this device has.", discussion: NamedDevices.help, valueName: "device"
    ),
    completion: NamedDevices.completion)
  var device: String?

  func run() throws {
    do {
      var keys = KeyList.all
      if let device { keys = try Self.keys(of: device, among: keys) }
      if let filter { keys = try keys.matching(filter) }
      keys = keys.labelled(LayoutLabels.ofSystem(in: .ofLocale))
      let terminal = Terminal.standardOutput
      try terminal.write(terminal.isTerminal ? keys.grid(columns: terminal.columns) : keys.lines)
    } catch {
      throw ExitCode.reporting(error)
    }
  }

  private static func keys(of device: String, among keys: KeyList) throws -> KeyList {
    // A keyboard may be several devices of one name: its keys are those of all of them.
    let nodes = NamedDevices.named(device, among: try NamedDevices.all())
    guard !nodes.isEmpty else { throw NamedDeviceError.none(name: device) }
    return KeyList(keys.keys.filter { key in nodes.contains { $0.keys.contains(key.code) } })
  }
}

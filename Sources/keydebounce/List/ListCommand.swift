import ArgumentParser
import Configuration
import Bus
import EventDevices
import Status
import Terminal

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show which devices there are, and what is done with each.",
    discussion: """
      For every event device: its node, its numbers (vendor:product), its name, whether keydebounce takes \
      it or leaves it alone, by which file or for which reason, what the running daemon does with it at \
      present, and whether a machine types on it; of a mouse, pedal or pad that is left alone, the command that \
      would take it. Needs no privilege.
      """)

  @OptionGroup var configuration: ConfigurationOption

  @OptionGroup var plain: PlainOption

  @Flag(
    help: "Show all devices, also those without keys and those of keydebounce, in every detail.")
  var all = false

  @Flag(
    help: ArgumentHelp(
      "Write JSON instead: a list with one object for each device.",
      discussion: """
        “node”, “name”, “bus”, “vendor”, “product”, “version”, “phys”, “uniq”, “links”, “seat”, “kinds”, “is_clone”, \
        “action” (take or leave), “reason” (why it is left), “file” (the device file that holds for it), \
        “strategy”, and “state” (what the running daemon does with it: starting, waiting, busy, debounced, lent \
        or leaving); null for what does not apply. “types_like_a_machine” is true if the daemon has found so. “command” \
        is the subcommand that would have it taken: take or forget.
        """))
  var json = false

  func run() throws {
    do {
      let loaded = try configuration.load()
      let nodes = try NamedDevices.all()
      for error in loaded.errors { report("error: \(error)") }
      for warning in loaded.warnings
        + loaded.warnings(forDevices: nodes.map(DeviceDescription.init))
      {
        report("warning: \(warning)")
      }
      let status = Self.status()
      let devices = nodes.map { node in
        let known = status?.devices.first { $0.node == node.path }
        let decision = Selection.automatic.decide(on: node, by: loaded.settings)
        return ListedDevice(
          node, decision, state: known?.state,
          typesLikeAMachine: known?.counts?.typesLikeAMachine ?? false,
          command: ListedDevice.command(toTake: node, decision, by: loaded.settings))
      }
      let terminal = Terminal.standardOutput
      guard !json else {
        return try terminal.write(
          String(decoding: StatusJSON.encode(devices, isPretty: true), as: UTF8.self) + "\n")
      }
      guard !devices.isEmpty else {
        return report("no event device is there, or udev, which knows them, is not running")
      }
      var sheet = Sheet(for: terminal, isPlain: plain.isPlain)
      // What is not read on a terminal is searched line by line.
      if !terminal.isTerminal { sheet.columns = 1 << 20 }
      let table = ListTable(on: sheet, showsAll: all)
      try terminal.write(table.text(of: devices, isRunning: status != nil))
    } catch {
      throw ExitCode.reporting(error)
    }
  }

  /// The daemon's status; `nil` if there is no daemon, or none that can be asked.
  private static func status() -> DaemonStatus? {
    do {
      return try DaemonClient().status()
    } catch {
      return nil
    }
  }
}

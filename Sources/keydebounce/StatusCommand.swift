import ArgumentParser
import Configuration
import Control
import Debounce
import EventDevices
import Files
import Glibc
import Reports
import Status
import SystemPackage
import Terminal

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show what the running daemon does, and which keys chatter.",
    discussion: """
      Asks the daemon, and shows each device that it holds, and what it has removed: press bounces (A), release bounces (B) and \
      drop-outs of held keys (C). The keys follow, the worst first. Only root may ask: whoever saw counts grow could tell what \
      is typed. If another program has grabbed a device, you see which programs have it open, and what to write so that both \
      work.

      Keys have the kernel's names, as in the configuration. A name stands for a place on the keyboard. If your layout \
      has another letter there, that is shown, too: with a French layout, KEY_Q (A).

      Have you replaced or cleaned a switch? With --reset, the daemon drops what it has counted and learned of a device, \
      or of one key.
      """)

  @Flag(help: "Show all keys, healthy ones, too.")
  var all = false

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Whether to draw keyboards, each key coloured by its chatter. (default: where there are colours)"
    ))
  var keyboard: Bool?

  @Flag(
    help: ArgumentHelp(
      "Show how much the worst keys chattered in each month instead.",
      discussion: "With --json: each key's counts of each day. The daemon keeps the last 400 days.")
  )
  var history = false

  @OptionGroup var plain: PlainOption

  @Flag(help: "Write the status as JSON instead.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Show what --json has written instead of asking the daemon.",
      discussion: "“-” for standard input.",
      valueName: "file"))
  var from: String?

  @Option(
    help: .device("Drop what the daemon has counted and learned of this device, on disk, too."),
    completion: NamedDevices.completion)
  var reset: String?

  @Option(
    help: ArgumentHelp(
      "With --reset: drop it of this key alone, such as KEY_E.", valueName: "key"),
    completion: KeyNames.completion)
  var key: String?

  func validate() throws {
    if key != nil, reset == nil { throw ValidationError("--key goes with --reset.") }
    if let key { try KeyNames.check(key) }
    if reset != nil, json || all || keyboard != nil || from != nil || history {
      throw ValidationError("--reset can only be combined with --key.")
    }
    if history, keyboard != nil {
      throw ValidationError(
        "--history can only be combined with --json, --all, --plain and --from.")
    }
  }

  func run() throws {
    if let from {
      return try history
        ? write(decode(CountedHistory.self, in: from, of: "--history --json"))
        : write(decode(DaemonStatus.self, in: from, of: "--json") { $0.isPlausible }, labels: [:])
    }
    var client = try Self.client()
    let status = try client.status()
    if let reset {
      let node = try NamedDevices.path(named: reset, preferring: status.devices.map(\.node))
      try client.reset(node, key: key)
      let title = status.devices.first { $0.node == node }?.device.title ?? node
      return report(
        "dropped what was counted and learned of \(key.map { "\($0) on " } ?? "")“\(title)”")
    }
    guard history else {
      return try write(status, labels: json ? [:] : LayoutLabels.ofSystem())
    }
    var devices: [CountedHistory.Device] = []
    for device in status.devices {
      devices.append(
        CountedHistory.Device(
          node: device.node, device: device.device, days: try client.history(of: device.node),
          name: KeyNames.name(of:)))
    }
    try write(CountedHistory(devices: devices))
  }

  /// A connection to the daemon.
  ///
  /// - Throws: ``ControlError``; where no daemon runs because the configuration has errors, ``CommandError`` with these.
  private static func client() throws -> DaemonClient {
    do {
      return try DaemonClient(toCall: .status)
    } catch {
      guard error == .notRunning else { throw error }
    }
    do {
      _ = try ConfigurationOption.load()
    } catch {
      throw CommandError(
        error.description
          + "\nwith these errors, the service does not start: correct them, then run “sudo systemctl restart keydebounce”"
      )
    }
    throw ControlError.notRunning
  }

  /// Reads what `--json` has written from a file, or from standard input for “-”.
  private func decode<Value: Decodable>(
    _ type: Value.Type, in file: String, of option: String,
    if isPlausible: (Value) -> Bool = { _ in true }
  ) throws -> Value {
    do {
      let value = try StatusJSON.decode(type, from: InputFile(file).contents())
      if isPlausible(value) { return value }
    } catch let error as FileError where error.reason != .fileTooLarge {
      throw error
    } catch {}
    let title = file == "-" ? "standard input" : file
    throw CommandError("\(title) was not written by “keydebounce status \(option)”")
  }

  private func write(_ history: CountedHistory) throws {
    let output = TextOutput.standard
    if json { return try output.write(json: history) }
    try output.write(HistoryReport(of: history, hasAllKeys: all, on: plain.sheet).text)
  }

  /// - Parameter labels: The labels on keys. A status from a file may be of a keyboard with another layout: it gets none.
  private func write(_ status: DaemonStatus, labels: [KeyCode: String]) throws {
    let output = TextOutput.standard
    if json { return try output.write(json: status) }
    let report = StatusReport(
      of: status, hasAllKeys: all, hasKeyboard: keyboard, held: held(in: status), labels: labels,
      on: plain.sheet)
    try output.write(report.text)
  }

  /// Finds out which programs have grabbed devices. Root's process can see other programs; the daemon cannot.
  private func held(in status: DaemonStatus) -> [String: HeldDevice] {
    guard from == nil else { return [:] }
    let busy = status.devices.filter { $0.state == .busy }.map(\.node)
    return HeldDevice.all(of: busy, daemon: pid_t(status.pid))
  }
}

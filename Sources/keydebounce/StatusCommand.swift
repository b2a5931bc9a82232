import ArgumentParser
import Calibration
import Configuration
import Bus
import EventDevices
import Glibc
import Status
import SystemPackage
import Terminal

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show what the running daemon does, and which keys chatter.",
    discussion: """
      Asks the daemon over the system bus, and shows each device that it has taken and what it has removed: \
      press bounces (A), release bounces (B) and drop-outs of held keys (C). Then the keys, the worst first. \
      What was counted is shown to root, and to the group “keydebounce” as it was at the last whole minute: whoever \
      saw counts grow could tell what is typed. Of a device that another program has grabbed, root is shown which \
      programs have it open, and what to write so that both work.

      Keys have the kernel's names, as in the configuration. These name a key's place; where this system's layout has \
      something else on the key, that is shown, too: with a French layout, KEY_Q (A).

      With --reset, the daemon drops what it has counted and learned of a device, or of one key: for a switch that \
      was replaced or cleaned.
      """)

  @Flag(help: "Show all keys that were counted, healthy ones, too.")
  var all = false

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Draw keyboards with their keys coloured by chatter. (default: where there are colours)"))
  var keyboard: Bool?

  @Flag(
    help: ArgumentHelp(
      "Show how the worst keys wore, month by month, instead.",
      discussion: "With --json, what was counted of each key on each day. Days are kept for 400."))
  var history = false

  @OptionGroup var plain: PlainOption

  @Flag(help: "Write the status as JSON instead.")
  var json = false

  @Flag(
    name: .customLong("openmetrics"),
    help: ArgumentHelp(
      "Write counters for a monitoring system instead.",
      discussion: """
        In the text form of OpenMetrics 1.0, which Prometheus and others collect. The gauge \
        keydebounce_counted_timestamp_seconds is the time of the counters: the last whole minute for others than root.
        """))
  var openMetrics = false

  @Flag(
    help: ArgumentHelp(
      "The same in Prometheus's older text form.",
      discussion: """
        For node_exporter, which reads it from a file: keydebounce-metrics.timer writes one each minute. The label \
        “device” is the same after each boot; of two devices of a kind, the one with the later node is “#2”.
        """))
  var prometheus = false

  @Flag(
    help: ArgumentHelp(
      "With --openmetrics and --prometheus: counters of single keys, too.",
      discussion: """
        A monitoring system stores how each counter rises from minute to minute: whoever may look at it learns \
        which keys were pressed in each. Leave this out unless that is you alone.
        """))
  var keys = false

  @Option(
    help: ArgumentHelp(
      "Show what --json has written, and ask no daemon.", discussion: "“-” for standard input.",
      valueName: "file"))
  var from: String?

  @Option(
    help: ArgumentHelp(
      "Drop what was counted and learned of this device, in the daemon and on disk.",
      discussion: NamedDevices.help, valueName: "device"), completion: NamedDevices.completion)
  var reset: String?

  @Option(
    help: ArgumentHelp(
      "With --reset: of this key alone, such as KEY_E.", valueName: "key"),
    completion: KeyNames.completion)
  var key: String?

  func validate() throws {
    if key != nil, reset == nil { throw ValidationError("--key goes with --reset.") }
    if let key, KeyNames.code(named: key) == nil {
      throw ValidationError("\(NoSuchKeyName(name: key))")
    }
    let forms = [json, openMetrics, prometheus].count { $0 }
    if reset != nil, forms > 0 || all || keyboard != nil || from != nil || history {
      throw ValidationError("--reset can only be combined with --key.")
    }
    if forms > 1 {
      throw ValidationError("Give one of --json, --openmetrics and --prometheus.")
    }
    if history, metricsForm != nil || keyboard != nil {
      throw ValidationError(
        "--history can only be combined with --json, --all, --plain and --from.")
    }
    if keys, metricsForm == nil {
      throw ValidationError("--keys goes with --openmetrics and --prometheus.")
    }
  }

  private var metricsForm: MetricsForm? {
    openMetrics ? .openMetrics : prometheus ? .prometheus : nil
  }

  func run() throws {
    do {
      if let reset { return try drop(reset) }
      if history { return try Terminal.standardOutput.write(text(of: countedHistory())) }
      try Terminal.standardOutput.write(text(of: status()))
    } catch {
      throw ExitCode.reporting(error)
    }
  }

  private func drop(_ name: String) throws {
    let client = try DaemonClient()
    let device = try DevicesWithCounts.named(
      name, leadingTo: NamedDevices.path(name), among: client.status().devices)
    try client.reset(device.node, key: key)
    report(
      "what was counted and learned of \(key.map { "\($0) on " } ?? "")“\(device.device.name.printable)” is dropped"
    )
  }

  private func status() throws -> DaemonStatus {
    if let from { return try Self.status(in: from) }
    let client = try DaemonClient()
    do {
      return try client.status()
    } catch {
      guard error == .notRunning else { throw error }
      throw NoDaemon(hasFailed: client.hasFailed())
    }
  }

  /// What `--json` has written into a file, or to standard input.
  static func status(in file: String) throws -> DaemonStatus {
    do {
      return try StatusJSON.decode(DaemonStatus.self, from: InputFile(file).contents())
    } catch is DecodingError {
      throw NoStatus(file: file)
    } catch let error as FileError where error.reason == .fileTooLarge {
      throw NoStatus(file: file)
    }
  }

  private func countedHistory() throws -> CountedHistory {
    guard let from else {
      let client = try DaemonClient()
      return CountedHistory(
        devices: try client.status().devices.map { device in
          CountedHistory.Device(
            node: device.node, device: device.device, days: try client.history(of: device.node),
            name: KeyNames.name(of:))
        })
    }
    do {
      return try StatusJSON.decode(CountedHistory.self, from: InputFile(from).contents())
    } catch is DecodingError {
      throw NoStatus(file: from, option: "--history --json")
    }
  }

  private func text(of history: CountedHistory) throws -> String {
    if json { return try prettyJSON(of: history) }
    let sheet = Sheet(for: .standardOutput, isPlain: plain.isPlain)
    return HistoryReport(of: history, hasAllKeys: all, on: sheet).text
  }

  private func prettyJSON(of value: some Encodable) throws -> String {
    String(decoding: try StatusJSON.encode(value, isPretty: true), as: UTF8.self) + "\n"
  }

  private func text(of status: DaemonStatus) throws -> String {
    if json { return try prettyJSON(of: status) }
    if let metricsForm {
      guard !keys || from != nil || status.devices.allSatisfy({ $0.keys != nil }) else {
        throw ControlError.refused(member: "Statistics")
      }
      return StatusMetrics(of: status, as: metricsForm, hasKeys: keys).text
    }
    return StatusReport(
      of: status,
      options: StatusReport.Options(
        hasAllKeys: all, hasKeyboard: keyboard, held: held(in: status),
        // What was written elsewhere may be of a keyboard with another layout.
        labels: from == nil ? LayoutLabels.ofSystem(in: .ofLocale) : [:]),
      on: Sheet(for: .standardOutput, isPlain: plain.isPlain)
    ).text
  }

  /// What can be found out of the devices that other programs have grabbed, by root alone: the daemon sees no other
  /// program, and its users see none that is not theirs.
  private func held(in status: DaemonStatus) -> [String: HeldDevice] {
    guard from == nil, geteuid() == 0 else { return [:] }
    let busy = status.devices.filter { $0.state == .busy }.compactMap { device in
      HeldDevice(node: device.node, daemon: pid_t(status.pid)).map { (device.node, $0) }
    }
    return Dictionary(busy) { first, _ in first }
  }
}

/// That no daemon answers, and why that may be.
private struct NoDaemon: Error, CustomStringConvertible {
  /// Whether systemd has the service for failed.
  let hasFailed: Bool

  var description: String {
    do {
      _ = try ConfigurationOption.load()
    } catch {
      return error.description
        + "\nthe service does not start with these settings: mend them, and call “sudo systemctl restart keydebounce”"
    }
    let reason = ControlError.notRunning
    guard hasFailed else { return "\(reason)" }
    return """
      \(reason)
      the service has failed. If that was too often, systemd starts it no more: “sudo systemctl reset-failed keydebounce” \
      has it forget that
      """
  }
}

/// A file that tells no status.
private struct NoStatus: Error, CustomStringConvertible {
  let file: String
  var option = "--json"

  var description: String {
    "\(file == "-" ? "standard input" : file) is nothing that “keydebounce status \(option)” has written"
  }
}

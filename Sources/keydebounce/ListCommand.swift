import ArgumentParser
import Bus
import Calibration
import Configuration
import Debounce
import EventDevices
import Status
import Terminal

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show devices, and what keydebounce does with each.",
    discussion: """
      For every event device: its node, its numbers (vendor:product) and its name. Below: whether keydebounce debounces \
      it (take) or leaves it alone, by which file or for which reason, what the daemon does with it now, and whether \
      a machine types on it. If it leaves a mouse, pedal or pad alone, you see the command that changes this. Needs no privilege.
      """)

  @OptionGroup var configuration: ConfigurationOption

  @OptionGroup var plain: PlainOption

  @Flag(
    help: "Show also devices without keys and keydebounce's own clones, in every detail."
  )
  var all = false

  @Flag(
    help: ArgumentHelp(
      "Write JSON instead: a list with one object for each device.",
      discussion: """
        “node”, “name”, “bus”, “vendor”, “product”, “version”, “phys”, “uniq”, “links”, “seat”, “kinds”, “is_clone”, \
        “action” (take or leave), “reason” (why keydebounce leaves it alone), “file” (the device file with its settings), \
        “strategy”, and “state” (what the daemon does with it now: starting, waiting, busy, debounced, handed-over or \
        leaving). What does not apply is null. “types_like_a_machine” is true if the daemon has found so. “command” is the \
        subcommand after which keydebounce would debounce it: take or forget.
        """))
  var json = false

  func run() throws {
    let loaded = try configuration.load()
    let nodes = try NamedDevices.all()
    for error in loaded.errors { report("error: \(error)") }
    for warning in loaded.warnings
      + loaded.warnings(forDevices: nodes.map(DeviceDescription.init))
    {
      report("\(warning.severity.rawValue): \(warning)")
    }
    let status = Self.status()
    let devices = nodes.map { node in
      let known = status?.devices.first { $0.node == node.path }
      let decision = Selection.automatic.decide(on: node, by: loaded.settings)
      return ListedDevice(
        node, decision, state: known?.state, isPaused: known?.isPaused ?? false,
        typesLikeAMachine: known?.counts?.typesLikeAMachine ?? false,
        command: ListedDevice.command(toTake: node, decision, by: loaded.settings))
    }
    let output = TextOutput.standard
    guard !json else {
      return try output.write(StatusJSON.encode(devices, isPretty: true) + [UInt8(ascii: "\n")])
    }
    guard !devices.isEmpty else {
      return report("there is no event device, or udev, which lists them, does not run")
    }
    var sheet = Sheet(for: output, isPlain: plain.isPlain)
    // What is not read on a terminal is searched line by line.
    if !output.isTerminal { sheet.columns = 1 << 20 }
    let table = ListTable(on: sheet, showsAll: all)
    try output.write(table.text(of: devices, isRunning: status != nil))
  }

  /// The daemon's status; `nil` if there is no daemon, or none that can be asked.
  private static func status() -> DaemonStatus? { try? DaemonClient().status() }
}

/// The devices as a person reads them: one under the other, in as many lines as the terminal's width needs.
///
/// ```
/// DEVICE             IDS        KIND      NAME
/// /dev/input/event3  3434:0120  keyboard  Keychron K2
///   take: adaptive, by the defaults; now debounced
///   at usb-0000:00:14.0-2/input0, by-id/usb-Keychron_K2-event-kbd
/// /dev/input/event4  046d:c077  mouse     Logitech USB Optical Mouse
///   leave: no keyboard, and no device file is about it; “sudo keydebounce take event4” takes it
/// ```
struct ListTable {
  /// From this width on, what is done with a device stands beside it and not below.
  private static let wide = 120

  private let sheet: Sheet
  private let showsAll: Bool

  init(on sheet: Sheet, showsAll: Bool = false) {
    self.sheet = sheet
    self.showsAll = showsAll
  }

  func text(of devices: [ListedDevice], isRunning: Bool) -> String {
    let shown = devices.filter { showsAll || !$0.node.isClone && !$0.node.keys.isEmpty }
    var cells = [Self.titles] + shown.map(Self.cells)
    var widths = Self.titles.indices.map { column in cells.map { $0[column].columns }.max() ?? 0 }
    // The node and the name stay. Only a long name makes a row wrap.
    while widths.count > 2,
      widths.dropLast().reduce(min(widths.last ?? 0, 24), { $0 + $1 + 2 }) > sheet.columns
    {
      widths.remove(at: 1)
      for row in cells.indices { cells[row].remove(at: 1) }
    }
    let rows = cells.map { row in zip(row, widths).map { $0.padded(to: $1 + 2) }.joined() }
    let width = widths.reduce(0) { $0 + $1 + 2 }
    // There must be room for some words.
    let isWide = sheet.columns >= Self.wide && sheet.columns - width >= 40

    if sheet.isPlain { return plain(shown, devices, isRunning) }
    var lines: [String] = []
    if !shown.isEmpty {
      lines.append(
        sheet.line([StyledText(rows[0] + (isWide ? "WHAT KEYDEBOUNCE DOES" : ""), .bold)]))
    }
    for (device, row) in zip(shown, rows.dropFirst()) {
      let action = [StyledText(device.action, device.isTaken ? .green : .faint)]
      if isWide {
        lines += sheet.wrapped(action, after: [StyledText(row)])
      } else {
        lines.append(sheet.line([StyledText(row)]))
        lines += sheet.wrapped(action, after: [.blank(2)], hang: 2)
      }
      guard showsAll || device.isTaken else { continue }
      for place in places(of: device.node) {
        lines += sheet.wrapped([StyledText(place, .faint)], after: [.blank(2)], hang: 2)
      }
    }
    lines += notes(devices, shown, isRunning).map { sheet.line([StyledText($0, .faint)]) }
    return lines.map { $0 + "\n" }.joined()
  }

  /// A fact a line.
  private func plain(
    _ shown: [ListedDevice], _ devices: [ListedDevice], _ isRunning: Bool
  ) -> String {
    let lines = shown.flatMap { device -> [String] in
      let numbers = device.kinds.isEmpty ? "" : "kind: \(device.kinds.joined(separator: ", "))"
      let places = showsAll || device.isTaken ? self.places(of: device.node) : []
      return ["\(device.node.title), \(device.node.path)", "numbers: \(device.numbers)", numbers]
        + [device.action] + places
    }
    return (lines + notes(devices, shown, isRunning)).filter { !$0.isEmpty }
      .map { sheet.line([StyledText($0)]) + "\n" }.joined()
  }

  private static let titles = ["DEVICE", "IDS", "KIND", "NAME"]

  private static func cells(_ device: ListedDevice) -> [String] {
    [
      device.node.path, device.numbers,
      device.kinds.isEmpty ? "-" : device.kinds.joined(separator: ","), device.node.title,
    ]
  }

  /// What distinguishes the device from others like it.
  private func places(of node: DeviceNode) -> [String] {
    var places = node.phys.isEmpty ? [] : ["at \(node.phys.printable)"]
    // By what it is, not by where it is plugged in: that is in the table already.
    places += node.links.filter { showsAll || $0.contains("/by-id/") }.map(\.printable)
    if showsAll, let uniq = node.identity.uniq, !uniq.isEmpty {
      places.append("uniq \(uniq.printable)")
    }
    if node.seat != Seat.first { places.append("seat \(node.seat.printable)") }
    return places
  }

  private func notes(
    _ devices: [ListedDevice], _ shown: [ListedDevice], _ isRunning: Bool
  ) -> [String] {
    var notes: [String] = []
    let hidden = devices.count - shown.count
    if hidden > 0 {
      notes.append(
        "\(hidden) more without keys or made by keydebounce itself; --all shows them")
    }
    if !isRunning {
      notes.append("no daemon answers: this is what it would do")
    }
    return notes
  }
}

/// A device as `list` shows it.
struct ListedDevice {
  let node: DeviceNode
  /// What is to be done with it.
  let decision: Selection.Decision
  /// What the running daemon does with it; `nil` if it does nothing, or does not run.
  let state: DeviceStatus.State?
  /// Whether everything passes it as it is, for a while.
  let isPaused: Bool
  /// Whether the daemon has found that a machine types on it.
  let typesLikeAMachine: Bool
  /// The subcommand that would have it taken; `nil` if it is taken, or none would.
  let command: String?

  init(
    _ node: DeviceNode, _ decision: Selection.Decision, state: DeviceStatus.State?,
    isPaused: Bool = false, typesLikeAMachine: Bool = false, command: String? = nil
  ) {
    (self.command, self.node, self.decision) = (command, node, decision)
    (self.state, self.isPaused) = (state, isPaused)
    self.typesLikeAMachine = typesLikeAMachine
  }

  var isTaken: Bool {
    if case .take = decision { true } else { false }
  }

  /// What is to be done and why, and what the daemon does now, in words.
  var action: String {
    let action =
      switch decision {
      case .leave(let reason): "leave: \(reason.printable)" + advice
      case .take(let settings): "take: \(settings.rules.summary), \(settings.source)"
      }
    let now = isPaused ? DeviceStatus.pausedInWords : state?.inWords
    return action + (now.map { "; now \($0)" } ?? "")
      + (typesLikeAMachine ? "; \(DeviceStatus.machineInWords)" : "")
  }

  /// Which command takes what is left alone, in words.
  private var advice: String {
    let name = node.path.split(separator: "/").last ?? ""
    return command.map { "; “sudo keydebounce \($0) \(name)” changes this" } ?? ""
  }

  /// The subcommand that would have a device taken; `nil` if it is taken, or none would.
  static func command(
    toTake node: DeviceNode, _ decision: Selection.Decision, by settings: Settings
  ) -> String? {
    if case .take = decision { return nil }
    return node.isClone ? nil : DeviceFiles.command(toTake: DeviceDescription(node), by: settings)
  }

  /// What udev takes the device for.
  var kinds: [String] {
    DeviceNode.Kinds.names.filter { node.kinds.contains($0.kind) }.map(\.name)
  }

  var numbers: String {
    [node.identity.vendor, node.identity.product].map { $0.hexadecimal() }.joined(separator: ":")
  }
}

extension EffectiveSettings {
  fileprivate var source: String {
    file.map { "by \($0.printable)" } ?? "by the defaults"
  }
}

extension Rules {
  fileprivate var summary: String {
    var parts = [strategy.name]
    switch keys.count {
    case 0: break
    case 1: parts.append("1 key in another way")
    default: parts.append("\(keys.count) keys in another way")
    }
    if !groups.isEmpty { parts.append(groups.count == 1 ? "1 group" : "\(groups.count) groups") }
    return parts.joined(separator: ", ")
  }
}

extension ListedDevice: Encodable {
  private struct Fields: Encodable {
    let node, name: String
    let bus, vendor, product, version: UInt16
    let phys: String
    @OrNull var uniq: String?
    let links: [String]
    let seat: String
    let kinds: [String]
    let isClone: Bool
    let action: String
    @OrNull var reason: String? = nil
    @OrNull var file: String? = nil
    @OrNull var strategy: String? = nil
    @OrNull var state: DeviceStatus.State?
    let typesLikeAMachine: Bool
    @OrNull var command: String?
  }

  func encode(to encoder: any Encoder) throws {
    let identity = node.identity
    var fields = Fields(
      node: node.path, name: node.name, bus: identity.bus, vendor: identity.vendor,
      product: identity.product, version: identity.version, phys: node.phys, uniq: identity.uniq,
      links: node.links, seat: node.seat, kinds: kinds, isClone: node.isClone,
      action: isTaken ? "take" : "leave", state: state, typesLikeAMachine: typesLikeAMachine,
      command: command)
    switch decision {
    case .leave(let why): fields.reason = why
    case .take(let settings):
      (fields.file, fields.strategy) = (settings.file, settings.rules.strategy.name)
    }
    try fields.encode(to: encoder)
  }
}

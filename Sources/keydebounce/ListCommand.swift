import ArgumentParser
import Configuration
import Debounce
import DeviceFiles
import EventDevices
import Reports
import Status
import Terminal

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show devices, and what keydebounce does with each.",
    discussion: """
      For every event device: its node, its numbers (vendor:product) and its name. Below: whether keydebounce debounces \
      it (take) or leaves it alone, by which file or for which reason, and whether it is debounced now: then it has a clone. \
      If keydebounce leaves a mouse, pedal or pad alone, you see the command that changes this. Needs no privilege.
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
        “strategy”, and “is_debounced” (whether it has a clone now). What does not apply is null. “command” is the \
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
    let devices = nodes.map { node in
      ListedDevice(node, by: loaded.settings, isDebounced: node.clone(among: nodes) != nil)
    }
    let output = TextOutput.standard
    guard !json else { return try output.write(json: devices) }
    guard !devices.isEmpty else {
      return report("\(NamedDeviceError.noDevices())")
    }
    var sheet = plain.sheet
    // Output that goes to a file or a pipe is searched line by line: nothing is wrapped.
    if !output.isTerminal { sheet.columns = 1 << 20 }
    try output.write(ListTable(sheet: sheet, showsAll: all).text(of: devices))
  }
}

/// The devices as a person reads them: one under the other, in as many lines as the terminal's width needs.
///
/// ```
/// DEVICE             IDS        KIND      NAME
/// /dev/input/event3  3434:0120  keyboard  Keychron K2
///   take: adaptive, by the defaults; now debounced
///   at usb-0000:00:14.0-2/input0, by-id/usb-Keychron_K2-event-kbd
/// /dev/input/event4  046d:c077  mouse     Logitech USB Optical Mouse
///   leave: no keyboard, and no device file is about it; “sudo keydebounce take event4” changes this
/// ```
struct ListTable {
  /// From this width on, what is done with a device stands beside it and not below.
  private static let wide = 120

  let sheet: Sheet
  var showsAll = false

  func text(of devices: [ListedDevice]) -> String {
    let shown = devices.filter { showsAll || !$0.node.isClone && !$0.node.keys.isEmpty }
    var lines = sheet.isPlain ? shown.flatMap(facts) : table(shown)
    let hidden = devices.count - shown.count
    let notes = [
      hidden > 0
        ? "\(hidden) more without keys or made by keydebounce itself; --all shows them" : "",
      devices.contains(where: \.isDebounced)
        ? "" : "no device is debounced now: this is what the daemon would do",
    ]
    lines += notes.filter { !$0.isEmpty }.map { sheet.line([StyledText($0, .faint)]) }
    return lines.map { $0 + "\n" }.joined()
  }

  private func table(_ devices: [ListedDevice]) -> [String] {
    var columns = [
      devices.column("DEVICE", .left, space: 0) { StyledText($0.node.path) },
      devices.column("IDS", .left) { StyledText($0.node.identity.numbers) },
      devices.column("KIND", .left) {
        StyledText($0.kinds.isEmpty ? "-" : $0.kinds.joined(separator: ","))
      },
      devices.column("NAME", .left) { StyledText($0.node.identity.title) },
    ]
    // The node and the name stay. Only a long name makes a row wrap.
    while columns.count > 2,
      columns.width - max(0, columns[columns.count - 1].width - 24) > sheet.columns
    {
      columns.remove(at: 1)
    }
    // There must be room for some words.
    let isWide = sheet.columns >= max(Self.wide, columns.width + 42)
    let rows = columns.spans
    guard !devices.isEmpty else { return [] }
    let titles = rows[0].map(\.text).joined() + (isWide ? "  WHAT KEYDEBOUNCE DOES" : "")
    return [sheet.line([StyledText(titles, .bold)])]
      + zip(devices, rows.dropFirst()).flatMap { device, row in
        let action = [StyledText(device.action, device.isTaken ? .green : .faint)]
        return
          (isWide
          ? sheet.wrapped(action, after: row + [.blank(2)])
          : [sheet.line(row)] + sheet.wrapped(action, after: [.blank(2)], hang: 2))
          + places(of: device).flatMap {
            sheet.wrapped([StyledText($0, .faint)], after: [.blank(2)], hang: 2)
          }
      }
  }

  private func facts(_ device: ListedDevice) -> [String] {
    let node = device.node
    let facts =
      ["\(node.identity.title), \(node.path)", "numbers: \(node.identity.numbers)"]
      + (device.kinds.isEmpty ? [] : ["kind: \(device.kinds.joined(separator: ", "))"])
      + [device.action] + places(of: device)
    return facts.map { sheet.line([StyledText($0)]) }
  }

  /// The device's places, links and seat, which tell it from others of its name.
  private func places(of device: ListedDevice) -> [String] {
    guard showsAll || device.isTaken else { return [] }
    let node = device.node
    var places = node.phys.isEmpty ? [] : ["at \(node.phys.printable)"]
    // Links by identity, not by place: the place is in the table already.
    places += node.links.filter { showsAll || $0.contains("/by-id/") }.map(\.printable)
    if showsAll, let uniq = node.identity.uniq, !uniq.isEmpty {
      places.append("uniq \(uniq.printable)")
    }
    if node.seat != Seat.first { places.append("seat \(node.seat.printable)") }
    return places
  }
}

struct ListedDevice {
  let node: DeviceNode
  let decision: Selection.Decision
  /// Whether it is debounced now: it has a clone.
  let isDebounced: Bool
  /// The subcommand after which the device would be taken; `nil` if it is taken already, or if there is none.
  let command: String?

  init(_ node: DeviceNode, by settings: Settings, isDebounced: Bool = false) {
    (self.node, self.isDebounced) = (node, isDebounced)
    decision = Selection.automatic.decide(on: node, by: settings)
    command =
      decision.reasonToLeave == nil || node.isClone
      ? nil : DeviceFiles.command(toTake: DeviceDescription(node), by: settings)
  }

  var isTaken: Bool { decision.reasonToLeave == nil }

  /// The decision, its reason, and whether the device is debounced now, in words.
  var action: String {
    let action =
      switch decision {
      case .leave(let reason): "leave: \(reason.printable)"
      case .take(let settings):
        "take: \(settings.rules.summary), by \(settings.file?.printable ?? "the defaults")"
      }
    let name = node.path.split(separator: "/").last ?? ""
    let advice = command.map { "“sudo keydebounce \($0) \(name)” changes this" }
    let now = isDebounced ? "now debounced" : nil
    return [action, advice, now].compactMap(\.self).joined(separator: "; ")
  }

  var kinds: [String] {
    DeviceNode.Kind.allCases.filter(node.kinds.contains).map(\.rawValue)
  }
}

extension Selection.Decision {
  /// Why the device is left alone; `nil` if it is taken.
  var reasonToLeave: String? { if case .leave(let reason) = self { reason } else { nil } }
}

extension Rules {
  fileprivate var summary: String {
    strategy.name + (keys.isEmpty ? "" : ", \(keys.count.counted("key")) in another way")
      + (groups.isEmpty ? "" : ", " + groups.count.counted("group"))
  }
}

extension ListedDevice: Encodable {
  func encode(to encoder: any Encoder) throws {
    let effective: EffectiveSettings? =
      if case .take(let settings) = decision { settings } else { nil }
    var json = encoder.container(keyedBy: FieldName.self)
    try json.encode(node.path, forKey: "node")
    // The device's name and numbers.
    try node.identity.encode(to: encoder)
    try json.encode(node.phys, forKey: "phys")
    try json.encode(node.identity.uniq, forKey: "uniq")
    try json.encode(node.links, forKey: "links")
    try json.encode(node.seat, forKey: "seat")
    try json.encode(kinds, forKey: "kinds")
    try json.encode(node.isClone, forKey: "is_clone")
    try json.encode(isTaken ? "take" : "leave", forKey: "action")
    try json.encode(decision.reasonToLeave, forKey: "reason")
    try json.encode(effective?.file, forKey: "file")
    try json.encode(effective?.rules.strategy.name, forKey: "strategy")
    try json.encode(isDebounced, forKey: "is_debounced")
    try json.encode(command, forKey: "command")
  }
}

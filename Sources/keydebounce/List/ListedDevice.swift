import Calibration
import Configuration
import Debounce
import EventDevices
import Status
import Terminal

/// A device as `list` shows it.
struct ListedDevice {
  let node: DeviceNode
  /// What is to be done with it.
  let decision: Selection.Decision
  /// What the running daemon does with it; `nil` if it does nothing, or does not run.
  let state: DeviceStatus.State?
  /// Whether the daemon has found that a machine types on it.
  let typesLikeAMachine: Bool
  /// The subcommand that would have it taken; `nil` if it is taken, or none would.
  let command: String?

  init(
    _ node: DeviceNode, _ decision: Selection.Decision, state: DeviceStatus.State?,
    typesLikeAMachine: Bool = false, command: String? = nil
  ) {
    self.command = command
    self.node = node
    self.decision = decision
    self.state = state
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
    return action + (state.map { "; now \($0.inWords)" } ?? "")
      + (typesLikeAMachine ? "; \(DeviceStatus.machineInWords)" : "")
  }

  /// Which command takes what is left alone, in words.
  private var advice: String {
    let name = node.path.split(separator: "/").last ?? ""
    return command.map { "; “sudo keydebounce \($0) \(name)” takes it" } ?? ""
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
    let names: [(DeviceNode.Kinds, String)] = [
      (.keyboard, "keyboard"), (.mouse, "mouse"), (.touchpad, "touchpad"),
      (.touchscreen, "touchscreen"), (.tablet, "tablet"), (.joystick, "joystick"),
      (.switch, "switch"),
    ]
    return names.filter { node.kinds.contains($0.0) }.map(\.1)
  }

  /// Vendor and product, as lsusb writes them.
  var numbers: String {
    [node.identity.vendor, node.identity.product].map { $0.hexadecimal() }.joined(separator: ":")
  }
}

extension EffectiveSettings {
  /// Where the settings are from, in words.
  fileprivate var source: String {
    file.map { "by \($0.printable)" } ?? "by the defaults"
  }
}

extension Rules {
  /// The rules in a few words.
  fileprivate var summary: String {
    var parts = [strategy.name]
    switch keys.count {
    case 0: break
    case 1: parts.append("1 key otherwise")
    default: parts.append("\(keys.count) keys otherwise")
    }
    if !groups.isEmpty { parts.append(groups.count == 1 ? "1 group" : "\(groups.count) groups") }
    return parts.joined(separator: ", ")
  }
}

extension ListedDevice: Encodable {
  private enum Field: CodingKey {
    case node, name, bus, vendor, product, version, phys, uniq, links, seat, kinds, isClone
    case action, reason, file, strategy, state, typesLikeAMachine, command
  }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Field.self)
    try object.encode(node.path, forKey: .node)
    try object.encode(node.name, forKey: .name)
    try object.encode(node.identity.bus, forKey: .bus)
    try object.encode(node.identity.vendor, forKey: .vendor)
    try object.encode(node.identity.product, forKey: .product)
    try object.encode(node.identity.version, forKey: .version)
    try object.encode(node.phys, forKey: .phys)
    try object.encode(node.identity.uniq, forKey: .uniq)
    try object.encode(node.links, forKey: .links)
    try object.encode(node.seat, forKey: .seat)
    try object.encode(kinds, forKey: .kinds)
    try object.encode(node.isClone, forKey: .isClone)
    // What does not apply is null and not left out: every object has the same fields.
    var (reason, file, strategy): (String?, String?, String?)
    switch decision {
    case .leave(let why): reason = why
    case .take(let settings): (file, strategy) = (settings.file, settings.rules.strategy.name)
    }
    try object.encode(isTaken ? "take" : "leave", forKey: .action)
    try object.encode(reason, forKey: .reason)
    try object.encode(file, forKey: .file)
    try object.encode(strategy, forKey: .strategy)
    try object.encode(state, forKey: .state)
    try object.encode(typesLikeAMachine, forKey: .typesLikeAMachine)
    try object.encode(command, forKey: .command)
  }
}

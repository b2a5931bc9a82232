import Configuration
import DeviceSelection
import EventDevices
import TerminalText

/// Which device is meant, if need be by asking.
struct WatchedDevice {
  /// What the person wrote; `nil` if nothing.
  private let name: String?
  private let settings: Settings

  init(named name: String?, _ settings: Settings) {
    self.name = name
    self.settings = settings
  }

  /// The device.
  ///
  /// - Throws: ``NamedDeviceError`` if it is not clear which one is meant, and nobody can be asked.
  func node() throws -> DeviceNode {
    let all = try NamedDevices.all()
    let nodes: [DeviceNode]
    if let name {
      nodes = NamedDevices.named(name, among: all)
      guard !nodes.isEmpty else { throw NamedDeviceError.none(name: name) }
    } else {
      nodes = all.filter { isTaken($0) }
      guard !nodes.isEmpty else { throw NamedDeviceError.nothingToTake }
    }
    guard nodes.count > 1 else { return nodes[0] }
    // A clone has the name of its source. Whoever means the clone gives its node.
    let sources = nodes.filter { !$0.isClone }
    guard sources.count != 1 else { return sources[0] }
    guard Terminal(0).isTerminal, Terminal.standardError.isTerminal else {
      throw NamedDeviceError.several(name: name, sources.isEmpty ? nodes : sources)
    }
    return try ask(for: sources.isEmpty ? nodes : sources)
  }

  private func isTaken(_ node: DeviceNode) -> Bool {
    Selection.automatic.takes(node, by: settings)
  }

  /// Has the person choose by number.
  private func ask(for nodes: [DeviceNode]) throws -> DeviceNode {
    let terminal = Terminal.standardError
    let width = nodes.map(\.path.columns).max() ?? 0
    for (index, node) in nodes.enumerated() {
      let place = node.phys.isEmpty ? "" : "  (\(node.phys.printable))"
      try terminal.write(
        Characters.ofLocale.spell(
          "\(String(index + 1).aligned(to: 3))  \(node.path.padded(to: width))  \(node.title)")
          + terminal.styled(Characters.ofLocale.spell(place), .faint) + "\n")
    }
    while true {
      try terminal.write("Which one? Its number: ")
      guard let line = readLine() else { throw NamedDeviceError.several(name: name, nodes) }
      if let number = Int(line), nodes.indices.contains(number - 1) { return nodes[number - 1] }
    }
  }
}

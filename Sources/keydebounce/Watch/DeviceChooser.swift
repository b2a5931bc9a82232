import Configuration
import EventDevices
import Terminal

/// Finds out which device a person means, asking if need be.
struct DeviceChooser {
  let settings: Settings

  /// The device with this name, or without a name, the one that keydebounce would take.
  ///
  /// - Parameter isCandidate: Which devices to choose from without a name, if not those that keydebounce would take.
  /// - Throws: ``NamedDeviceError`` if several could be meant and there is no terminal to ask on.
  func device(
    named name: String?, orOneThat isCandidate: ((DeviceNode) -> Bool)? = nil
  ) throws -> DeviceNode {
    let all = try NamedDevices.all()
    let nodes: [DeviceNode]
    if let name {
      nodes = NamedDevices.named(name, among: all)
      guard !nodes.isEmpty else { throw NamedDeviceError.none(name: name) }
    } else {
      nodes = all.filter { isCandidate?($0) ?? isTaken($0) }
      guard !nodes.isEmpty else {
        throw isCandidate == nil ? NamedDeviceError.nothingToTake : .noCandidate
      }
    }
    guard nodes.count > 1 else { return nodes[0] }
    // A clone has the name of its source. The clone itself can be named by its node.
    let sources = nodes.filter { !$0.isClone }
    guard sources.count != 1 else { return sources[0] }
    let choice = sources.isEmpty ? nodes : sources
    guard Terminal.canAsk else { throw NamedDeviceError.several(name: name, choice) }
    return try ask(for: choice, name)
  }

  /// Whether keydebounce takes the device.
  func isTaken(_ node: DeviceNode) -> Bool {
    Selection.automatic.takes(node, by: settings)
  }

  /// Asks the person to choose by number.
  private func ask(for nodes: [DeviceNode], _ name: String?) throws -> DeviceNode {
    let terminal = Terminal.standardError
    let sheet = Sheet(for: terminal)
    let width = nodes.map(\.path.columns).max() ?? 0
    for (index, node) in nodes.enumerated() {
      let place = node.phys.isEmpty ? "" : "  (\(node.phys.printable))"
      let line = sheet.line([
        StyledText("\(String(index + 1).aligned(to: 3))  \(node.path.padded(to: width))  "),
        StyledText(node.title), StyledText(place, .faint),
      ])
      try terminal.write(line + "\n")
    }
    while true {
      guard let line = try Terminal.ask("Which one? Its number: ") else {
        throw NamedDeviceError.several(name: name, nodes)
      }
      if let number = Int(line), nodes.indices.contains(number - 1) { return nodes[number - 1] }
    }
  }
}

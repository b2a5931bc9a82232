import ArgumentParser
import Configuration
import Debounce
import EventDevices
import Glibc
import Status
import Terminal

/// Devices as a person names them.
enum NamedDevices {
  /// The help for an argument that names a device.
  static let help = """
    An event node (/dev/input/eventN, or just eventN), a link to one (/dev/input/by-id/…), or a part of the \
    device's name.
    """

  static let completion = CompletionKind.custom { _, _, _ in completions { $0.name } + paths }

  /// How a shell completes a device of which only the path will do.
  static let pathCompletion = CompletionKind.custom { _, _, _ in paths }

  private static var paths: [String] {
    completions { $0.path } + completions { $0.links.first { $0.contains("/by-id/") } }
  }

  /// Something of each device that has keys.
  private static func completions(_ text: (DeviceNode) -> String?) -> [String] {
    let nodes = ((try? all()) ?? []).filter { !$0.isClone && !$0.keys.isEmpty }
    return Set(nodes.compactMap(text).map(\.withoutBlanksAtEnds)).filter(isPlain).sorted()
  }

  /// Whether a shell takes every character of it for itself. bash expands what it is told to complete, commands as well, and
  /// a device calls itself what it likes. Devices of other names are completed by their paths.
  static func isPlain(_ text: String) -> Bool {
    !text.isEmpty
      && text.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || ("0"..."9").contains($0)
          || " -_.,+/".unicodeScalars.contains($0)
      }
  }

  /// All event nodes, in the order of their numbers.
  static func all() throws(DeviceError) -> [DeviceNode] {
    try Monitor().nodes().sorted { ($0.number, $0.path) < ($1.number, $1.path) }
  }

  /// The nodes that are meant by `name`: the one whose path it is or leads to, or else those whose names hold it.
  static func named(_ name: String, among nodes: [DeviceNode]) -> [DeviceNode] {
    let byLink = linked(name, among: nodes)
    guard byLink.isEmpty else { return byLink }
    let path = resolvedPath(name)
    let exact = nodes.filter {
      $0.path == path || $0.path == "/dev/input/" + name
    }
    guard exact.isEmpty, !name.contains("/") else { return exact }
    var glob = Glob(name.lowercased())
    if !glob.hasWildcards { glob = Glob("*\(glob.pattern)*") }
    return nodes.filter { glob.matches($0.name.lowercased().withoutBlanksAtEnds) }
  }

  /// The node that a path is, or leads to.
  static func path(_ name: String) -> String {
    let byLink = linked(name, among: (try? all()) ?? [])
    return byLink.first?.path ?? resolvedPath(name)
  }

  /// The devices to which a link leads, or would lead if their clones had not claimed it: whoever names a device by such a
  /// link means the device.
  private static func linked(_ name: String, among nodes: [DeviceNode]) -> [DeviceNode] {
    nodes.filter { !$0.isClone && $0.links.contains(name) }
  }
}

extension DeviceNode {
  /// The number N of the node `/dev/input/eventN`.
  var number: Int {
    Int(path.drop { !$0.isNumber }) ?? .max
  }

  /// The device's name as it can be shown.
  var title: String {
    name.isEmpty ? "a device without a name" : name.printable
  }
}

/// Why it is not clear which device is meant.
enum NamedDeviceError: Error, CustomStringConvertible {
  /// None is.
  case none(name: String)
  /// Several are.
  case several(name: String?, [DeviceNode])
  /// The daemon would debounce none.
  case nothingToTake
  /// The command could apply to none.
  case noCandidate

  var description: String {
    switch self {
    case .none(let name):
      "there is no device “\(name.printable)”. “keydebounce list --all” shows all devices"
    case .several(let name, let nodes):
      """
      \(name.map { "“\($0.printable)” may mean several devices" } ?? "there are several devices"); name one:
      \(nodes.map { "  \($0.path)  \($0.title)" }.joined(separator: "\n"))
      """
    case .nothingToTake:
      "keydebounce debounces none of the devices here. “keydebounce list --all” shows them; name one"
    case .noCandidate:
      "there is no such device here. “keydebounce list --all” shows all devices; name one"
    }
  }
}

extension HeldDevice {
  /// Finds out who has a device open, and how other programs can tell it from its clone.
  ///
  /// - Parameter daemon: The daemon's process, which has it open, too.
  /// - Returns: `nil` if the device is gone or may not be opened.
  init?(node: String, daemon: pid_t?) {
    guard let source = try? Source(path: node), let nodes = try? NamedDevices.all() else {
      return nil
    }
    let own = nodes.first { $0.path == node }
    let clone = own.flatMap { $0.clone(among: nodes) }
    self.init(
      name: source.identity.name, cloneName: clone?.name,
      keydID: KeydID(source.identity, source.capabilities),
      programs: DeviceHolder.all(of: node).filter { $0.process != daemon && $0.process != getpid() }
        .map {
          Program(name: $0.program, process: $0.process)
        })
  }

  /// What is reported of it on standard error.
  var lines: [String] {
    [holders]
      + advice.map { line in
        switch line {
        case .sentence(let text): text
        case .literal(let text): "    \(text)"
        }
      }
  }
}

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
    guard TextOutput.canAsk else { throw NamedDeviceError.several(name: name, choice) }
    return try ask(for: choice, name)
  }

  /// Whether keydebounce takes the device.
  func isTaken(_ node: DeviceNode) -> Bool {
    Selection.automatic.takes(node, by: settings)
  }

  /// Asks the person to choose by number.
  private func ask(for nodes: [DeviceNode], _ name: String?) throws -> DeviceNode {
    let output = TextOutput.errors
    let sheet = Sheet(for: output)
    let width = nodes.map(\.path.columns).max() ?? 0
    for (index, node) in nodes.enumerated() {
      let place = node.phys.isEmpty ? "" : "  (\(node.phys.printable))"
      let line = sheet.line([
        StyledText("\(String(index + 1).aligned(to: 3))  \(node.path.padded(to: width))  "),
        StyledText(node.title), StyledText(place, .faint),
      ])
      try output.write(line + "\n")
    }
    while true {
      guard let line = try TextOutput.ask("Which one? Its number: ") else {
        throw NamedDeviceError.several(name: name, nodes)
      }
      if let number = Int(line), nodes.indices.contains(number - 1) { return nodes[number - 1] }
    }
  }
}

extension DeviceChooser {
  /// The device on which a key is pressed, of all that keydebounce takes.
  ///
  /// A device that the service holds sends nothing to others. Its clone does, and leads back to it.
  ///
  /// - Returns: `nil` if the person does not want to go on.
  /// - Throws: ``NamedDeviceError`` if there is no device to choose.
  func pressedDevice() throws -> DeviceNode? {
    let all = try NamedDevices.all()
    let candidates = all.filter { isTaken($0) }
    guard candidates.count > 1 else {
      guard let only = candidates.first else { throw NamedDeviceError.nothingToTake }
      return only
    }
    var watch = DeviceWatch()
    var nodes: [DeviceNode] = []
    var failure: (any Error)?
    for node in candidates {
      let clone = node.clone(among: all)
      for path in [node.path, clone?.path].compactMap(\.self) {
        do {
          watch.add(OpenDevice(try Source(path: path)))
          nodes.append(node)
        } catch {
          failure = error
        }
      }
    }
    if nodes.isEmpty, let failure { throw failure }
    report("press a key on the keyboard you mean; Ctrl-C ends it")
    var press = FirstPress()
    guard case .finished = try watch.run(&press) else { return nil }
    return press.device.map { nodes[$0] }
  }
}

/// Waits for the first key that goes down.
private struct FirstPress: DeviceWatcher {
  /// The device that it is on; `nil` if there was none yet.
  private(set) var device: Int?

  mutating func receive(_ frame: borrowing Frame, from device: Int) {
    guard self.device == nil else { return }
    if frame.events.contains(where: { $0.type == EventType.key && $0.value == 1 }) {
      self.device = device
    }
  }

  mutating func resynchronise(held: KeySet, others: borrowing Frame) {}
  mutating func resume(at now: Microseconds) {}

  mutating func advance(
    to now: Microseconds, on screen: inout LiveScreen
  ) -> DeviceWatch.Next {
    device == nil ? .wait(until: nil) : .end
  }
}

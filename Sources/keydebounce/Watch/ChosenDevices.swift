import ArgumentParser
import Configuration
import Debounce
import EventDevices
import Files
import Recording
import Reports
import Status
import Terminal

/// Devices as a person names them.
enum NamedDevices {
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
    // Paths are compared by their lengths first: event10 comes after event9.
    try Monitor().nodes().sorted { ($0.path.count, $0.path) < ($1.path.count, $1.path) }
  }

  /// The nodes that are meant by `name`: the one whose path it is or leads to, or else those whose names hold it.
  static func named(_ name: String, among nodes: [DeviceNode]) -> [DeviceNode] {
    let path = resolvedPath(name)
    let linked = linked(name, among: nodes)
    let exact =
      linked.isEmpty ? nodes.filter { [path, "/dev/input/" + name].contains($0.path) } : linked
    guard exact.isEmpty, !name.hasPrefix("/") else { return exact }
    var glob = Glob(name.lowercased())
    if !glob.hasWildcards { glob = Glob("*\(glob.pattern)*") }
    return nodes.filter { glob.matches($0.name.lowercased().withoutBlanksAtEnds) }
  }

  /// The devices to which a link leads, or would lead if their clones had not claimed it: whoever names a device by such a
  /// link means the device.
  private static func linked(_ name: String, among nodes: [DeviceNode]) -> [DeviceNode] {
    nodes.filter { !$0.isClone && $0.links.contains(name) }
  }
}

extension ArgumentHelp {
  /// The help for an argument that names a device.
  static func device(_ abstract: String) -> ArgumentHelp {
    ArgumentHelp(
      abstract,
      discussion: """
        An event node (/dev/input/eventN, or just eventN), a link to one (/dev/input/by-id/…), or a part of the \
        device's name.
        """, valueName: "device")
  }
}

/// Why it is not clear which device is meant.
enum NamedDeviceError: Error, CustomStringConvertible {
  /// None has the name, or without a name, the command can apply to none.
  case none(name: String?)
  case several(name: String?, [DeviceNode])
  case noDevices(name: String? = nil)

  var description: String {
    switch self {
    case .none(let name?):
      "there is no device “\(name.printable)”. “keydebounce list --all” shows all devices"
    case .none(nil):
      "there is no device here for that. “keydebounce list --all” shows all devices, and why keydebounce leaves some "
        + "alone; name one"
    case .several(let name, let nodes):
      """
      \(name.map { "“\($0.printable)” may mean several devices" } ?? "there are several devices"); name one:
      \(nodes.map { "  \($0.path)  \($0.identity.title)" }.joined(separator: "\n"))
      """
    case .noDevices(let name?): "there is no device “\(name.printable)”: \(Self.noDevices())"
    case .noDevices(nil):
      "no input device was found. udev lists them: does it run? See “systemctl status systemd-udevd”"
    }
  }
}

extension NamedDevices {
  /// The device that a person means, who is asked if it may be several.
  ///
  /// - Parameters:
  ///   - name: What they name; `nil` for one that fits.
  ///   - fits: Which devices the command can apply to.
  /// - Throws: ``NamedDeviceError`` if several could be meant and there is no terminal to ask on.
  static func chosen(
    _ name: String?, among devices: @autoclosure () throws -> [DeviceNode] = try all(),
    orOneThat fits: (DeviceNode) -> Bool = { _ in true }
  ) throws -> DeviceNode {
    let all = try devices()
    guard !all.isEmpty else { throw NamedDeviceError.noDevices(name: name) }
    let nodes = name.map { named($0, among: all) } ?? all.filter(fits)
    // A clone has the name of its source. The clone itself can be named by its node.
    let sources = nodes.filter { !$0.isClone }
    let choice = sources.isEmpty ? nodes : sources
    guard let first = choice.first else { throw NamedDeviceError.none(name: name) }
    guard choice.count > 1 else { return first }
    return try ask(for: choice, name)
  }

  /// The path of the node that a person means. Without udev, a path will do.
  ///
  /// - Parameter held: The nodes that the daemon holds. They are meant if others have the name, too.
  static func path(
    named name: String, among devices: @autoclosure () throws -> [DeviceNode] = try all(),
    preferring held: [String] = []
  ) throws -> String {
    guard !name.hasPrefix("/") else {
      return linked(name, among: (try? all()) ?? []).first?.path ?? resolvedPath(name)
    }
    let all = try devices()
    let fitting = all.filter { held.contains($0.path) }
    return try chosen(name, among: named(name, among: fitting).isEmpty ? all : fitting).path
  }

  private static func ask(for nodes: [DeviceNode], _ name: String?) throws -> DeviceNode {
    let columns = [
      nodes.column("", .left) { StyledText($0.path) },
      nodes.column("", .left) { StyledText($0.identity.title) },
      nodes.column("", .left) {
        StyledText($0.phys.isEmpty ? "" : "(\($0.phys.printable))", .faint)
      },
    ]
    guard let row = try Self.row(of: columns, nodes.count) else {
      throw NamedDeviceError.several(name: name, nodes)
    }
    return nodes[row]
  }

  /// Asks the person to choose a row of a table by number.
  ///
  /// - Returns: `nil` if there is no answer, or nobody to ask.
  static func row(of columns: [TableColumn], _ count: Int) throws -> Int? {
    guard TextOutput.canAsk else { return nil }
    let sheet = Sheet(for: .errors)
    let table = [Array(1...count).column { StyledText("\($0)") }] + columns
    for row in table.spans.dropFirst() { try TextOutput.errors.write(sheet.line(row) + "\n") }
    while let line = try TextOutput.ask("Which one? Its number: ") {
      if let number = Int(line), (1...count).contains(number) { return number - 1 }
    }
    return nil
  }

  /// The device on which a key is pressed, of all that fit.
  ///
  /// A device that the service holds sends nothing to others. Its clone does, and leads back to it.
  ///
  /// - Returns: `nil` if the person does not want to go on.
  /// - Throws: ``NamedDeviceError`` if there is no device to choose.
  static func pressed(among fits: (DeviceNode) -> Bool) throws -> DeviceNode? {
    let all = try all()
    guard !all.isEmpty else { throw NamedDeviceError.noDevices() }
    let candidates = all.filter(fits)
    guard let first = candidates.first else { throw NamedDeviceError.none(name: nil) }
    guard candidates.count > 1 else { return first }
    var (devices, nodes): ([OpenDevice], [DeviceNode]) = ([], [])
    var failure: (any Error)?
    for node in candidates {
      for path in [node.path, node.clone(among: all)?.path].compactMap(\.self) {
        do {
          devices.append(OpenDevice(try Source(path: path)))
          nodes.append(node)
        } catch {
          failure = error
        }
      }
    }
    if nodes.isEmpty, let failure { throw failure }
    report("press a key on the keyboard you mean; Ctrl-C ends it")
    var press = FirstPress()
    guard case .finished = try DeviceWatch(devices).run(&press) else { return nil }
    return press.device.map { nodes[$0] }
  }
}

/// Waits for the first key that goes down.
private struct FirstPress: DeviceWatcher {
  /// The device that it is on; `nil` if there was none yet.
  private(set) var device: Int?

  mutating func receive(_ entry: RecordingParser.Entry, from device: Int) {
    if case .raw(let frame) = entry, !frame.saysEventsWereLost, frame.presses > 0 {
      self.device = self.device ?? device
    }
  }

  mutating func advance(
    to now: Microseconds, on screen: inout LiveScreen
  ) -> DeviceWatch.Next {
    device == nil ? .wait(until: nil) : .end
  }
}

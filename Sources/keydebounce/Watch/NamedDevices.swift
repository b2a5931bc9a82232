import ArgumentParser
import Configuration
import EventDevices
import Terminal

/// Devices as a person names them.
enum NamedDevices {
  /// The help for an argument that names a device.
  static let help = """
    An event node (/dev/input/eventN, or just eventN), a link to one (/dev/input/by-id/…), or a part of the \
    device's name.
    """

  /// How a shell completes it. Not by the links of by-path: zsh takes their colons for something else.
  static let completion = CompletionKind.shellCommand(
    #"find /dev/input -name "*event*" -not -type d -not -path "*/by-path/*" 2>/dev/null"#)

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
    return nodes.filter { glob.matches($0.name.lowercased()) }
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
  /// There is no device that the daemon would take.
  case nothingToTake
  /// There is none to which the command could apply.
  case noCandidate

  var description: String {
    switch self {
    case .none(let name):
      "no device is called or named “\(name.printable)”. “keydebounce list --all” shows those that are there"
    case .several(let name, let nodes):
      """
      \(name.map { "several devices are meant by “\($0.printable)”" } ?? "there are several devices"); name one:
      \(nodes.map { "  \($0.path)  \($0.title)" }.joined(separator: "\n"))
      """
    case .nothingToTake:
      """
      no device is there that keydebounce would take. “keydebounce list --all” shows those that are there; name \
      one
      """
    case .noCandidate:
      """
      no device is there to which this could apply. “keydebounce list --all” shows those that are there; name one
      """
    }
  }
}

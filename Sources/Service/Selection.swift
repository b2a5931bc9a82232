import EventDevices

/// Which devices the daemon takes.
public enum Selection: Sendable {
  /// All keyboards, but for those that are better left alone.
  case keyboards
  /// Those at these paths, and no others: nodes, or links that udev made to them.
  case named([String])

  /// Whether to take a node; if not, why.
  enum Answer: Equatable {
    case take
    case leave(String)
  }

  func judge(_ node: DeviceNode) -> Answer {
    if node.isClone { return .leave("made by keydebounce") }
    switch self {
    case .named(let paths):
      return paths.contains { names($0, node) } ? .take : .leave("not named by --device")
    case .keyboards:
      guard node.kinds.contains(.keyboard) else { return .leave("no keyboard") }
      if node.isVirtual { return .leave("made by another program") }
      // A lid switch that is grabbed no longer puts the machine to sleep.
      if node.kinds.contains(.switch) { return .leave("has switches") }
      if !node.kinds.isDisjoint(with: [.touchpad, .touchscreen, .tablet, .joystick]) {
        return .leave("a pointing device")
      }
      // One-time passwords come faster than fingers type.
      if node.vendor == Self.yubico { return .leave("types one-time passwords") }
      return .take
    }
  }

  /// Whether `path` is the node's own, or a link to it.
  func names(_ path: String, _ node: DeviceNode) -> Bool {
    path == node.path || node.links.contains(path)
  }

  private static let yubico: UInt16 = 0x1050
}

import Configuration
import Debounce
import EventDevices

/// Which devices the daemon takes.
public enum Selection: Sendable {
  /// All keyboards, but for those that are better left alone, and what a device file is about.
  case automatic
  /// Those at these paths, and no others: nodes, or links that udev made to them.
  case named([String])

  /// What is to be done with a device.
  public enum Answer: Equatable, Sendable {
    /// It is to be taken, with these settings.
    case take(Assignment)
    /// It is to be left alone; why, in words.
    case leave(String)
  }

  /// What is to be done with a device, and why.
  public func judge(_ node: DeviceNode, by settings: Settings) -> Answer {
    if node.isClone { return .leave("made by keydebounce") }
    let match: DeviceSettings?
    do {
      match = try settings.device(for: DeviceIdentity(node))
    } catch {
      return .leave("\(error)")
    }
    if let reason = reasonToLeave(node, match) { return .leave(reason) }
    let assignment = Assignment(match, settings)
    guard assignment.rules.concern(node.keys) else { return .leave("no key of it has a strategy") }
    return .take(assignment)
  }

  private func reasonToLeave(_ node: DeviceNode, _ match: DeviceSettings?) -> String? {
    if case .named(let paths) = self {
      return paths.contains(where: node.isNamed) ? nil : "not named by --device"
    }
    if node.isOptedOut { return "KEYDEBOUNCE_IGNORE in udev's rules" }
    if let match, match.isIgnored { return "“ignore” in \(match.file)" }
    if node.isOptedIn { return nil }
    if let danger = Self.danger(of: node) {
      return match?.pattern.namesOneDevice == true ? nil : danger
    }
    if node.kinds.contains(.keyboard) { return nil }
    return match?.pattern.isEmpty == false ? nil : "no keyboard, and no device file is about it"
  }

  /// Why the device is better left alone unless someone names it; `nil` if there is no reason.
  private static func danger(of node: DeviceNode) -> String? {
    if node.isVirtual { return "made by another program" }
    // The clone would be on the first seat: what is typed here would arrive there.
    if node.properties["ID_SEAT", default: "seat0"] != "seat0" { return "belongs to another seat" }
    // A lid switch that is grabbed no longer puts the machine to sleep.
    if node.kinds.contains(.switch) { return "has switches" }
    if !node.kinds.isDisjoint(with: [.touchpad, .touchscreen, .tablet]) {
      return "a touchpad, touch screen or tablet"
    }
    if node.kinds.contains(.joystick) { return "a joystick or game pad" }
    if node.keys.isSubset(of: Self.powerKeys) {
      return node.keys.isEmpty ? "has no keys" : "has only power keys"
    }
    // One-time passwords come faster than fingers type.
    if node.vendor == Self.yubico { return "types one-time passwords" }
    return nil
  }

  /// Whether one might expect the device to be taken.
  func isAbout(_ node: DeviceNode) -> Bool {
    switch self {
    case .automatic: (node.kinds.contains(.keyboard) || node.isOptedIn) && !node.isClone
    case .named(let paths): paths.contains(where: node.isNamed)
    }
  }

  private static let yubico: UInt16 = 0x1050
  /// `KEY_POWER`, `KEY_SLEEP`, `KEY_WAKEUP` and `KEY_POWER2`.
  private static let powerKeys = KeySet([116, 142, 143, 0x164])
}

/// The settings that a device gets.
public struct Assignment: Equatable, Sendable {
  public let rules: Rules
  /// The device file that they are from; `nil` for the defaults.
  public let file: String?
  /// The keys which, held together, make the daemon let everything go.
  public let panicChord: [KeyCode]
  /// How long to wait for keys to come up before the device is grabbed all the same; `nil` for ever.
  public let grabAfter: Microseconds?

  init(_ match: DeviceSettings?, _ settings: Settings) {
    rules = match?.rules ?? settings.rules
    file = match?.file
    panicChord = match?.panicChord ?? settings.panicChord
    grabAfter = match.map(\.grabAfter) ?? settings.grabAfter
  }
}

extension Rules {
  /// Whether they do anything with one of the keys.
  fileprivate func concern(_ keys: KeySet) -> Bool {
    (0..<KeyCode(EventType.keyCount)).contains { code in
      keys.contains(code)
        && (self.keys[code, default: strategy] != .none
          || groups.contains { $0.keys.contains(code) })
    }
  }
}

extension DeviceNode {
  /// Whether a rule of udev's says that the device is to be left alone.
  fileprivate var isOptedOut: Bool { properties["KEYDEBOUNCE_IGNORE"] == "1" }

  /// Whether a rule of udev's says that the device is to be taken, whatever it is.
  fileprivate var isOptedIn: Bool { properties["KEYDEBOUNCE"] == "1" }
}

extension DeviceIdentity {
  /// What is known of a device that is there.
  public init(_ node: DeviceNode) {
    self.init(
      name: node.name, vendor: node.vendor, product: node.product, version: node.version,
      phys: node.phys, uniq: node.uniq, links: node.links, properties: node.properties)
  }
}

extension DevicePattern {
  /// Whether it can only be meant for one device or one make: it gives a text without wildcards, or both numbers.
  fileprivate var namesOneDevice: Bool {
    ([name, phys, uniq, link].compactMap(\.self) + properties.values).contains { !$0.hasWildcards }
      || vendor != nil && product != nil
  }
}

extension PresentDevice {
  /// A device that is there, to hold the configuration against.
  public init(_ node: DeviceNode) {
    self.init(
      identity: DeviceIdentity(node),
      keys: Set((0..<KeyCode(EventType.keyCount)).filter { node.keys.contains($0) }))
  }
}

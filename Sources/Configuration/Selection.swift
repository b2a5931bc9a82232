import Debounce
import EventDevices

/// Which devices the daemon takes.
public enum Selection: Sendable {
  /// All keyboards except those that are better left alone, and every device that a device file asks for.
  case automatic
  /// The devices at these paths, and no others: event nodes, or links that udev made to them.
  case named([String])

  public enum Decision: Equatable, Sendable {
    case take(EffectiveSettings)
    case leave(String)
  }

  public func decide(on node: DeviceNode, by settings: Settings) -> Decision {
    if node.isClone { return .leave("made by keydebounce") }
    let match: DeviceSettings?
    do {
      match = try settings.device(for: DeviceDescription(node))
    } catch {
      return .leave("\(error)")
    }
    if let reason = reasonToLeave(node, match) { return .leave(reason) }
    let effective = match?.effective ?? settings.defaults
    guard effective.rules.apply(to: node.keys) else { return .leave("no key of it has a strategy") }
    return .take(effective)
  }

  public func takes(_ node: DeviceNode, by settings: Settings) -> Bool {
    if case .take = decide(on: node, by: settings) { true } else { false }
  }

  /// Whether a user would expect the device to be taken. Then a log says why it is left alone.
  public func isExpected(toTake node: DeviceNode) -> Bool {
    switch self {
    case .automatic: (node.kinds.contains(.keyboard) || node.isOptedIn) && !node.isClone
    case .named(let paths): paths.contains(where: node.isNamed)
    }
  }

  private func reasonToLeave(_ node: DeviceNode, _ match: DeviceSettings?) -> String? {
    if case .named(let paths) = self {
      return paths.contains(where: node.isNamed) ? nil : "not named by --device"
    }
    let device = DeviceDescription(node)
    if device.isOptedOut { return "KEYDEBOUNCE_IGNORE in udev's rules" }
    if let match, match.isIgnored { return "“ignore” in \(match.file)" }
    // A rule or a file that names the model is not enough: each seat may have a device of that model.
    if node.seat != Seat.first, match?.pattern.names(seatOrPlaceOf: node) != true {
      return "belongs to another seat (“seat = \"\(node.seat)\"” in a device file takes it)"
    }
    if let file = match?.brokenFile { return "\(file) has errors, which “keydebounce check” shows" }
    if node.isOptedIn { return nil }
    // A file about every device asks for no device that another program has made.
    if node.isVirtual, match?.includesVirtual != true || match?.pattern.isEmpty != false {
      return "made by another program (“virtual = true” in a device file takes it)"
    }
    if let danger = device.danger {
      return match?.pattern.namesOneDevice == true ? nil : danger.rawValue
    }
    if node.kinds.contains(.keyboard) { return nil }
    return match?.pattern.isEmpty == false ? nil : "no keyboard, and no device file is about it"
  }
}

/// A reason to leave a device alone unless a device file names it.
enum Danger: String {
  /// A lid switch that is grabbed no longer puts the machine to sleep.
  case switches = "has switches"
  case surface = "a touchpad, touch screen or tablet"
  case joystick = "a joystick or game pad"
  case noKeys = "has no keys"
  case powerKeys = "has only power keys"
  /// A security key types a password faster than fingers do.
  case passwords = "types one-time passwords"
}

extension DeviceDescription {
  /// `KEY_POWER`, `KEY_SLEEP`, `KEY_WAKEUP` and `KEY_POWER2`.
  private static let powerKeys = KeySet([116, 142, 143, 0x164])

  /// Whether a rule of udev's asks that the device be left alone.
  public var isOptedOut: Bool { properties?["KEYDEBOUNCE_IGNORE"] == "1" }

  /// Why the device is better left alone; `nil` if there is no reason.
  var danger: Danger? {
    if kinds.contains(.switch) { return .switches }
    if !kinds.isDisjoint(with: [.touchpad, .touchscreen, .tablet]) { return .surface }
    if kinds.contains(.joystick) { return .joystick }
    if let keys, keys.isSubset(of: Self.powerKeys) { return keys.isEmpty ? .noKeys : .powerKeys }
    // The number of Yubico.
    return identity.vendor == 0x1050 ? .passwords : nil
  }

  /// Whether `take` may be offered for the device: a device file that names it makes the daemon take it.
  public var isWorthNaming: Bool {
    !isOptedOut && !isVirtual && seat == Seat.first && [nil, .joystick].contains(danger)
  }
}

extension Rules {
  /// Whether the rules do anything with at least one of the keys.
  fileprivate func apply(to keys: KeySet) -> Bool {
    wheel.areInForce
      || keys.contains { code in
        strategy(of: code) != .none || meanings[code] != nil
          || groups.contains { $0.keys.contains(code) }
      }
  }
}

extension DeviceNode {
  /// Whether a rule of udev's asks that the device be taken, whatever it is.
  fileprivate var isOptedIn: Bool { properties["KEYDEBOUNCE"] == "1" }
}

extension DevicePattern {
  /// Whether the pattern can only be meant for one device or one model: it has a text without wildcards, or both numbers.
  fileprivate var namesOneDevice: Bool {
    ([name, phys, uniq, link].compactMap(\.self) + properties.values).contains { !$0.hasWildcards }
      || vendor != nil && product != nil
  }

  /// Whether the pattern has, without wildcards, the seat of a device that it matches, or the place where the device is plugged
  /// in. A link in by-id is no place, because two devices of one model may have the same.
  fileprivate func names(seatOrPlaceOf node: DeviceNode) -> Bool {
    if [seat, phys, properties["ID_SEAT"]].contains(where: { $0?.hasWildcards == false }) {
      return true
    }
    guard let link, !link.hasWildcards else { return false }
    let folder = "/dev/input/by-path/"
    let path = link.pattern.contains("/") ? link.pattern : folder + link.pattern
    return path.hasPrefix(folder) && node.links.contains(path)
  }
}

/// The error that a path which a person gave leads to no device.
public struct NoSuchDevice: Error, Equatable, CustomStringConvertible {
  public let path: String

  public init(path: String) {
    self.path = path
  }

  public var description: String {
    """
    \(path) is no event device, or none that is there now. Devices are /dev/input/eventN or a link to one in \
    /dev/input/by-id or by-path; “keydebounce list --all” shows them
    """
  }
}

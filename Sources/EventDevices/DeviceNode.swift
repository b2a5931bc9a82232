import CEvdev
import Debounce
import Files

/// An event node (`/dev/input/eventN`) as udev describes it.
public struct DeviceNode: Equatable, Sendable {
  /// The identity of a node. The number N alone is not enough, because the kernel reuses it after a quick replug.
  public struct ID: Hashable, Sendable {
    /// Its folder in sysfs.
    public let syspath: String
    /// Its device number.
    let number: UInt64

    package init(syspath: String, number: UInt64) {
      (self.syspath, self.number) = (syspath, number)
    }
  }

  /// A kind of device, named as in udev's property `ID_INPUT_*`.
  public enum Kind: String, CaseIterable, Sendable {
    /// A device with the keys that people type with.
    case keyboard
    case mouse
    case touchpad
    case touchscreen
    /// A tablet, or the buttons beside one.
    case tablet
    case joystick
    /// A lid, a dock.
    case `switch`

    /// The kinds of a device with these properties of udev's.
    public static func all(by properties: [String: String]) -> Set<Kind> {
      let kinds = allCases.filter { properties["ID_INPUT_" + $0.rawValue.uppercased()] == "1" }
      return Set(kinds + (properties["ID_INPUT_TABLET_PAD"] == "1" ? [.tablet] : []))
    }
  }

  public let id: ID
  /// The node's path, `/dev/input/eventN`.
  public let path: String
  /// The links that udev made to it (`/dev/input/by-id/…`).
  public let links: [String]
  /// The name and numbers that the device gives itself; its `phys` and `uniq` are known.
  public let identity: DeviceIdentity
  /// All that udev knows of the node, by name (`ID_SERIAL` …).
  public let properties: [String: String]
  /// The keys and buttons of the device.
  public let keys: KeySet

  /// The kinds that udev takes the device for.
  public var kinds: Set<Kind> { Kind.all(by: properties) }
  /// The device's name, for people.
  public var name: String { identity.name }
  /// Where the device is plugged in, according to its driver.
  public var phys: String { identity.phys ?? "" }

  /// Whether a program made the device through uinput.
  ///
  /// Bluetooth keyboards are below `/sys/devices/virtual`, too, in `misc/uhid`.
  public var isVirtual: Bool { id.syspath.hasPrefix("/sys/devices/virtual/input/") }

  /// - Parameter properties: What udev says. What it says of an event with which it announces the node is left out: each event
  ///   of a device that stays as it is would be a change.
  package init(
    id: ID, path: String, links: [String], identity: DeviceIdentity, properties: [String: String],
    keys: KeySet
  ) {
    (self.id, self.path, self.links, self.identity, self.keys) = (id, path, links, identity, keys)
    self.properties = properties.filter { name, _ in
      !["ACTION", "SEQNUM"].contains(name) && !name.hasPrefix("SYNTH_")
    }
  }

  /// How long ago udev applied its rules to the node, in microseconds; 0 if it does not say when. Afterwards it runs the programs
  /// that its rules name (`RUN`), and announces the node.
  ///
  /// - Parameter now: The time by the monotonic clock.
  func timeSinceRules(at now: Int64) -> Int64 {
    properties["USEC_INITIALIZED"].flatMap { Int64($0) }.map { now - $0 } ?? 0
  }

  /// Whether `path` is the node's own, or a link to it.
  public func isNamed(by path: String) -> Bool {
    path == self.path || links.contains(path)
  }

  /// The seat to which it belongs.
  public var seat: String { Seat.of(properties) }

  /// The kernel's name of the device whose node this is, `inputN`. No later device gets it.
  var inputName: String {
    id.syspath.split(separator: "/").dropLast().last.map(String.init) ?? ""
  }

  /// Whether the device is a clone that keydebounce made, or pretends to be one. Any program that may open uinput can make
  /// such a device.
  public var isClone: Bool { phys.hasPrefix(Clone.physPrefix) }

  /// Whether the device is the clone of `source`, by udev's rule, or without the rule by its place and numbers. The name may
  /// differ.
  public func isClone(of source: DeviceNode) -> Bool {
    if let known = properties["KEYDEBOUNCE_SOURCE"] { return known == source.inputName }
    return phys == Clone.physPrefix + source.phys && identity.vendor == source.identity.vendor
      && identity.product == source.identity.product
  }

  /// The clone of this device among others. One that udev's rule knows precedes the others.
  public func clone(among nodes: [DeviceNode]) -> DeviceNode? {
    let clones = nodes.filter { $0.isClone(of: self) }
    return clones.first { $0.properties["KEYDEBOUNCE_SOURCE"] != nil } ?? clones.first
  }
}

// MARK: - Through udev

extension DeviceNode {
  /// Reads what udev knows of a device; `nil` if it is no event node, udev is not done with it, or it is gone again.
  ///
  /// - Parameter device: A `struct udev_device`, which stays the caller's.
  init?(udevDevice device: OpaquePointer) {
    guard let path = udev_device_get_devnode(device).map(String.init(cString:)),
      path.hasPrefix("/dev/input/event"),
      udev_device_get_is_initialized(device) > 0,
      let id = ID(udevDevice: device)
    else { return nil }
    // The input device above the node has the name and the numbers.
    guard let parent = udev_device_get_parent_with_subsystem_devtype(device, "input", nil) else {
      return nil
    }
    func attribute(_ name: String) -> String {
      String(text: udev_device_get_sysattr_value(parent, name))
    }
    func number(_ name: String) -> UInt16 { UInt16(attribute(name), radix: 16) ?? 0 }
    self.init(
      id: id, path: path,
      links: udevList(udev_device_get_devlinks_list_entry(device)).map {
        String(text: udev_list_entry_get_name($0))
      },
      identity: DeviceIdentity(
        name: attribute("name"), bus: number("id/bustype"), vendor: number("id/vendor"),
        product: number("id/product"), version: number("id/version"), phys: attribute("phys"),
        uniq: attribute("uniq")),
      properties: Dictionary(
        udevList(udev_device_get_properties_list_entry(device)).map {
          (String(text: udev_list_entry_get_name($0)), String(text: udev_list_entry_get_value($0)))
        }, uniquingKeysWith: { $1 }),
      keys: KeySet(sysfs: attribute("capabilities/key")))
  }
}

extension DeviceNode.ID {
  init?(udevDevice device: OpaquePointer) {
    guard let syspath = udev_device_get_syspath(device) else { return nil }
    self.syspath = String(cString: syspath)
    number = UInt64(udev_device_get_devnum(device))
  }
}

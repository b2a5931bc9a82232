import CEvdev
import Debounce
import Files

/// An event node (`/dev/input/eventN`) as udev describes it.
public struct DeviceNode: Sendable {
  /// The identity of a node. The number N alone is not enough, because the kernel reuses it after a quick replug.
  public struct ID: Hashable, Sendable {
    /// Its folder in sysfs.
    public let syspath: String
    /// Its device number.
    let number: UInt64
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

  /// Whether udev announced the node because it was plugged in just now.
  public private(set) var isNew: Bool
  /// The time from when udev had applied its rules to the node until the announcement was received, in microseconds. `nil` if
  /// udev did not announce the node, or did not say when it applied the rules.
  ///
  /// In between, udev runs the programs that its rules name (`RUN`).
  public private(set) var announcementDelay: Int64?
  /// The same node without its announcement. Programs may use the device by now, so it no longer counts as new.
  public var withoutAnnouncement: DeviceNode {
    var node = self
    (node.isNew, node.announcementDelay) = (false, nil)
    return node
  }

  /// - Parameters:
  ///   - properties: What udev says: of the node, and of the event with which it announces the node, if it does.
  ///   - now: When that was received, by the monotonic clock.
  init(
    id: ID, path: String, links: [String], identity: DeviceIdentity, properties: [String: String],
    keys: KeySet, at now: Int64 = monotonicNow()
  ) {
    (self.id, self.path, self.links, self.identity, self.keys) = (id, path, links, identity, keys)
    self.properties = properties.filter { name, _ in
      !["ACTION", "SEQNUM"].contains(name) && !name.hasPrefix("SYNTH_")
    }
    isNew = properties["ACTION"] == "add"
    if properties["ACTION"] != nil, let applied = properties["USEC_INITIALIZED"] {
      announcementDelay = Int64(applied).map { now - $0 }
    }
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

extension DeviceNode: Equatable {
  /// Whether udev says the same of the same node. How and when udev announced it is not compared: each event of a device that
  /// stays as it is would count as a change.
  public static func == (left: DeviceNode, right: DeviceNode) -> Bool {
    left.id == right.id && left.path == right.path && left.links == right.links
      && left.identity == right.identity && left.properties == right.properties
      && left.keys == right.keys
  }
}

// MARK: - Through udev

extension DeviceNode {
  /// Reads what udev knows of a device.
  ///
  /// - Returns: `nil` if the device is no event node, udev is not done with it, or it is gone again.
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

import CEvdev
import Debounce
import Glibc

/// An event node (`/dev/input/eventN`) as udev describes it.
public struct DeviceNode: Sendable, Equatable {
  /// Which node it is. The number N alone is not enough: a quick replug uses it again.
  public struct ID: Hashable, Sendable {
    /// Its folder in sysfs.
    public let syspath: String
    /// Its device number.
    public let number: UInt64
  }

  /// What udev takes a device for (its `ID_INPUT_*` properties).
  public struct Kinds: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `ID_INPUT_KEYBOARD`: has the keys that one types with.
    public static let keyboard = Kinds(rawValue: 1 << 0)
    /// `ID_INPUT_MOUSE`.
    public static let mouse = Kinds(rawValue: 1 << 1)
    /// `ID_INPUT_TOUCHPAD`.
    public static let touchpad = Kinds(rawValue: 1 << 2)
    /// `ID_INPUT_TOUCHSCREEN`.
    public static let touchscreen = Kinds(rawValue: 1 << 3)
    /// `ID_INPUT_TABLET` or `ID_INPUT_TABLET_PAD`.
    public static let tablet = Kinds(rawValue: 1 << 4)
    /// `ID_INPUT_JOYSTICK`.
    public static let joystick = Kinds(rawValue: 1 << 5)
    /// `ID_INPUT_SWITCH`: a lid, a dock.
    public static let `switch` = Kinds(rawValue: 1 << 6)

    /// What each is called, in udev's word without the rest.
    public static let names: [(name: String, kind: Kinds)] = [
      ("keyboard", .keyboard), ("mouse", .mouse), ("touchpad", .touchpad),
      ("touchscreen", .touchscreen), ("tablet", .tablet), ("joystick", .joystick),
      ("switch", .switch),
    ]

    /// What udev takes a device for of which it knows this.
    public init(properties: [String: String]) {
      self.init(
        Self.names.filter { properties["ID_INPUT_" + $0.name.uppercased()] == "1" }.map(\.kind))
      if properties["ID_INPUT_TABLET_PAD"] == "1" { insert(.tablet) }
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
  /// The keys and buttons that it has.
  public let keys: KeySet

  /// What udev takes the device for.
  public var kinds: Kinds { Kinds(properties: properties) }
  /// The device's name, for people.
  public var name: String { identity.name }
  /// Where the device is plugged in, according to its driver.
  public var phys: String { identity.phys ?? "" }

  /// Whether a program made the device through uinput.
  ///
  /// Not all of `/sys/devices/virtual`: Bluetooth keyboards live there, under `misc/uhid`.
  public var isVirtual: Bool { id.syspath.hasPrefix("/sys/devices/virtual/input/") }

  /// Whether it was plugged in just now: this is what udev announced it with.
  public var isNew: Bool { properties["ACTION"] == "add" }

  /// How long after udev had applied its rules to the node its word on it was received, in microseconds; `nil` if it does not
  /// say, or the node was found otherwise.
  ///
  /// In between, udev runs what the rules have it run (`RUN`).
  public private(set) var announcementDelay: Int64?

  /// Whether `path` is the node's own, or a link to it.
  public func isNamed(by path: String) -> Bool {
    path == self.path || links.contains(path)
  }

  /// The seat to which it belongs.
  public var seat: String { Seat.of(properties) }

  /// The kernel's name of the device whose node this is, `inputN`: no later device gets it.
  var inputName: String {
    id.syspath.split(separator: "/").dropLast().last.map(String.init) ?? ""
  }

  /// Whether the device is a clone that keydebounce made, or says so: whoever may open uinput can.
  public var isClone: Bool { phys.hasPrefix(Clone.physPrefix) }

  /// Whether the device is the clone of `source`. Its name may be one of its own.
  ///
  /// udev's rule knows that, and without the rule the device's place and numbers say so.
  public func isClone(of source: DeviceNode) -> Bool {
    if let known = properties["KEYDEBOUNCE_SOURCE"] { return known == source.inputName }
    return phys == Clone.physPrefix + source.phys && identity.vendor == source.identity.vendor
      && identity.product == source.identity.product
  }

  /// The clone of this device among others: the one that udev's rule knows, if it knows any.
  public func clone(among nodes: [DeviceNode]) -> DeviceNode? {
    let clones = nodes.filter { $0.isClone(of: self) }
    return clones.first { $0.properties["KEYDEBOUNCE_SOURCE"] != nil } ?? clones.first
  }
}

extension DeviceNode {
  /// Reads what udev knows; `nil` if the device is no event node, udev is not done with it, or it is gone again.
  ///
  /// - Parameter device: A `struct udev_device`; it stays the caller's.
  init?(udevDevice device: OpaquePointer) {
    guard let path = udev_device_get_devnode(device).map(String.init(cString:)),
      path.hasPrefix("/dev/input/event"),
      udev_device_get_is_initialized(device) > 0,
      let id = ID(udevDevice: device)
    else { return nil }
    self.id = id
    self.path = path

    var links: [String] = []
    var link = udev_device_get_devlinks_list_entry(device)
    while let entry = link {
      links.append(String(cString: udev_list_entry_get_name(entry)))
      link = udev_list_entry_get_next(entry)
    }
    self.links = links

    var properties: [String: String] = [:]
    var property = udev_device_get_properties_list_entry(device)
    while let entry = property {
      properties[String(cString: udev_list_entry_get_name(entry))] =
        udev_list_entry_get_value(entry).map(String.init(cString:)) ?? ""
      property = udev_list_entry_get_next(entry)
    }
    self.properties = properties
    announcementDelay =
      udev_device_get_action(device) == nil
      ? nil : properties["USEC_INITIALIZED"].flatMap { Int64($0) }.map { monotonicNow() - $0 }

    // The names and numbers are those of the input device above the node.
    guard let parent = udev_device_get_parent_with_subsystem_devtype(device, "input", nil) else {
      return nil
    }
    func attribute(_ name: String) -> String {
      udev_device_get_sysattr_value(parent, name).map(String.init(cString:)) ?? ""
    }
    func number(_ name: String) -> UInt16 { UInt16(attribute(name), radix: 16) ?? 0 }
    identity = DeviceIdentity(
      name: attribute("name"), bus: number("id/bustype"), vendor: number("id/vendor"),
      product: number("id/product"), version: number("id/version"), phys: attribute("phys"),
      uniq: attribute("uniq"))
    keys = KeySet(sysfs: attribute("capabilities/key"))
  }
}

extension KeySet {
  /// The keys of a device as sysfs lists them: words of the machine's size in hexadecimal, the highest first.
  init(sysfs text: String) {
    self.init()
    for (index, word) in text.split(separator: " ").reversed().enumerated() {
      guard let bits = UInt(word, radix: 16) else { continue }
      for bit in 0..<UInt.bitWidth where bits & 1 << bit != 0 {
        insert(KeyCode(clamping: index * UInt.bitWidth + bit))
      }
    }
  }
}

/// Whether an open file is the node that udev has described: the name alone may have become another device's since.
func isNode(_ descriptor: CInt, _ node: DeviceNode) -> Bool {
  var status = stat()
  guard fstat(descriptor, &status) == 0, status.st_rdev == node.id.number else { return false }
  // The number may be another's, too: sysfs lists whose it is now.
  let (major, minor) = (gnu_dev_major(status.st_rdev), gnu_dev_minor(status.st_rdev))
  guard let folder = realpath("/sys/dev/char/\(major):\(minor)", nil) else { return false }
  defer { free(folder) }
  return String(cString: folder) == node.id.syspath
}

extension DeviceNode.ID {
  init?(udevDevice device: OpaquePointer) {
    guard let syspath = udev_device_get_syspath(device) else { return nil }
    self.syspath = String(cString: syspath)
    number = UInt64(udev_device_get_devnum(device))
  }
}

import CEvdev
import Debounce
import EventDevices
import Glibc

/// A device that a test makes through uinput and plays.
public final class UinputDevice {
  /// Its event node.
  public let path: String

  private let descriptor: CInt
  private let device: OpaquePointer

  /// Makes a keyboard that udev takes for one, with a Caps Lock LED, autorepeat and scan codes.
  public convenience init(name: String = "keydebounce test keyboard") throws {
    try self.init(.keyboard(name: name))
  }

  /// Makes a device.
  ///
  /// - Parameter waits: Whether to wait until udev is done with it.
  public init(_ blueprint: Blueprint, waitingForUdev waits: Bool = true) throws {
    // Listening first: udev's word on the new node must not be missed.
    let monitor = waits ? Optional(try Monitor()) : nil
    descriptor = open("/dev/uinput", O_RDWR | O_NONBLOCK | O_CLOEXEC)
    let descriptor = descriptor
    cevdev_set_phys(descriptor, blueprint.phys ?? "test/\(getpid())")
    var device: OpaquePointer?
    let result = try blueprint.withTemplate {
      libevdev_uinput_create_from_device($0, descriptor, &device)
    }
    guard result == 0, let device, let path = libevdev_uinput_get_devnode(device),
      let syspath = libevdev_uinput_get_syspath(device).map(String.init(cString:))
    else {
      throw WaitedInVain(description: "cannot make a uinput device: \(result)")
    }
    self.device = device
    self.path = String(cString: path)
    // The place in sysfs tells the new node. Its path, and what udev knows now, may still be of an earlier device of its number.
    try monitor?.waitForAnnouncement { $0.id.syspath.hasPrefix(syspath + "/") }
  }

  deinit {
    libevdev_uinput_destroy(device)
    close(descriptor)
  }

  /// Sends a frame.
  public func send(_ events: [Event]) {
    for event in events {
      libevdev_uinput_write_event(
        device, UInt32(event.type), UInt32(event.code), event.value)
    }
    libevdev_uinput_write_event(device, UInt32(EV_SYN), UInt32(SYN_REPORT), 0)
  }

  /// Sends one edge of a key, in a frame of its own.
  public func send(_ code: KeyCode, down: Bool) {
    send([.key(code, down: down)])
  }

  /// Sends a stroke that takes no time: both its edges at once, in a frame each.
  public func tap(_ code: KeyCode) {
    for down in [true, false] { send(code, down: down) }
  }

  /// Has the kernel not repeat its keys for a minute: a key that is held is silent then.
  public func endRepeats() {
    send([Event(type: UInt16(EV_REP), code: UInt16(REP_DELAY), value: 60_000)])
  }

  /// Sends events as they are, several frames at once: the caller ends each with its `SYN_REPORT`.
  ///
  /// - Returns: Whether the kernel took them all.
  public func send(_ events: UnsafeBufferPointer<input_event>) -> Bool {
    let size = events.count * MemoryLayout<input_event>.stride
    return write(descriptor, events.baseAddress, size) == size
  }

  /// Waits for what someone tells the device: the next LED, sound or pace of repeats.
  ///
  /// - Returns: `nil` after `limit` microseconds without one.
  public func nextFeedback(limit: Int64 = patience) -> Event? {
    var event = input_event()
    while waitUntilReadable(descriptor, limit: limit) {
      guard read(descriptor, &event, MemoryLayout<input_event>.size) > 0 else { continue }
      if [EV_LED, EV_SND, EV_REP].contains(CInt(event.type)) {
        return Event(type: event.type, code: event.code, value: event.value)
      }
    }
    return nil
  }

  /// Waits until someone tells the device this, and returns what else it was told before.
  @discardableResult
  public func waitForFeedback(_ wanted: Event) throws -> [Event] {
    var others: [Event] = []
    while let event = nextFeedback() {
      if event == wanted { return others }
      others.append(event)
    }
    throw WaitedInVain(description: "nobody told the device \(wanted), but: \(others)")
  }
}

extension Monitor {
  /// Waits until udev is done with a node.
  @discardableResult
  public func waitForNode(where predicate: (DeviceNode) -> Bool) throws -> DeviceNode {
    try nodes().first(where: predicate) ?? waitForAnnouncement(where: predicate)
  }

  /// Waits until udev announces a node that it was not done with when this was made.
  @discardableResult
  public func waitForAnnouncement(where predicate: (DeviceNode) -> Bool) throws -> DeviceNode {
    while waitUntilReadable(descriptor) {
      while let change = next() {
        if case .present(let node, _) = change, predicate(node) { return node }
      }
    }
    throw WaitedInVain(description: "udev did not announce the device")
  }

  /// Waits until udev announces a node, and for what its rules say of it. A busy udev may have gone by the rules before: it looks
  /// again then.
  public func waitForAnnouncement(
    where predicate: (DeviceNode) -> Bool, following rule: (DeviceNode) -> Bool
  ) throws -> DeviceNode {
    let node = try waitForAnnouncement(where: predicate)
    if rule(node) { return node }
    let trigger = try Command(
      program: "/bin/udevadm",
      ["trigger", "--action=change", node.id.syspath + "/..", node.id.syspath])
    guard trigger.status == 0 else { throw WaitedInVain(description: trigger.errors) }
    return try waitForAnnouncement { predicate($0) && rule($0) }
  }
}

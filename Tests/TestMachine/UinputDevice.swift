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
  public init(name: String = "keydebounce test keyboard") throws {
    guard let template = libevdev_new() else { throw WaitedInVain(description: "no memory") }
    defer { libevdev_free(template) }
    libevdev_set_name(template, name)
    libevdev_set_id_bustype(template, CInt(BUS_USB))
    libevdev_set_id_vendor(template, 0x1209)
    libevdev_set_id_product(template, 0x0001)
    libevdev_set_id_version(template, 0x0110)
    // All keys of a usual keyboard.
    for code in 1..<UInt32(KEY_MICMUTE) {
      libevdev_enable_event_code(template, UInt32(EV_KEY), code, nil)
    }
    libevdev_enable_event_code(template, UInt32(EV_MSC), UInt32(MSC_SCAN), nil)
    libevdev_enable_event_code(template, UInt32(EV_LED), UInt32(LED_CAPSL), nil)
    libevdev_enable_event_code(template, UInt32(EV_LED), UInt32(LED_NUML), nil)
    libevdev_enable_event_type(template, UInt32(EV_REP))

    // Listening first: udev's word on the new node must not be missed.
    let monitor = try Monitor()
    descriptor = open("/dev/uinput", O_RDWR | O_NONBLOCK | O_CLOEXEC)
    cevdev_set_phys(descriptor, "test/\(getpid())")
    var device: OpaquePointer?
    let result = libevdev_uinput_create_from_device(template, descriptor, &device)
    guard result == 0, let device, let path = libevdev_uinput_get_devnode(device) else {
      throw WaitedInVain(description: "cannot make a uinput device: \(result)")
    }
    self.device = device
    self.path = String(cString: path)
    let node = self.path
    try monitor.waitForNode { $0.path == node }
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

  /// Has the kernel not repeat its keys for a minute: a key that is held is silent then.
  public func endRepeats() {
    send([Event(type: UInt16(EV_REP), code: UInt16(REP_DELAY), value: 60_000)])
  }

  /// Waits for what someone tells the device: the next event that is a LED.
  public func nextLED() throws -> Event {
    var event = input_event()
    while waitUntilReadable(descriptor) {
      guard read(descriptor, &event, MemoryLayout<input_event>.size) > 0 else { continue }
      if event.type == EV_LED {
        return Event(type: event.type, code: event.code, value: event.value)
      }
    }
    throw WaitedInVain(description: "nobody set a LED")
  }
}

extension Monitor {
  /// Waits until udev is done with a node.
  @discardableResult
  public func waitForNode(where predicate: (DeviceNode) -> Bool) throws -> DeviceNode {
    if let node = try nodes().first(where: predicate) { return node }
    while waitUntilReadable(descriptor) {
      while let change = next() {
        if case .present(let node) = change, predicate(node) { return node }
      }
    }
    throw WaitedInVain(description: "udev did not announce the device")
  }
}

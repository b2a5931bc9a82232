import CEvdev
import EventDevices
import Glibc
import TestMachine

/// A device that the benchmark plays: what is sent with one call of `write`, a driver delivers at once.
final class SourceDevice {
  enum Kind {
    case keyboard
    case mouse
  }

  /// The vendor's number, for programs that choose devices by such numbers and not by paths.
  static let vendor: UInt16 = 0x6b64
  let kind: Kind
  let path: String
  let name: String
  private let descriptor: CInt
  private let device: OpaquePointer
  private var buffer: [input_event] = []

  init(_ kind: Kind, name: String) throws {
    self.kind = kind
    self.name = name
    guard let template = libevdev_new() else { throw WaitedInVain(description: "no memory") }
    defer { libevdev_free(template) }
    libevdev_set_name(template, name)
    libevdev_set_id_bustype(template, CInt(BUS_USB))
    libevdev_set_id_vendor(template, CInt(Self.vendor))
    libevdev_set_id_product(template, 1)
    switch kind {
    case .keyboard:
      for code in 1..<UInt32(KEY_MICMUTE) {
        libevdev_enable_event_code(template, UInt32(EV_KEY), code, nil)
      }
      libevdev_enable_event_code(template, UInt32(EV_MSC), UInt32(MSC_SCAN), nil)
      libevdev_enable_event_code(template, UInt32(EV_LED), UInt32(LED_CAPSL), nil)
    case .mouse:
      for code in [BTN_LEFT, BTN_RIGHT, BTN_MIDDLE] {
        libevdev_enable_event_code(template, UInt32(EV_KEY), UInt32(code), nil)
      }
      for code in [REL_X, REL_Y, REL_WHEEL] {
        libevdev_enable_event_code(template, UInt32(EV_REL), UInt32(code), nil)
      }
    }
    let monitor = try Monitor()
    descriptor = open("/dev/uinput", O_RDWR | O_NONBLOCK | O_CLOEXEC)
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

  /// Adds a frame to what ``send()`` sends.
  func add(_ events: (type: CInt, code: CInt, value: CInt)...) {
    for event in events {
      buffer.append(cevdev_event(0, UInt16(event.type), UInt16(event.code), event.value))
    }
    buffer.append(cevdev_event(0, UInt16(EV_SYN), UInt16(SYN_REPORT), 0))
  }

  /// Sends what was added before anybody on this processor can read it, if that is allowed: whoever waits for the first frame
  /// would otherwise run before the second is there.
  func sendAtOnce() {
    var priority = sched_param(sched_priority: 1)
    let isAllowed = sched_setscheduler(0, SCHED_FIFO, &priority) == 0
    send()
    priority.sched_priority = 0
    if isAllowed { sched_setscheduler(0, SCHED_OTHER, &priority) }
  }

  /// Sends what was added.
  func send() {
    _ = write(descriptor, buffer, buffer.count * MemoryLayout<input_event>.stride)
    buffer.removeAll(keepingCapacity: true)
  }
}

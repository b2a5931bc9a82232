import CEvdev
import Glibc

/// What the kernel holds for the state of a device, whoever has grabbed it.
public struct DeviceState: Equatable, Sendable {
  /// The keys and buttons that are down.
  public let keys: [UInt16]
  /// The switches that are on.
  public let switches: [UInt16]
  /// The LEDs that are lit.
  public let leds: [UInt16]
  /// Where its absolute axes stand, by code.
  public let axes: [UInt16: Int32]
  /// How long a key is held before it repeats, and the time between repeats, in milliseconds; `nil` if the kernel does
  /// not repeat its keys.
  public let pace: [CInt]?

  /// Asks for the state.
  ///
  /// - Parameter path: The device's event node.
  public init(path: String) throws {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(descriptor) }
    var device: OpaquePointer?
    guard libevdev_new_from_fd(descriptor, &device) == 0, let device else {
      throw WaitedInVain(description: "\(path) is no event device")
    }
    defer { libevdev_free(device) }
    func codes(_ type: CInt) -> [UInt16] {
      (0...UInt32(libevdev_event_type_get_max(UInt32(type))))
        .filter { libevdev_has_event_code(device, UInt32(type), $0) == 1 }.map { UInt16($0) }
    }
    func value(_ type: CInt, _ code: UInt16) -> CInt {
      libevdev_get_event_value(device, UInt32(type), UInt32(code))
    }
    func codesOn(_ type: CInt) -> [UInt16] { codes(type).filter { value(type, $0) != 0 } }
    keys = codesOn(EV_KEY)
    switches = codesOn(EV_SW)
    leds = codesOn(EV_LED)
    axes = Dictionary(uniqueKeysWithValues: codes(EV_ABS).map { ($0, value(EV_ABS, $0)) })
    var (delay, period): (CInt, CInt) = (0, 0)
    pace = libevdev_get_repeat(device, &delay, &period) == 0 ? [delay, period] : nil
  }
}

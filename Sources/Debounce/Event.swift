/// A point in time or a length of time, in microseconds of the kernel's monotonic event clock.
public typealias Microseconds = Int64

/// The code of a key or button, as in the kernel's `KEY_*` and `BTN_*`.
public typealias KeyCode = UInt16

/// One input event: what the kernel's `struct input_event` holds, less its time.
///
/// The time belongs to the ``Frame``: the kernel stamps all events of a frame alike.
public struct Event: Equatable, Sendable {
  /// The kind of event: one of ``EventType``'s constants.
  public var type: UInt16

  /// What moved, within its type: a key, an axis, a LED.
  public var code: UInt16

  /// For keys 0 (up), 1 (down), 2 (repeat); for other types as the kernel defines it.
  public var value: Int32

  public init(type: UInt16, code: UInt16, value: Int32) {
    self.type = type
    self.code = code
    self.value = value
  }
}

/// The kernel's event types (`EV_*`) and the few codes that the engine knows by name.
public enum EventType {
  /// `EV_SYN`: ends a frame.
  public static let synchronisation: UInt16 = 0x00
  /// `EV_KEY`: keys and buttons.
  public static let key: UInt16 = 0x01
  /// `EV_REL`: movements, among them the steps of wheels.
  public static let relative: UInt16 = 0x02
  /// `EV_MSC`: among others the scan code that precedes a key.
  public static let miscellaneous: UInt16 = 0x04

  /// `SYN_REPORT`: the end of a frame.
  public static let report: UInt16 = 0
  /// `SYN_DROPPED`: the kernel had no room for events, and some are lost.
  public static let dropped: UInt16 = 3
  /// `MSC_SCAN`: the scan code of the key event that follows it.
  public static let scan: UInt16 = 4

  /// `KEY_CNT`: one more than the largest key code that the kernel can send.
  public static let keyCount = 0x300
}

extension Event {
  /// A key or button that goes down or up.
  public static func key(_ code: KeyCode, down: Bool) -> Event {
    Event(type: EventType.key, code: code, value: down ? 1 : 0)
  }

  /// The scan code that precedes a key event.
  public static func scan(_ value: Int32) -> Event {
    Event(type: EventType.miscellaneous, code: EventType.scan, value: value)
  }

  var isReport: Bool {
    type == EventType.synchronisation && code == EventType.report
  }

  /// Whether this is the scan code that precedes a key event.
  public var isScan: Bool {
    type == EventType.miscellaneous && code == EventType.scan
  }
}

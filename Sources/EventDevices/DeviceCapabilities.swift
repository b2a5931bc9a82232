import CEvdev
import Debounce

/// All that a device can send and be sent. The kernel lists it, and recordings begin with it.
public struct DeviceCapabilities: Equatable, Sendable {
  /// The device's properties (`INPUT_PROP_*`).
  public var properties: [UInt16]
  /// The codes of each event type that the device has.
  public var codes: [UInt16: [UInt16]]
  public var axes: [AbsoluteAxis]

  public init(
    properties: [UInt16] = [], codes: [UInt16: [UInt16]] = [:], axes: [AbsoluteAxis] = []
  ) {
    (self.properties, self.codes, self.axes) = (properties, codes, axes)
  }

  /// The keys and buttons.
  public var keys: KeySet { KeySet(codes[EventType.key] ?? []) }
}

/// The range of an absolute axis; the corresponding C structure is `struct input_absinfo`.
public struct AbsoluteAxis: Equatable, Sendable {
  public var code: UInt16
  public var minimum, maximum, fuzz, flat, resolution: Int32

  public init(
    code: UInt16, minimum: Int32, maximum: Int32, fuzz: Int32, flat: Int32, resolution: Int32
  ) {
    (self.code, self.minimum, self.maximum) = (code, minimum, maximum)
    (self.fuzz, self.flat, self.resolution) = (fuzz, flat, resolution)
  }
}

// MARK: - Through libevdev

extension DeviceCapabilities {
  /// Reads the capabilities of an open device.
  ///
  /// - Parameter device: A `struct libevdev`; it stays the caller's.
  init(libevdev device: OpaquePointer) {
    properties = (0..<UInt16(INPUT_PROP_CNT)).filter {
      libevdev_has_property(device, UInt32($0)) == 1
    }
    codes = [:]
    for type in 0..<UInt16(EV_CNT) where libevdev_has_event_type(device, UInt32(type)) == 1 {
      // A type without codes has no last one: the maximum is -1.
      let last = libevdev_event_type_get_max(UInt32(type))
      codes[type] = (0..<UInt16(last + 1)).filter {
        libevdev_has_event_code(device, UInt32(type), UInt32($0)) == 1
      }
    }
    axes = (codes[UInt16(EV_ABS)] ?? []).compactMap { code in
      guard let axis = libevdev_get_abs_info(device, UInt32(code))?.pointee else { return nil }
      return AbsoluteAxis(
        code: code, minimum: axis.minimum, maximum: axis.maximum, fuzz: axis.fuzz,
        flat: axis.flat, resolution: axis.resolution)
    }
  }

  /// Whether programs can tell the device something that is passed on: to light a LED, to beep, to repeat at another pace.
  var takesFeedback: Bool { codes.keys.contains { EventType.isFeedback($0) } }

  /// Enables these capabilities, without force feedback, in a device that is to be made.
  ///
  /// - Parameters:
  ///   - template: A `struct libevdev`; it stays the caller's.
  ///   - device: The `struct libevdev` of the device with these capabilities, which knows the ranges of axes and the pace of
  ///     repeats.
  func enable(in template: OpaquePointer, like device: OpaquePointer) {
    for property in properties { libevdev_enable_property(template, UInt32(property)) }
    for (type, codes) in codes where ![EV_FF, EV_FF_STATUS, EV_PWR].contains(CInt(type)) {
      libevdev_enable_event_type(template, UInt32(type))
      for code in codes {
        switch CInt(type) {
        case EV_ABS:
          // The kernel makes no device with an axis whose range is negative, or smaller than its flat middle.
          guard var axis = libevdev_get_abs_info(device, UInt32(code))?.pointee,
            axis.minimum <= axis.maximum
          else { continue }
          let (range, isTooLarge) = axis.maximum.subtractingReportingOverflow(axis.minimum)
          if !isTooLarge { axis.flat = min(axis.flat, range) }
          libevdev_enable_event_code(template, UInt32(type), UInt32(code), &axis)
        case EV_REP:
          var pace = libevdev_get_event_value(device, UInt32(type), UInt32(code))
          libevdev_enable_event_code(template, UInt32(type), UInt32(code), &pace)
        default:
          libevdev_enable_event_code(template, UInt32(type), UInt32(code), nil)
        }
      }
    }
  }
}

// MARK: - Through sysfs

extension KeySet {
  /// The keys that sysfs lists of a device: words of the machine's size in hexadecimal, the highest first.
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

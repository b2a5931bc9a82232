import CEvdev
import Debounce

/// A device that a test makes through uinput: what it is called, and which events it has.
public struct Blueprint: Sendable {
  public var name: String
  public var bus = UInt16(BUS_USB)
  public var vendor: UInt16 = 0x1209
  public var product: UInt16 = 0x0001
  /// Where it says that it is plugged in; `nil` for a place that no other process's devices are at.
  public var phys: String?

  /// The codes that it can send and be told, by event type.
  public var codes: [CInt: [CInt]]
  /// Its absolute axes, and the largest value of each; the smallest is 0.
  public var axes: [CInt: Int32] = [:]
  /// Its properties (`INPUT_PROP_*`).
  public var properties: [CInt] = []
  /// Whether the kernel repeats its keys that are held.
  public var repeats = false

  public init(name: String, _ codes: [CInt: [CInt]] = [:], axes: [CInt: Int32] = [:]) {
    self.name = name
    self.codes = codes
    self.axes = axes
  }

  /// A keyboard that udev takes for one, with LEDs, autorepeat and scan codes.
  public static func keyboard(name: String = "keydebounce test keyboard") -> Blueprint {
    var keyboard = Blueprint(
      name: name,
      [
        // All keys of a usual keyboard.
        EV_KEY: Array(1..<KEY_MICMUTE), EV_MSC: [MSC_SCAN], EV_LED: [LED_CAPSL, LED_NUML],
      ])
    keyboard.repeats = true
    return keyboard
  }

  /// The same keyboard without LEDs, each of which is a device of its own to udev: quicker there and gone.
  public static func plainKeyboard(name: String = "keydebounce test keyboard") -> Blueprint {
    var keyboard = Blueprint.keyboard(name: name)
    keyboard.codes[EV_LED] = nil
    return keyboard
  }

  /// A mouse of today: five buttons with scan codes, and two wheels that also count in fractions of a notch.
  public static func mouse(name: String = "keydebounce test mouse") -> Blueprint {
    Blueprint(
      name: name,
      [
        EV_KEY: Array(BTN_LEFT...BTN_EXTRA),
        EV_REL: [REL_X, REL_Y, REL_WHEEL, REL_HWHEEL, REL_WHEEL_HI_RES, REL_HWHEEL_HI_RES],
        EV_MSC: [MSC_SCAN],
      ])
  }
}

extension Blueprint {
  /// Calls `body` with a `struct libevdev` that has all this.
  func withTemplate<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
    guard let template = libevdev_new() else { throw WaitedInVain(description: "no memory") }
    defer { libevdev_free(template) }
    libevdev_set_name(template, name)
    libevdev_set_id_bustype(template, CInt(bus))
    libevdev_set_id_vendor(template, CInt(vendor))
    libevdev_set_id_product(template, CInt(product))
    libevdev_set_id_version(template, 0x0110)
    for (type, codes) in codes {
      for code in codes { libevdev_enable_event_code(template, UInt32(type), UInt32(code), nil) }
    }
    for (code, maximum) in axes {
      var range = input_absinfo()
      range.maximum = maximum
      range.resolution = 10
      libevdev_enable_event_code(template, UInt32(EV_ABS), UInt32(code), &range)
    }
    for property in properties { libevdev_enable_property(template, UInt32(property)) }
    if repeats { libevdev_enable_event_type(template, UInt32(EV_REP)) }
    return try body(template)
  }
}

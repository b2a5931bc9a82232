import CEvdev
@testable import EventDevices
import Testing

@Suite("What a device can send")
struct DeviceCapabilitiesTests {
  /// A device that exists in libevdev alone.
  private final class Device {
    let pointer: OpaquePointer

    init() throws { pointer = try #require(libevdev_new()) }
    deinit { libevdev_free(pointer) }

    func enable(_ type: CInt, _ codes: CInt...) {
      libevdev_enable_event_type(pointer, UInt32(type))
      for code in codes { libevdev_enable_event_code(pointer, UInt32(type), UInt32(code), nil) }
    }

    func enableAxis(_ code: CInt, _ minimum: CInt, _ maximum: CInt) {
      var axis = input_absinfo(
        value: 5, minimum: minimum, maximum: maximum, fuzz: 2, flat: 3, resolution: 4)
      libevdev_enable_event_code(pointer, UInt32(EV_ABS), UInt32(code), &axis)
    }

    func enablePace(_ code: CInt, _ value: CInt) {
      var value = value
      libevdev_enable_event_code(pointer, UInt32(EV_REP), UInt32(code), &value)
    }

    func pace(_ code: CInt) -> CInt {
      libevdev_get_event_value(pointer, UInt32(EV_REP), UInt32(code))
    }

    var capabilities: DeviceCapabilities { DeviceCapabilities(libevdev: pointer) }
  }

  private func device() throws -> Device {
    let device = try Device()
    libevdev_enable_property(device.pointer, UInt32(INPUT_PROP_POINTER))
    libevdev_enable_property(device.pointer, UInt32(INPUT_PROP_MAX))
    // The first code and the last, and others.
    device.enable(EV_KEY, KEY_RESERVED, KEY_A, KEY_LEFTSHIFT, KEY_MAX)
    device.enable(EV_REL, REL_X, REL_MAX)
    device.enable(EV_LED, LED_NUML)
    device.enable(EV_MSC, MSC_SCAN)
    device.enableAxis(ABS_X, -10, 10)
    device.enableAxis(ABS_Y, 7, 7)
    device.enableAxis(ABS_Z, 8, 7)
    device.enablePace(REP_DELAY, 321)
    device.enablePace(REP_PERIOD, 45)
    device.enable(EV_FF, FF_RUMBLE)
    device.enable(EV_FF_STATUS, FF_STATUS_PLAYING)
    device.enable(EV_SND)
    return device
  }

  @Test("is read as it is")
  func read() throws {
    let capabilities = try device().capabilities
    #expect(capabilities.properties == [UInt16(INPUT_PROP_POINTER), UInt16(INPUT_PROP_MAX)])
    #expect(
      capabilities.codes[UInt16(EV_KEY)]
        == [KEY_RESERVED, KEY_A, KEY_LEFTSHIFT, KEY_MAX].map { UInt16($0) })
    #expect(capabilities.codes[UInt16(EV_REL)] == [UInt16(REL_X), UInt16(REL_MAX)])
    #expect(capabilities.codes[UInt16(EV_REP)] == [UInt16(REP_DELAY), UInt16(REP_PERIOD)])
    #expect(capabilities.codes[UInt16(EV_FF)] == [UInt16(FF_RUMBLE)])
    // The type that every device has, one that has no codes, and one that it does not have.
    #expect(capabilities.codes[UInt16(EV_SYN)] != nil)
    #expect(capabilities.codes[UInt16(EV_SND)] == [])
    #expect(capabilities.codes[UInt16(EV_SW)] == nil)
    #expect(
      capabilities.axes.first
        == AbsoluteAxis(
          code: UInt16(ABS_X), minimum: -10, maximum: 10, fuzz: 2, flat: 3, resolution: 4))
    #expect(capabilities.axes.map(\.code) == [ABS_X, ABS_Y, ABS_Z].map { UInt16($0) })
  }

  @Test("is limited to what the kernel makes devices with")
  func flat() throws {
    let device = try device()
    let flats: [(CInt, CInt, CInt, flat: CInt, copied: CInt)] = [
      (ABS_X, 0, 0, 15, 0), (ABS_Y, -5, 5, 11, 10), (ABS_WHEEL, 0, 255, 15, 15),
      (ABS_GAS, .min, .max, 15, 15),
    ]
    for (code, minimum, maximum, flat, _) in flats {
      var axis = input_absinfo(
        value: 0, minimum: minimum, maximum: maximum, fuzz: 0, flat: flat, resolution: 0)
      libevdev_set_abs_info(device.pointer, UInt32(code), &axis)
      libevdev_enable_event_code(device.pointer, UInt32(EV_ABS), UInt32(code), &axis)
    }
    let template = try Device()
    device.capabilities.enable(in: template.pointer, like: device.pointer)
    for (code, _, _, _, copied) in flats {
      #expect(libevdev_get_abs_flat(template.pointer, UInt32(code)) == copied)
    }
  }

  @Test("is what its clone can send, but for force feedback and axes without a range")
  func copied() throws {
    let device = try device()
    let template = try Device()
    var expected = device.capabilities
    expected.enable(in: template.pointer, like: device.pointer)
    expected.codes[UInt16(EV_FF)] = nil
    expected.codes[UInt16(EV_FF_STATUS)] = nil
    expected.codes[UInt16(EV_ABS)] = [UInt16(ABS_X), UInt16(ABS_Y)]
    expected.axes.removeAll { $0.code == ABS_Z }
    expected.axes[1].flat = 0
    #expect(template.capabilities == expected)
    #expect(template.pace(REP_DELAY) == 321 && template.pace(REP_PERIOD) == 45)
  }
}

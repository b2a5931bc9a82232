import CEvdev

/// What a device can send and receive, as the kernel lists it.
public struct Capabilities: Sendable, Equatable {
  /// The range of an absolute axis.
  public struct Axis: Sendable, Equatable {
    public let code: UInt16
    public let minimum: Int32
    public let maximum: Int32
    public let fuzz: Int32
    public let flat: Int32
    public let resolution: Int32
  }

  /// The device's properties (`INPUT_PROP_*`).
  public let properties: [UInt16]
  /// For each event type it has, the codes.
  public let codes: [UInt16: [UInt16]]
  public let axes: [Axis]
}

extension Capabilities {
  /// - Parameter device: A `struct libevdev`; it stays the caller's.
  init(libevdev device: OpaquePointer) {
    properties = (0..<UInt32(INPUT_PROP_CNT)).filter { libevdev_has_property(device, $0) == 1 }
      .map { UInt16($0) }
    var codes: [UInt16: [UInt16]] = [:]
    for type in 0..<UInt32(EV_CNT) where libevdev_has_event_type(device, type) == 1 {
      let last = libevdev_event_type_get_max(type)
      codes[UInt16(type)] =
        last < 0
        ? []
        : (0...UInt32(last)).filter { libevdev_has_event_code(device, type, $0) == 1 }
          .map { UInt16($0) }
    }
    self.codes = codes
    axes = (codes[UInt16(EV_ABS)] ?? []).compactMap { code in
      libevdev_get_abs_info(device, UInt32(code)).map { info in
        Axis(
          code: code, minimum: info.pointee.minimum, maximum: info.pointee.maximum,
          fuzz: info.pointee.fuzz, flat: info.pointee.flat, resolution: info.pointee.resolution)
      }
    }
  }
}

/// What a device can send and be sent, as the kernel lists it and recordings begin with it.
public struct DeviceCapabilities: Equatable, Sendable {
  /// The device's properties (`INPUT_PROP_*`).
  public var properties: [UInt16]
  /// For each event type it has, the codes.
  public var codes: [UInt16: [UInt16]]
  public var axes: [AbsoluteAxis]

  public init(
    properties: [UInt16] = [], codes: [UInt16: [UInt16]] = [:], axes: [AbsoluteAxis] = []
  ) {
    self.properties = properties
    self.codes = codes
    self.axes = axes
  }
}

/// The range of an absolute axis; the corresponding C structure is `struct input_absinfo`.
public struct AbsoluteAxis: Equatable, Sendable {
  public var code: UInt16
  public var minimum: Int32
  public var maximum: Int32
  public var fuzz: Int32
  public var flat: Int32
  public var resolution: Int32

  public init(
    code: UInt16, minimum: Int32, maximum: Int32, fuzz: Int32, flat: Int32, resolution: Int32
  ) {
    self.code = code
    self.minimum = minimum
    self.maximum = maximum
    self.fuzz = fuzz
    self.flat = flat
    self.resolution = resolution
  }
}

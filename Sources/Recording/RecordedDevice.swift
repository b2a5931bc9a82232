/// The device that a recording was made of: what stands in its head.
public struct RecordedDevice: Equatable, Sendable {
  /// The range of an absolute axis.
  public struct Axis: Equatable, Sendable {
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

  public var name: String
  public var bus: UInt16
  public var vendor: UInt16
  public var product: UInt16
  public var version: UInt16
  /// The device's properties (`INPUT_PROP_*`).
  public var properties: [UInt16]
  /// For each event type it has, the codes.
  public var codes: [UInt16: [UInt16]]
  public var axes: [Axis]

  public init(
    name: String, bus: UInt16 = 0, vendor: UInt16 = 0, product: UInt16 = 0, version: UInt16 = 0,
    properties: [UInt16] = [], codes: [UInt16: [UInt16]] = [:], axes: [Axis] = []
  ) {
    self.name = name
    self.bus = bus
    self.vendor = vendor
    self.product = product
    self.version = version
    self.properties = properties
    self.codes = codes
    self.axes = axes
  }
}

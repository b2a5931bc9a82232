import EventDevices

/// The device that a recording was made of: the head of an evemu file.
public struct RecordedDevice: Equatable, Sendable {
  /// Of it, recordings have the name and the numbers alone.
  public var identity: DeviceIdentity
  public var capabilities: DeviceCapabilities

  public init(_ identity: DeviceIdentity, _ capabilities: DeviceCapabilities = .init()) {
    self.identity = identity
    self.capabilities = capabilities
  }
}

import EventDevices

/// Which devices are paused, and until when. A pause of all also holds for devices that come meanwhile.
struct Pauses {
  /// When the pause of all devices ends.
  private var all = Instant.longAgo
  /// When the pauses of single devices end. They hold in place of the pause of all.
  private var single: [DeviceNode.ID: Instant] = [:]

  /// Pauses all devices, or one. An end that is over resumes them.
  mutating func pause(_ device: DeviceNode.ID?, until end: Instant) {
    if let device { single[device] = end } else { (all, single) = (end, [:]) }
  }

  /// Receives that a device is gone. A later device may get its number.
  mutating func forget(_ device: DeviceNode.ID) { single[device] = nil }

  /// The end of a device's pause; `nil` if it has none.
  func end(of device: DeviceNode.ID, at now: Instant) -> Instant? {
    let end = single[device] ?? all
    return end > now ? end : nil
  }
}

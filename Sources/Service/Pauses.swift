import Debounce
import EventDevices

/// Which devices are paused, and until when: also those that come or are taken anew meanwhile.
struct Pauses {
  /// When the pause of all devices ends.
  private var all = Instant.longAgo
  /// When the pauses of single devices end, which hold in place of that.
  private var single: [DeviceNode.ID: Instant] = [:]

  /// Pauses all, or one; resumes it if the end has been before.
  mutating func pause(_ device: DeviceNode.ID?, until end: Instant) {
    if let device { single[device] = end } else { (all, single) = (end, [:]) }
  }

  /// Receives that a device is gone: what comes under its number is another one.
  mutating func forget(_ device: DeviceNode.ID) { single[device] = nil }

  /// Until when a device is paused; `nil` if it is not.
  func end(of device: DeviceNode.ID, at now: Instant) -> Instant? {
    let end = single[device] ?? all
    return end > now ? end : nil
  }
}

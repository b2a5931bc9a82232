import Control
import Debounce
import EventDevices
import Glibc
import Logging
import Status

/// Pausing: everything passes as it is, and nothing is let go or plugged anew.
extension Daemon {
  /// Pauses a device, or all and those that come meanwhile.
  ///
  /// - Parameters:
  ///   - device: Its node or a link to it; empty for all.
  ///   - seconds: For how long; 0 until it is resumed or the daemon starts anew.
  func pause(
    _ device: String, for seconds: UInt32, _ call: BusCall, _ caller: BusCaller, now: Instant
  ) {
    let end = seconds == 0 ? Instant.never : now + Microseconds(seconds) * 1_000_000
    guard let meant = whatIsMeant(by: device, call, caller) else { return }
    pauses.pause(meant.node, until: end)
    for id in meant.devices { devices.update(id) { $0.pause(until: end) } }
    call.answer()
  }

  /// Debounces a device again, or all.
  func resume(_ device: String, _ call: BusCall, _ caller: BusCaller) {
    guard let meant = whatIsMeant(by: device, call, caller) else { return }
    pauses.resume(meant.node)
    for id in meant.devices { devices.update(id) { $0.endPause() } }
    call.answer()
  }

  /// What is to be paused or resumed.
  private struct Meant {
    /// `nil` for all, also those that come.
    var node: DeviceNode.ID?
    var devices: [DeviceID]
  }

  /// What the caller means, if it may pause that; `nil` if the call has been refused.
  private func whatIsMeant(
    by device: String, _ call: BusCall, _ caller: BusCaller
  ) -> Meant? {
    guard caller.mayPause else {
      call.refuse(
        BusNames.Error.accessDenied,
        "only root, the group “keydebounce” and, where polkit runs, whoever sits at the machine may pause"
      )
      return nil
    }
    guard !device.isEmpty else { return Meant(node: nil, devices: devices.ids { !$0.isClosed }) }
    let ids = devices.ids { !$0.isClosed && $0.node.isNamed(by: device) }
    guard let id = ids.first, let node = devices.update(id, { $0.node.id }) else {
      call.refuse(BusNames.Error.notHeld, "\(device) is not held by the daemon")
      return nil
    }
    return Meant(node: node, devices: [id])
  }
}

extension Pipeline {
  /// Passes everything on as it is: for each key from when it is idle.
  mutating func pause(until end: Instant) {
    if !path.engine.isPaused { log.notice("\(title): paused: everything passes as it is") }
    pauseEnd = end
    path.setPaused(true)
    hasNews = true
  }

  /// Debounces again: each key from when it is idle.
  mutating func endPause() {
    guard path.engine.isPaused else { return }
    log.notice("\(title): debounced again after a pause")
    pauseEnd = .never
    path.setPaused(false)
    hasNews = true
  }

  /// The pause, as `status` shows it.
  ///
  /// - Parameter moment: When the status is of.
  func pause(at moment: Instant) -> DevicePause? {
    guard path.engine.isPaused else { return nil }
    guard pauseEnd < .never else { return DevicePause() }
    return DevicePause(remaining: Double(max(0, pauseEnd - moment)) / 1_000_000)
  }
}

/// The number of the group whose members may ask for all but what is typed; `nil` if there is none. Looked up once: to ask
/// takes its time.
func numberOfGroup() -> gid_t? { getgrnam("keydebounce")?.pointee.gr_gid }

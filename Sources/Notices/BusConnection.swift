import CSystemd
import Glibc

/// A connection to one of the buses, for who only waits for messages. Owns it.
final class BusConnection {
  let bus: OpaquePointer

  /// - Parameter open: `sd_bus_open_system` or `sd_bus_open_user`.
  /// - Throws: Why it cannot be opened.
  init(
    _ open: (UnsafeMutablePointer<OpaquePointer?>) -> CInt, name: String
  ) throws(NotifierError) {
    if let missing = csystemd_missing() { throw .noLibrary(reason: String(cString: missing)) }
    var bus: OpaquePointer?
    let result = open(&bus)
    guard result >= 0, let bus else { throw .noBus(name: name, reason: -result) }
    self.bus = bus
  }

  deinit {
    csystemd_bus_flush_close_unref(bus)
  }

  /// Has a handler called for each signal for which a rule holds.
  func listen(
    _ rule: String, _ context: UnsafeMutableRawPointer,
    _ handler: @escaping sd_bus_message_handler_t
  ) -> Bool {
    csystemd_bus_add_match_async(bus, nil, rule, handler, nil, context) >= 0
  }

  /// Deals with one message, if there is one.
  ///
  /// - Returns: Whether there may be more; `nil` if the connection is gone.
  func process() -> Bool? {
    let result = csystemd_bus_process(bus, nil)
    return result < 0 ? nil : result > 0
  }

  /// What to wait for.
  var poll: pollfd {
    pollfd(
      fd: csystemd_bus_get_fd(bus), events: Int16(truncatingIfNeeded: csystemd_bus_get_events(bus)),
      revents: 0)
  }

  /// For how long to wait at most, in milliseconds; -1 for as long as it takes.
  var patience: CInt {
    var end = UInt64.max
    guard csystemd_bus_get_timeout(bus, &end) >= 0, end != .max else { return -1 }
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let now = UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    return end <= now ? 0 : CInt(clamping: (end - now) / 1000 + 1)
  }
}

/// Why no notices can be shown.
public enum NotifierError: Error, Equatable, CustomStringConvertible {
  /// The library through which buses are reached is not on this machine.
  case noLibrary(reason: String)
  /// One of the buses cannot be reached.
  case noBus(name: String, reason: CInt)
  /// The connection to one of them was lost.
  case lost(name: String)

  public var description: String {
    switch self {
    case .noLibrary(let reason):
      "cannot show notices: that takes libsystemd to reach the buses (\(reason))"
    case .noBus(let name, let reason):
      """
      cannot reach the \(name) bus (\(String(cString: strerror(reason)))). This is for a desktop session: \
      “systemctl --user enable --now keydebounce-notify” starts it there
      """
    case .lost(let name):
      "the \(name) bus is gone"
    }
  }
}

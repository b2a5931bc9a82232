import CSystemd
import Control
import Status

/// What the daemon reports to everyone on the bus.
extension Bus {
  /// Sends the signal that a switch of a device has become bad. Where it cannot be sent, it is dropped.
  func emitKeyWorn(device: String, _ verdict: KeyVerdict) {
    guard let bus else { return }
    var signal: OpaquePointer?
    defer { csystemd_bus_message_unref(signal) }
    let string = CChar(UInt8(ascii: "s"))
    guard
      csystemd_bus_message_new_signal(
        bus, &signal, BusNames.object, BusNames.interface, BusNames.keyWorn) >= 0,
      csystemd_bus_message_append_basic(signal, string, device) >= 0,
      csystemd_bus_message_append_basic(signal, string, verdict.rawValue) >= 0
    else { return }
    csystemd_bus_message_send(signal)
  }

  /// Announces to everyone that `Status` has another answer, so that nobody has to ask again and again.
  ///
  /// - Parameter revision: Another number than the last time if it has.
  func announce(_ revision: UInt64) {
    guard revision != announced else { return }
    announced = revision
    // Whoever comes to a bus that is not there yet asks anyway.
    guard let bus else { return }
    var signal: OpaquePointer?
    defer { csystemd_bus_message_unref(signal) }
    guard
      csystemd_bus_message_new_signal(
        bus, &signal, BusNames.object, BusNames.interface, BusNames.changed) >= 0
    else { return }
    csystemd_bus_message_send(signal)
  }

  /// Whether there is a connection. It may be new, and the bus not have answered yet.
  var isConnected: Bool { bus != nil }
}

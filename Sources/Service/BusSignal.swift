import BusMessages
import Control
import Status

/// What the daemon reports to everyone on the bus. Where it cannot be sent, it is dropped.
extension Bus {
  /// Sends the signal that a switch of a device has become bad.
  func emitKeyWorn(device: String, _ verdict: KeyVerdict) {
    guard let bus, let signal = BusMessage.signal(BusNames.keyWorn, of: BusNames.daemon, on: bus)
    else { return }
    signal.append(device)
    signal.append(verdict.rawValue)
    signal.send()
  }

  /// Announces to everyone that `Status` has another answer, so that nobody has to ask again and again.
  ///
  /// - Parameter revision: Another number than the last time if it has.
  func announce(_ revision: UInt64) {
    guard revision != announced else { return }
    announced = revision
    // Whoever comes to a bus that is not there yet asks anyway.
    guard let bus else { return }
    BusMessage.signal(BusNames.changed, of: BusNames.daemon, on: bus)?.send()
  }

  /// Whether there is a connection. It may be new, and the bus not have answered yet.
  var isConnected: Bool { bus != nil }
}

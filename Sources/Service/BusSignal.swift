import BusMessages
import Control

/// What the daemon reports to everyone on the bus. Where it cannot be sent, it is dropped.
extension Bus {
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
}

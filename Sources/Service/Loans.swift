import Control
import Debounce

/// Which devices are lent, and to whom.
struct Loans {
  /// A device that is lent, or about to be.
  private struct Loan {
    let device: DeviceID
    /// The client's name on the bus.
    let borrower: String
    /// The call that is answered as soon as the borrower can read the device.
    var call: BusCall?
    var seconds: UInt32
    /// Ends when it is dropped.
    let watch: BusClientWatch
  }

  /// How many seconds a loan lasts at most, unless the borrower asks again: one that hangs must not keep a keyboard.
  static let longest: UInt32 = 600

  private var loans: [Loan] = []

  var isEmpty: Bool { loans.isEmpty }

  /// Who has borrowed the device.
  func borrower(of device: DeviceID) -> String? {
    loans.first { $0.device == device }?.borrower
  }

  /// Adds a loan, before the device is ready for it.
  mutating func add(
    _ device: DeviceID, for seconds: UInt32, _ call: BusCall, _ watch: BusClientWatch
  ) {
    loans.append(
      Loan(
        device: device, borrower: call.sender, call: call, seconds: seconds, watch: watch))
  }

  /// Extends a loan whose borrower has asked again.
  mutating func extend(_ device: DeviceID, to seconds: UInt32, _ call: BusCall) {
    guard let index = loans.firstIndex(where: { $0.device == device }) else { return }
    loans[index].call = call
    loans[index].seconds = seconds
  }

  /// Ends the loan of a device.
  mutating func end(_ device: DeviceID) {
    loans.removeAll { $0.device == device }
  }

  /// The devices that were lent to a client; all that are lent if `nil`.
  func devices(of borrower: String?) -> [DeviceID] {
    loans.filter { borrower == nil || $0.borrower == borrower }.map(\.device)
  }

  /// Receives the state of a device: answers a borrower for whom it is ready, and ends the loan if it is gone or has
  /// been taken back.
  mutating func update(_ device: DeviceID, _ state: Lifecycle.State) {
    guard let index = loans.firstIndex(where: { $0.device == device }) else { return }
    switch state {
    case .lent:
      loans[index].call?.answer(loans[index].seconds)
      loans[index].call = nil
    case .lending:
      break
    default:
      loans[index].call?.refuse(BusNames.Error.busy, "the device has just gone")
      loans.remove(at: index)
    }
  }
}

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

  /// Takes note of a loan, before the device is ready for it.
  mutating func add(
    _ device: DeviceID, for seconds: UInt32, _ call: BusCall, _ watch: BusClientWatch
  ) {
    loans.append(
      Loan(
        device: device, borrower: call.sender, call: call, seconds: seconds, watch: watch))
  }

  /// Takes note of a borrower's asking for more.
  mutating func extend(_ device: DeviceID, to seconds: UInt32, _ call: BusCall) {
    guard let index = loans.firstIndex(where: { $0.device == device }) else { return }
    loans[index].call = call
    loans[index].seconds = seconds
  }

  /// Forgets the loan of a device.
  mutating func end(_ device: DeviceID) {
    loans.removeAll { $0.device == device }
  }

  /// The devices that were lent to a client; all that are lent if `nil`.
  func devices(of borrower: String?) -> [DeviceID] {
    loans.filter { borrower == nil || $0.borrower == borrower }.map(\.device)
  }

  /// Answers the borrower of a device that has just become ready for it; ends the loan of one that is gone, or was
  /// taken back.
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

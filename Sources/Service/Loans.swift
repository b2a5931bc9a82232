import Control
import Debounce

/// Which devices are lent, and to whom.
struct Loans {
  /// A device that is lent, or about to be.
  private struct Loan {
    let device: DeviceID
    /// The client's name on the bus.
    let borrower: String
    /// The calls that are answered as soon as the borrower can read the device: it may ask again before that.
    var calls: [BusCall]
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
        device: device, borrower: call.sender, calls: [call], seconds: seconds, watch: watch))
  }

  /// Extends a loan whose borrower has asked again.
  mutating func extend(_ device: DeviceID, to seconds: UInt32, _ call: BusCall) {
    guard let index = loans.firstIndex(where: { $0.device == device }) else { return }
    loans[index].calls.append(call)
    loans[index].seconds = seconds
  }

  /// Ends the loan of a device. Whoever still waits for it is refused.
  mutating func end(_ device: DeviceID, because reason: String) {
    guard let index = loans.firstIndex(where: { $0.device == device }) else { return }
    for call in loans.remove(at: index).calls { call.refuse(BusNames.Error.busy, reason) }
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
      for call in loans[index].calls { call.answer(loans[index].seconds) }
      loans[index].calls = []
    case .lending:
      break
    default:
      end(device, because: "the device has just gone")
    }
  }
}

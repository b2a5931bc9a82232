import BusMessages
import CSystemd
import Control
import SystemPackage
import TerminalText

/// What clients ask of the daemon over the bus, and what the bus itself reports.
enum BusRequest {
  case status(BusCall)
  case statistics(BusCall, isRoot: Bool)
  case history(BusCall, device: String, isRoot: Bool)
  case reload(BusCall)
  case borrow(BusCall, device: String, seconds: UInt32)
  case reset(BusCall, device: String, key: String)
  case watch(BusCall, device: String, BusCaller)
  /// For so many seconds; 0 without an end. An empty name stands for all devices, here and below.
  case pause(BusCall, device: String, seconds: UInt32, BusCaller)
  case resume(BusCall, device: String, BusCaller)
  case giveBack(BusCall, device: String)
  /// A client that is watched has vanished.
  case vanished(String)
  /// The bus itself is gone, and all clients with it.
  case lost
}

/// A call that waits for its answer.
///
/// An answer that cannot be sent, because the bus is gone or full, is dropped: only the caller waits for it.
final class BusCall {
  private let message: BusMessage?

  init(_ message: OpaquePointer?) {
    self.message = BusMessage(sharing: message)
  }

  /// The caller's own name on the bus, as `:1.42`.
  var sender: String { message?.sender ?? "" }

  /// The next argument, which is a string.
  func readString() -> String { message?.readString() ?? "" }

  /// The next argument, which is a number.
  func readNumber() -> UInt32 { message?.readNumber() ?? 0 }

  func answer() {
    answer { _ in }
  }

  func answer(_ text: String) {
    answer { $0.append(text) }
  }

  func answer(_ number: UInt32) {
    answer { $0.append(number) }
  }

  func answer(_ texts: [String]) {
    answer { $0.append(texts.map(\.printable)) }
  }

  /// Answers with a copy of a descriptor.
  func answer(_ descriptor: FileDescriptor) {
    answer { $0.append(descriptor) }
  }

  func refuse(_ name: String, _ text: String) {
    guard let message else { return }
    _ = csystemd_reply_error(message.pointer, name, text.printable)
  }

  /// Whether the caller wants to know.
  var wantsAnswer: Bool {
    message.map { csystemd_bus_message_get_expect_reply($0.pointer) > 0 } ?? false
  }

  private func answer(_ fill: (BusMessage) -> Void) {
    guard wantsAnswer, let answer = message?.makeAnswer() else { return }
    fill(answer)
    guard answer.isWhole else { return refuse(BusNames.Error.failed, "no answer can be made") }
    answer.send()
  }
}

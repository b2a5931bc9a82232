import CSystemd
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

/// A call that waits for its answer. Owns the message.
///
/// An answer that cannot be sent, because the bus is gone or full, is dropped: only the caller waits for it.
final class BusCall {
  private let message: OpaquePointer?

  init(_ message: OpaquePointer?) {
    self.message = csystemd_bus_message_ref(message)
  }

  deinit {
    csystemd_bus_message_unref(message)
  }

  /// The caller's own name on the bus, as `:1.42`.
  var sender: String {
    csystemd_bus_message_get_sender(message).map(String.init(cString:)) ?? ""
  }

  /// The next argument, which is a string.
  func readString() -> String {
    var text: UnsafePointer<CChar>?
    guard csystemd_bus_message_read_basic(message, .string, &text) > 0 else { return "" }
    return text.map(String.init(cString:)) ?? ""
  }

  /// The next argument, which is a number.
  func readNumber() -> UInt32 {
    var number: UInt32 = 0
    return csystemd_bus_message_read_basic(message, .number, &number) > 0 ? number : 0
  }

  func answer() {
    answer { _ in }
  }

  func answer(_ text: String) {
    answer { csystemd_bus_message_append_basic($0, .string, text) }
  }

  func answer(_ number: UInt32) {
    answer { answer in
      withUnsafePointer(to: number) { _ = csystemd_bus_message_append_basic(answer, .number, $0) }
    }
  }

  func answer(_ texts: [String]) {
    answer { answer in
      csystemd_bus_message_open_container(answer, .array, "s")
      for text in texts { csystemd_bus_message_append_basic(answer, .string, text.printable) }
      csystemd_bus_message_close_container(answer)
    }
  }

  /// Answers with a copy of a descriptor.
  func answer(_ descriptor: FileDescriptor) {
    answer { answer in
      withUnsafePointer(to: descriptor.rawValue) {
        _ = csystemd_bus_message_append_basic(answer, .descriptor, $0)
      }
    }
  }

  func refuse(_ name: String, _ text: String) {
    guard let message else { return }
    _ = csystemd_reply_error(message, name, text.printable)
  }

  /// Whether the caller wants to know.
  var wantsAnswer: Bool { csystemd_bus_message_get_expect_reply(message) > 0 }

  private func answer(_ fill: (OpaquePointer?) -> Void) {
    guard wantsAnswer else { return }
    var answer: OpaquePointer?
    guard csystemd_bus_message_new_method_return(message, &answer) >= 0 else { return }
    defer { csystemd_bus_message_unref(answer) }
    fill(answer)
    csystemd_bus_message_send(answer)
  }
}

extension CChar {
  /// The types that a message is made of, as D-Bus writes them.
  static let string = CChar(UInt8(ascii: "s"))
  static let number = CChar(UInt8(ascii: "u"))
  static let flag = CChar(UInt8(ascii: "b"))
  static let descriptor = CChar(UInt8(ascii: "h"))
  static let array = CChar(UInt8(ascii: "a"))
  static let structure = CChar(UInt8(ascii: "r"))
  static let variant = CChar(UInt8(ascii: "v"))
  static let entry = CChar(UInt8(ascii: "e"))
}

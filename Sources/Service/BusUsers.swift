import CSystemd
import Glibc

/// Which clients of the bus are root's. The bus knows; it is asked once about each, and nobody waits for its answer.
struct BusUsers {
  /// How many clients are remembered. Names are never given twice, so that what is known of one stays true.
  private static let room = 64

  /// By the client's own name, as `:1.42`: the questions that are open, and what is known.
  private var questions: [String: BusQuestion] = [:]
  private var known: [String: Bool] = [:]

  /// Whether the client is root's; `nil` if that is not known yet.
  func isRoot(_ client: String) -> Bool? { known[client] }

  /// Asks the bus whose the client is, unless that has been done.
  ///
  /// - Parameter answered: Called with whether it is root's, later.
  /// - Returns: Whether the bus can be asked.
  mutating func ask(
    about client: String, on bus: OpaquePointer, answered: @escaping (Bool) -> Void
  ) -> Bool {
    guard questions[client] == nil else { return true }
    questions[client] = BusQuestion("GetConnectionUnixUser", about: client, on: bus) { answer in
      var user = UInt32.max
      let isError = csystemd_bus_message_is_method_error(answer, nil) > 0
      if !isError { csystemd_bus_message_read_basic(answer, CChar(UInt8(ascii: "u")), &user) }
      answered(user == 0)
    }
    return questions[client] != nil
  }

  /// Remembers what the bus has answered.
  mutating func remember(_ client: String, isRoot: Bool) {
    questions[client] = nil
    if known.count >= Self.room { known.removeAll() }
    known[client] = isRoot
  }

  /// Forgets all: the bus is gone, and gives the same names again.
  mutating func forgetAll() {
    questions = [:]
    known = [:]
  }
}

/// A question to the bus itself. Whoever drops it gets no answer.
final class BusQuestion {
  private let answered: (OpaquePointer?) -> Void
  private var slot: OpaquePointer?

  /// - Parameters:
  ///   - member: A method of the bus that takes a client's name.
  ///   - answered: Called with the answer, once.
  init?(
    _ member: String, about client: String, on bus: OpaquePointer,
    answered: @escaping (OpaquePointer?) -> Void
  ) {
    self.answered = answered
    var call: OpaquePointer?
    defer { csystemd_bus_message_unref(call) }
    let context = Unmanaged.passUnretained(self).toOpaque()
    guard
      csystemd_bus_message_new_method_call(
        bus, &call, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member)
        >= 0,
      csystemd_bus_message_append_basic(call, CChar(UInt8(ascii: "s")), client) >= 0,
      csystemd_bus_call_async(
        bus, &slot, call,
        { answer, context, _ in
          guard let context else { return 0 }
          // It may be dropped meanwhile.
          let question = Unmanaged<BusQuestion>.fromOpaque(context).takeUnretainedValue()
          question.answered(answer)
          return 0
        }, context, 0) >= 0
    else { return nil }
  }

  deinit {
    csystemd_bus_slot_unref(slot)
  }
}

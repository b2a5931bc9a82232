import CSystemd
import Glibc

/// Who calls over the bus, by the bus's own word.
struct BusCaller: Equatable {
  /// The user, as the kernel told the bus when the client connected; `nil` if the bus does not know.
  var user: uid_t?
  /// The groups, the user's own among them.
  var groups: Set<gid_t> = []

  /// Whether it may pause and resume: as root, as a member of the group, or because polkit lets it.
  var mayPause = false

  var isRoot: Bool { user == 0 }

  /// Whether it is root, or in the group of that number.
  func isMember(of group: gid_t?) -> Bool {
    isRoot || group.map { groups.contains($0) } ?? false
  }
}

/// Who the clients of the bus are. The bus knows; it is asked once about each, and nobody waits for its answer.
struct BusUsers {
  /// How many clients are remembered. Names are never given twice, so that what is known of one stays true.
  private static let room = 64

  /// By the client's own name, as `:1.42`: the questions that are open, and what is known.
  private var questions: [String: BusQuestion] = [:]
  private var known: [String: BusCaller] = [:]

  /// Who the client is; `nil` if that is not known yet.
  func caller(_ client: String) -> BusCaller? { known[client] }

  /// Asks the bus who the client is, unless that has been done.
  ///
  /// - Parameter answered: Called with the answer, later.
  /// - Returns: Whether the bus can be asked.
  mutating func ask(
    about client: String, on bus: OpaquePointer, answered: @escaping (BusCaller) -> Void
  ) -> Bool {
    guard questions[client] == nil else { return true }
    questions[client] = BusQuestion("GetConnectionCredentials", about: client, on: bus) { answer in
      let isError = csystemd_bus_message_is_method_error(answer, nil) > 0
      answered(isError ? BusCaller() : BusCaller(readingFrom: answer))
    }
    return questions[client] != nil
  }

  /// Remembers what the bus has answered.
  mutating func remember(_ client: String, _ caller: BusCaller) {
    questions[client] = nil
    if known.count >= Self.room { known.removeAll() }
    known[client] = caller
  }

  /// Forgets all: the bus is gone, and gives the same names again.
  mutating func forgetAll() {
    questions = [:]
    known = [:]
  }
}

extension BusCaller {
  /// Reads the bus's answer, a dictionary of names and variants (`a{sv}`). What it does not tell stays unknown.
  fileprivate init(readingFrom answer: OpaquePointer?) {
    self.init()
    guard csystemd_bus_message_enter_container(answer, .array, "{sv}") > 0 else { return }
    while csystemd_bus_message_enter_container(answer, .entry, "sv") > 0 {
      var name: UnsafePointer<CChar>?
      guard csystemd_bus_message_read_basic(answer, .string, &name) > 0, let name else { return }
      switch String(cString: name) {
      case "UnixUserID":
        csystemd_bus_message_enter_container(answer, .variant, "u")
        var number: UInt32 = 0
        if csystemd_bus_message_read_basic(answer, .number, &number) > 0 { user = number }
        csystemd_bus_message_exit_container(answer)
      case "UnixGroupIDs":
        csystemd_bus_message_enter_container(answer, .variant, "au")
        csystemd_bus_message_enter_container(answer, .array, "u")
        var number: UInt32 = 0
        while csystemd_bus_message_read_basic(answer, .number, &number) > 0 {
          groups.insert(number)
        }
        csystemd_bus_message_exit_container(answer)
        csystemd_bus_message_exit_container(answer)
      default:
        csystemd_bus_message_skip(answer, "v")
      }
      csystemd_bus_message_exit_container(answer)
    }
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
    guard
      csystemd_bus_message_new_method_call(
        bus, &call, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member)
        >= 0,
      csystemd_bus_message_append_basic(call, CChar(UInt8(ascii: "s")), client) >= 0,
      send(call, on: bus)
    else { return nil }
  }

  /// Asks polkit whether a client may do what an action stands for. It asks nobody for a password.
  ///
  /// - Parameter answered: Called with the answer, once: an error where no polkit runs.
  init?(
    polkitAbout client: String, action: String, on bus: OpaquePointer,
    answered: @escaping (OpaquePointer?) -> Void
  ) {
    self.answered = answered
    var call: OpaquePointer?
    defer { csystemd_bus_message_unref(call) }
    guard
      csystemd_bus_message_new_method_call(
        bus, &call, "org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority",
        "org.freedesktop.PolicyKit1.Authority", "CheckAuthorization") >= 0
    else { return nil }
    // The subject, by its name on the bus: (sa{sv}).
    csystemd_bus_message_open_container(call, .structure, "sa{sv}")
    csystemd_bus_message_append_basic(call, .string, "system-bus-name")
    csystemd_bus_message_open_container(call, .array, "{sv}")
    csystemd_bus_message_open_container(call, .entry, "sv")
    csystemd_bus_message_append_basic(call, .string, "name")
    csystemd_bus_message_open_container(call, .variant, "s")
    csystemd_bus_message_append_basic(call, .string, client)
    for _ in 0..<4 { csystemd_bus_message_close_container(call) }
    csystemd_bus_message_append_basic(call, .string, action)
    // No details, no flags, and no name by which to cancel: a{ss}us.
    csystemd_bus_message_open_container(call, .array, "{ss}")
    csystemd_bus_message_close_container(call)
    var flags: UInt32 = 0
    csystemd_bus_message_append_basic(call, .number, &flags)
    guard csystemd_bus_message_append_basic(call, .string, "") >= 0, send(call, on: bus) else {
      return nil
    }
  }

  private func send(_ call: OpaquePointer?, on bus: OpaquePointer) -> Bool {
    let context = Unmanaged.passUnretained(self).toOpaque()
    return csystemd_bus_call_async(
      bus, &slot, call,
      { answer, context, _ in
        guard let context else { return 0 }
        // It may be dropped meanwhile.
        let question = Unmanaged<BusQuestion>.fromOpaque(context).takeUnretainedValue()
        question.answered(answer)
        return 0
      }, context, 0) >= 0
  }

  deinit {
    csystemd_bus_slot_unref(slot)
  }
}

extension BusCaller {
  /// Whether polkit's answer, `(bba{ss})`, allows it. An error does not.
  static func isAllowed(by answer: OpaquePointer?) -> Bool {
    guard csystemd_bus_message_is_method_error(answer, nil) <= 0,
      csystemd_bus_message_enter_container(answer, .structure, "bba{ss}") > 0
    else { return false }
    var isAllowed: CInt = 0
    return csystemd_bus_message_read_basic(answer, .flag, &isAllowed) > 0 && isAllowed != 0
  }
}

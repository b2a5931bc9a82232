import BusMessages
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
      answered(answer.isError ? BusCaller() : BusCaller(readingFrom: answer))
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
  fileprivate init(readingFrom answer: BusMessage) {
    self.init()
    _ = answer.read(.array, of: "{sv}") {
      while readEntry(answer) {}
    }
  }

  /// - Returns: Whether there was one more.
  private mutating func readEntry(_ answer: BusMessage) -> Bool {
    answer.read(.entry, of: "sv") {
      switch answer.readString() {
      case "UnixUserID":
        user = answer.read(.variant, of: "u") { answer.readNumber() } ?? nil
      case "UnixGroupIDs":
        _ = answer.read(.variant, of: "au") {
          answer.read(.array, of: "u") {
            while let group = answer.readNumber() { groups.insert(group) }
          }
        }
      default:
        answer.skip("v")
      }
    } != nil
  }
}

/// A question to the bus itself. Whoever drops it gets no answer.
final class BusQuestion {
  private let answered: (BusMessage) -> Void
  private var slot: OpaquePointer?

  private static let theBus = BusObject(
    service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
    interface: "org.freedesktop.DBus")
  private static let polkit = BusObject(
    service: "org.freedesktop.PolicyKit1", path: "/org/freedesktop/PolicyKit1/Authority",
    interface: "org.freedesktop.PolicyKit1.Authority")

  /// - Parameters:
  ///   - member: A method of the bus that takes a client's name.
  ///   - answered: Called with the answer, once.
  init?(
    _ member: String, about client: String, on bus: OpaquePointer,
    answered: @escaping (BusMessage) -> Void
  ) {
    self.answered = answered
    guard let call = BusMessage.call(member, of: Self.theBus, on: bus) else { return nil }
    call.append(client)
    guard send(call, on: bus) else { return nil }
  }

  /// Asks polkit whether a client may do what an action stands for. It asks nobody for a password.
  ///
  /// - Parameter answered: Called with the answer, once: an error where no polkit runs.
  init?(
    polkitAbout client: String, action: String, on bus: OpaquePointer,
    answered: @escaping (BusMessage) -> Void
  ) {
    self.answered = answered
    guard let call = BusMessage.call("CheckAuthorization", of: Self.polkit, on: bus) else {
      return nil
    }
    // The subject, by its name on the bus.
    call.append(.structure, of: "sa{sv}") {
      call.append("system-bus-name")
      call.append(.array, of: "{sv}") {
        call.append(.entry, of: "sv") {
          call.append("name")
          call.append(.variant, of: "s") { call.append(client) }
        }
      }
    }
    call.append(action)
    // No details, no flags, and no name by which to cancel.
    call.append(.array, of: "{ss}")
    call.append(UInt32(0))
    call.append("")
    guard send(call, on: bus) else { return nil }
  }

  private func send(_ call: BusMessage, on bus: OpaquePointer) -> Bool {
    let context = Unmanaged.passUnretained(self).toOpaque()
    defer { withExtendedLifetime(call) {} }
    return call.isWhole
      && csystemd_bus_call_async(
        bus, &slot, call.pointer,
        { answer, context, _ in
          guard let context, let answer = BusMessage(sharing: answer) else { return 0 }
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
  static func isAllowed(by answer: BusMessage) -> Bool {
    guard !answer.isError else { return false }
    return answer.read(.structure, of: "bba{ss}") { answer.readFlag() } == true
  }
}

import Bus
import Glibc

/// Who calls over the bus, by the bus's own word.
struct BusCaller {
  /// The user, as the kernel told the bus when the client connected; `nil` if the bus does not know.
  var user: uid_t?
  /// The groups, the user's own among them.
  var groups: Set<gid_t> = []

  var isRoot: Bool { user == 0 }

  /// Whether it is root, or in the group of that number.
  func isMember(of group: gid_t?) -> Bool {
    isRoot || group.map { groups.contains($0) } ?? false
  }

  init() {}

  /// Reads the bus's answer, a dictionary of names and variants (`a{sv}`). What it does not tell stays unknown.
  init(readingFrom answer: BusMessage) {
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

/// Watches one client of the bus.
///
/// libsystemd's own `sd_bus_track` asks the bus whether the client is there, and waits for the answer: here nothing
/// waits.
final class ClientWatch {
  private let signals: BusListener
  private let question: BusListener

  /// - Parameters:
  ///   - client: Its own name, such as `:1.42`.
  ///   - hasVanished: Called when it is gone, even if that was so from the beginning; once or more.
  init?(_ client: String, on bus: OpaquePointer?, hasVanished: @escaping () -> Void) {
    // Only that it has none.
    let rule = RemoteObject.ownerRule(of: client) + ",arg2=''"
    let signals = BusListener(for: rule, on: bus) { signal in
      // A signal can be sent to one receiver, whatever that listens for, and by anybody.
      if signal.sender == RemoteObject.bus.service { hasVanished() }
    }
    // It may have vanished before the bus was asked to report that.
    let call = BusMessage.call("GetNameOwner", of: .bus, on: bus, client)
    let question = BusListener(to: call, on: bus) { if $0.error != nil { hasVanished() } }
    guard let signals, let question else { return nil }
    (self.signals, self.question) = (signals, question)
  }
}

extension BusMessage {
  /// The question to polkit whether a client may do what an action stands for. It asks nobody for a password.
  static func polkitQuestion(
    about client: String, action: String, on bus: OpaquePointer?
  ) -> BusMessage? {
    let polkit = RemoteObject(
      service: "org.freedesktop.PolicyKit1", path: "/org/freedesktop/PolicyKit1/Authority",
      interface: "org.freedesktop.PolicyKit1.Authority")
    guard let call = BusMessage.call("CheckAuthorization", of: polkit, on: bus) else { return nil }
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
    return call
  }
}

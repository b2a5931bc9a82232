import Bus
import CSystemd
import Glibc

/// The sessions at the machine of those who have paused something, as logind's files tell.
struct Logins: ~Copyable {
  private static let most = 16

  private var monitor: OpaquePointer?
  private var sessions: Set<String> = []

  deinit {
    if let monitor { _ = systemd.login_monitor_unref(monitor) }
  }

  /// Becomes readable when a session changes; negative if none is watched.
  var descriptor: CInt { monitor.map { systemd.login_monitor_get_fd($0) } ?? -1 }

  /// Whether it can be told when they end, from now on; `nil` if there is no logind. systemd makes the folders for its files
  /// also where none runs: then there is nothing in them.
  mutating func areKnown() -> Bool? {
    if monitor != nil { return true }
    guard systemd.get_uids(nil) != 0 else { return nil }
    return systemd.login_monitor_new("session", &monitor) >= 0
  }

  /// The user's session, of which ``takeEnded()`` will report that it has ended; `nil` if there is none.
  mutating func watchSession(of user: uid_t) -> String? {
    var name: UnsafeMutablePointer<CChar>?
    defer { free(name) }
    guard systemd.uid_get_display(user, &name) >= 0, let name, Self.goesOn(name) else { return nil }
    let session = String(cString: name)
    guard sessions.contains(session) || sessions.count < Self.most else { return nil }
    sessions.insert(session)
    return session
  }

  /// The sessions that have ended since.
  mutating func takeEnded() -> Set<String> {
    guard let monitor else { return [] }
    _ = systemd.login_monitor_flush(monitor)
    let ended = sessions.filter { !Self.goesOn($0) }
    sessions.subtract(ended)
    // Nobody wakes for what is nobody's.
    if sessions.isEmpty { self.monitor = systemd.login_monitor_unref(monitor) }
    return ended
  }

  /// It is “closing” for as long as it has left a process behind.
  private static func goesOn(_ session: UnsafePointer<CChar>) -> Bool {
    var state: UnsafeMutablePointer<CChar>?
    defer { free(state) }
    return systemd.session_get_state(session, &state) >= 0
      && state.map { strcmp($0, "closing") != 0 } ?? false
  }
}

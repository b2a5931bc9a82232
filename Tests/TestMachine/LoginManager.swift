import Foundation

/// Stands in for logind, by the files that it writes: the user `nobody` has a session at the machine, until it ends.
public struct LoginManager {
  private let users = "/run/systemd/users"
  private let sessions = "/run/systemd/sessions"

  public init() throws {
    for folder in [users, sessions] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    try "DISPLAY=7\n".write(toFile: users + "/65534", atomically: true, encoding: .utf8)
    try write(state: "active")
  }

  /// Ends the session. A process of it is left.
  public func endSession() throws { try write(state: "closing") }

  private func write(state: String) throws {
    try "STATE=\(state)\n".write(toFile: sessions + "/7", atomically: true, encoding: .utf8)
  }

  /// Takes the files away: no logind has been there. systemd makes the folders all the same.
  public func stop() {
    for file in [users + "/65534", sessions + "/7"] {
      try? FileManager.default.removeItem(atPath: file)
    }
  }
}

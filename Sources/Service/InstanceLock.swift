import Control
import Files
import Glibc
import Logging
import SystemPackage

/// The lock that only one daemon at a time holds: two would take keyboards from each other, and each debounce what the
/// other has made.
///
/// The value holds the lock as long as it lives. The kernel lets go of it with the process.
struct InstanceLock: ~Copyable {
  /// The daemon's folder in `/run`: systemd's (`RUNTIME_DIRECTORY`), if it gives one.
  static let folder =
    getenv("RUNTIME_DIRECTORY").map { String(cString: $0) } ?? ControlInterface.folder

  private let file: CInt
  /// Whether this daemon is known to be the only one.
  let isHeld: Bool

  /// Takes the lock. If the folder cannot be made or the file cannot be written, there is no lock, and this is logged: such a
  /// user runs no service, and a second daemon still cannot grab what the first one holds.
  ///
  /// - Throws: ``DaemonRunsAlready`` if another daemon has it.
  init(log: Logger) throws(DaemonRunsAlready) {
    Self.makeFolder()
    let path = Self.folder + "/lock"
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    var lock = Self.whole
    isHeld = file >= 0 && fcntl(file, F_SETLK, &lock) == 0
    guard !isHeld else { return }
    let reason = Errno.last
    if file >= 0, reason == .resourceTemporarilyUnavailable || reason == .permissionDenied {
      throw DaemonRunsAlready(process: holder())
    }
    log.info(
      """
      cannot \(file < 0 ? "open" : "lock") \(path) (\(reason)): not known whether another keydebounce runs, and \
      “keydebounce status” cannot reach this one; run it as root, or as a service
      """)
  }

  /// Makes the folder, as systemd does for the service: members of the group reach the socket in it. Root's own folder may be
  /// older than the group.
  private static func makeFolder() {
    let isNew = mkdir(folder, 0o700) == 0
    guard geteuid() == 0, isNew || getenv("RUNTIME_DIRECTORY") == nil,
      let group = ControlServer.group
    else { return }
    var status = stat()
    guard lstat(folder, &status) == 0, status.st_uid == 0 else { return }
    if lchown(folder, 0, group) == 0 { chmod(folder, 0o750) }
  }

  deinit {
    if file >= 0 { close(file) }
  }

  /// The process that has the lock; `nil` if it has just ended.
  private borrowing func holder() -> pid_t? {
    var lock = Self.whole
    guard fcntl(file, F_GETLK, &lock) == 0, lock.l_type != F_UNLCK else { return nil }
    return lock.l_pid
  }

  /// A lock on all of the file.
  private static var whole: flock {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    return lock
  }
}

/// Another daemon runs.
struct DaemonRunsAlready: Error, CustomStringConvertible {
  /// The other daemon's process; `nil` if it is not known.
  let process: pid_t?

  var description: String {
    """
    keydebounce runs already\(process.map { " (process \($0))" } ?? ""), and two would take keyboards from each \
    other. Stop the other first: the service with “sudo systemctl stop keydebounce”, one in a terminal with Ctrl-C
    """
  }
}

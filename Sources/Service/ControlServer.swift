import CLinux
import Control
import Debounce
import Glibc
import Logging
import Status
import Synchronization
import SystemPackage

/// A checked request of a client who may make it.
enum ControlRequest: Equatable, Sendable {
  /// Root gets the devices' present states, others those of the last whole minute.
  case devices(isRoot: Bool)
  case status
  case history(device: String)
  /// Reads the settings anew. A call of others than root and the service's own user has devices looked at only if they changed.
  case reload(forOthers: Bool)
  case reset(device: String, key: String?)
  /// The device is `nil` for all devices. The seconds are `nil` for a pause that lasts until somebody ends it.
  case pause(device: String?, seconds: UInt32?)
  /// The device is `nil` for all devices.
  case resume(device: String?)
  /// The daemon owns the socket from ``ControlServer/Answer/watching`` on.
  case watch(device: String, FileDescriptor)
}

/// A call that waits for its answer. Any thread may answer it.
struct ControlledCall: Sendable {
  let number: UInt64
  let server: ControlServer

  func answer(_ answer: ControlServer.Answer = .done) { server.answers.put((number, answer)) }

  func refuse(_ refusal: ControlRefusal, _ text: String) { answer(.refused(refusal, text)) }
}

/// The daemon's socket, through which commands reach it. The kernel lets root and the members of one group connect.
///
/// A thread of its own reads the socket, because clients may send anything at any time. The daemon's own thread gets what was
/// checked: a few small values, and a descriptor that becomes readable with them.
final class ControlServer: Sendable {
  enum Answer: Sendable {
    case done
    case devices([ControlledDevice])
    case status(DaemonStatus)
    case days(String)
    case problems([String])
    case refused(ControlRefusal, String)
    /// The daemon has taken the socket over, and answers through it.
    case watching
  }

  /// Bounds of the time and the memory that clients may take.
  struct Limits: Sendable {
    /// How many clients may be connected, and how many of them may be others than root and the service's own user.
    var connections = (all: 16, others: 12)
    /// How many connections are accepted in one turn of the thread.
    var accepted = 256
    /// Longest request, in bytes.
    var request = 4096
    /// How long half a request may wait for the rest, and an answer for somebody who reads it.
    var patience: Microseconds = 10_000_000
    /// How many bytes of an answer may wait for a client other than root. Root's status may be longer, with many keyboards.
    var unread = 1 << 20
    /// Pause between two times that the same answer is made, for all who ask meanwhile.
    var pause: Microseconds = 200_000
    /// Longest rest of the thread after a piece of work. Otherwise it rests as long as the work took.
    var rest: Microseconds = 20_000
  }

  /// The group whose members may connect; `nil` where there is none.
  static let group = getgrnam(ControlInterface.group)?.pointee.gr_gid

  let requests: Mailbox<(kind: ControlRequest, call: ControlledCall)>
  /// Answers for the socket's thread. Calls are numbered from 1.
  let answers: Mailbox<(call: UInt64, answer: Answer)>
  let limits: Limits
  /// The user who has connected a socket; -1 if that is not known.
  let user: @Sendable (CInt) -> Int64
  /// The user whose process this is. As a client, that user has one of root's places, and the rights of a member.
  let ownUser: Int64
  private let path: String
  private let isListening = Atomic(false)

  /// - Parameter folder: Where the socket is made. The instance lock must be held: a socket that is there is stale.
  init(
    in folder: String, limits: Limits = Limits(), ownUser: Int64 = Int64(geteuid()),
    user: @escaping @Sendable (CInt) -> Int64 = { clinux_peer_user($0) }
  ) throws(Errno) {
    (requests, answers) = (try Mailbox(), try Mailbox())
    (self.limits, self.user, self.ownUser) = (limits, user, ownUser)
    path = ControlInterface.socket(in: folder)
  }

  /// Makes the socket, and begins to listen. Where that fails, the daemon goes on without.
  func start(log: Logger) {
    do throws(Failure) {
      let socket = try makeSocket()
      isListening.store(true, ordering: .relaxed)
      guard Worker.startThread({ [self] in ControlThread(self, socket).run() }) else {
        close(socket)
        throw Failure(reason: "the system gives no thread for it")
      }
    } catch {
      log.error(
        """
        cannot listen at \(path): \(error.reason): commands such as “keydebounce status” cannot reach the daemon
        """)
    }
  }

  /// Removes the socket at the end, if it is this server's: whoever comes now learns at once that nobody listens.
  func end() {
    if isListening.load(ordering: .relaxed) { unlink(path) }
  }

  private struct Failure: Error {
    let reason: String
  }

  /// Makes the socket in the file system, which root, the service's user and the group may connect to.
  ///
  /// - Returns: The socket, which listens, and is the caller's to close.
  private func makeSocket() throws(Failure) -> CInt {
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFSOCK else {
        throw Failure(
          reason: "a file that is no socket is there. Remove it, and restart the daemon")
      }
      // The lock is this daemon's: the socket is one that a killed daemon left.
      unlink(path)
    }
    // A user who runs the daemon by hand may be in a group with many others.
    let isForGroup = Self.group.map { geteuid() == 0 || getegid() == $0 } ?? false
    // The socket gets its group from this thread, and its mode from the process, as it is made. A later chown(2) or chmod(2) might
    // change another file, because others may be able to write to the folder.
    let ownGroup = getegid()
    // The service's user has the group already, and may not change it. setegid(2) would wait for all threads; a disk may hold one.
    let group = geteuid() == 0 ? Self.group : nil
    if let group, !clinux_set_file_group(group) {
      throw Failure(reason: "it cannot be given to the group (\(Errno.notPermitted))")
    }
    let mask = umask(isForGroup ? 0o117 : 0o177)
    defer {
      umask(mask)
      if group != nil {
        _ = clinux_set_file_group(ownGroup)
        // Where the system is set up to, the kernel allows cores again when a thread changes the group of its files.
        _ = clinux_forbid_dumps()
      }
    }
    do {
      // All callers wait in one line, root too, and the kernel turns away who finds it full. So the line is as long as may be.
      return try openSocket(listeningAt: path, backlog: SOMAXCONN)
    } catch {
      throw Failure(reason: "\(error)")
    }
  }
}

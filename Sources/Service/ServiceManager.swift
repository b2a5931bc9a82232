import Control
import Debounce
import Glibc
import SystemPackage

/// The reports to systemd, as sd_notify(3) has them. Where systemd did not start the daemon, there are none.
///
/// An initial RAM disk has no socket for such reports. There, a file shows that the daemon is ready, and the kernel's alarm is the
/// watchdog.
struct ServiceManager {
  /// Pause between tries to send a report for which there was no room.
  private static let pause: Microseconds = 1_000_000
  /// Longest pause between tries to send a sign of life, which must not come too late.
  private static let pauseForSign: Microseconds = 100_000

  /// Shortest time between two reports of the state. systemd tells the bus of each, and members of the group may pause and resume
  /// devices without end.
  private static let pauseOfStatus: Microseconds = 1_000_000

  /// Time that the kernel is given to close a device. It took 0.2 s, and 0.4 s at most, when that was measured.
  private static let timeToClose: Microseconds = 1_000_000

  /// How often systemd expects a sign of life; `nil` if it does not.
  private let watchdogInterval: Microseconds?
  private var nextSign = Instant.longAgo
  /// How far the service is, as it was reported.
  private enum Stage {
    case starting
    case running
    case stopping
  }
  private var stage = Stage.starting
  /// The state that was reported last, and the one to report.
  private var (status, newStatus) = ("", "")
  private var nextStatus = Instant.longAgo
  /// The socket that systemd reads (`NOTIFY_SOCKET`).
  private let address: String?
  /// Reports for which there was no room: the newest of each kind, in the order in which they were made.
  private var unsent: [String] = []
  private var nextTry = Instant.never

  /// The file that is made when the daemon is ready (`KEYDEBOUNCE_READY`).
  private let readyFile: String?
  /// Seconds without a sign of life after which the kernel ends the process (`KEYDEBOUNCE_WATCHDOG`); `nil` for no such limit.
  private let alarmLimit: UInt32?

  /// - Parameter variable: The value of a variable of the environment; `nil` if it is not set.
  init(variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }) {
    address = variable("NOTIFY_SOCKET")
    readyFile = variable("KEYDEBOUNCE_READY")
    let limit = variable("KEYDEBOUNCE_WATCHDOG").flatMap { UInt32($0) }
    alarmLimit = limit == 0 ? nil : limit
    // The variables may be meant for another process: see sd_watchdog_enabled(3).
    let isWatched = variable("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
    let intervals = [
      isWatched ? variable("WATCHDOG_USEC").flatMap { Microseconds($0) } : nil,
      alarmLimit.map { Microseconds($0) * 1_000_000 },
    ]
    watchdogInterval = intervals.compactMap { $0 }.filter { $0 > 0 }.min()
    setAlarm()
  }

  /// Reports that the daemon has looked at all devices, unless it stops already.
  mutating func ready(_ status: String) {
    guard stage != .stopping else { return }
    stage = .running
    send("READY=1\nSTATUS=\(status)")
    (self.status, newStatus) = (status, status)
    if let readyFile {
      // A file that cannot be made is no error: whoever waits for it gives up after a while.
      let file = open(readyFile, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      if file >= 0 { close(file) }
    }
  }

  /// Reports what the daemon does, in a line for `systemctl status`, if that is new. It waits while the last report is too recent,
  /// or still to be sent: a service manager that hangs need not hear of every state.
  mutating func report(_ status: String, at now: Instant) {
    guard address != nil else { return }
    newStatus = status
    sendStatus(at: now)
  }

  private mutating func sendStatus(at now: Instant) {
    guard newStatus != status, nextStatus <= now, unsent.isEmpty else { return }
    send("STATUS=\(newStatus)")
    status = newStatus
    nextStatus = now + Self.pauseOfStatus
  }

  /// Reports that the configuration is being reloaded, until ``reloaded(_:)``.
  ///
  /// A reload while the service starts or stops is not reported: its end would be taken for the end of the start, and what is
  /// ordered after the service would find devices that are not held yet.
  mutating func reloading(at now: Instant) {
    guard stage == .running else { return }
    send("RELOADING=1\nMONOTONIC_USEC=\(now.microseconds)")
  }

  /// Reports that the configuration has been reloaded.
  mutating func reloaded(_ status: String) {
    if stage == .running { ready(status) }
  }

  mutating func stopping() {
    stage = .stopping
    send("STOPPING=1\nSTATUS=letting go of the keyboards")
    newStatus = status
  }

  /// Reports that the keyboards are given back and everything is stored, and asks for time for the kernel to close so many
  /// devices: it does so one after the other. Until then the unit's own limit holds, for a daemon that hangs.
  mutating func closing(_ count: Int) {
    if count > 0 { send("EXTEND_TIMEOUT_USEC=\(Microseconds(count) * Self.timeToClose)") }
  }

  /// Gives the sign of life that the watchdog waits for, if it is time.
  ///
  /// To be called after a whole pass of the loop: then devices, timers and clients have all had their turn.
  mutating func giveSignOfLife(at now: Instant) {
    if nextTry <= now { sendUnsent() }
    sendStatus(at: now)
    guard let watchdogInterval, nextSign <= now else { return }
    setAlarm()
    let isHeard = notify("WATCHDOG=1")
    let pause = watchdogInterval / 2
    nextSign = now + (isHeard ? pause : min(pause, Self.pauseForSign))
  }

  /// When ``giveSignOfLife(at:)`` must be called at the latest.
  var deadline: Instant {
    min(
      watchdogInterval == nil ? .never : nextSign, nextTry,
      newStatus == status || !unsent.isEmpty ? .never : nextStatus)
  }

  /// Has the kernel end the process unless there is another sign of life in time: what it holds is given back then.
  private func setAlarm() {
    guard let alarmLimit else { return }
    signal(SIGALRM, SIG_DFL)
    alarm(alarmLimit)
  }

  private mutating func send(_ state: String) {
    guard address != nil else { return }
    // Members of the group may reload without end while the service manager hangs.
    let kind = String(state.prefix { $0 != "=" })
    unsent.removeAll { $0.hasPrefix(kind + "=") }
    unsent.append(state)
    sendUnsent()
  }

  private mutating func sendUnsent() {
    while let state = unsent.first {
      guard notify(state) else {
        nextTry = Instant.now + Self.pause
        return
      }
      unsent.removeFirst()
    }
    nextTry = .never
  }

  /// Sends as `sd_notify(3)` does, but never waits. sd_notify waits for a service manager that hangs, and every keyboard would.
  ///
  /// - Returns: Whether there was room for it. A service manager that does not listen is no reason to stop.
  private func notify(_ state: String) -> Bool {
    guard let address else { return true }
    do {
      try sendMessage(state, to: address)
      return true
    } catch {
      return error != .resourceTemporarilyUnavailable && error != .interrupted
    }
  }
}

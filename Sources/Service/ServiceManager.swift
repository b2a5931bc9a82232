import CSystemd
import Debounce
import EventDevices
import Glibc

/// What systemd is told of the daemon, as sd_notify(3) has it. Where systemd did not start the daemon, nothing is told.
struct ServiceManager {
  /// Between tries to tell what there was no room for.
  private static let pause: Microseconds = 1_000_000
  /// The same for a sign of life, which must not come too late.
  private static let pauseForSign: Microseconds = 100_000

  /// How often systemd wants to hear that the daemon lives; `nil` if it does not.
  let watchdogInterval: Microseconds?
  private var nextSign = Microseconds.min
  private var status = ""
  private let isThere: Bool
  /// What it has had no room for.
  private var unsaid: [String] = []
  private var nextTry = Microseconds.max

  init() {
    isThere = getenv("NOTIFY_SOCKET") != nil
    var interval: UInt64 = 0
    let isWatched = sd_watchdog_enabled(0, &interval) > 0
    watchdogInterval = isWatched ? Microseconds(clamping: interval) : nil
  }

  /// Says that the daemon has looked at all devices.
  mutating func ready(_ status: String) {
    tell("READY=1\nSTATUS=\(status)")
    self.status = status
  }

  /// Says what the daemon does, in a line for `systemctl status`, if that is new.
  mutating func say(_ status: String) {
    guard isThere, status != self.status else { return }
    tell("STATUS=\(status)")
    self.status = status
  }

  /// Says that the configuration is being read anew; ``ready(_:)`` says that it has been.
  mutating func reloading(at now: Microseconds) {
    tell("RELOADING=1\nMONOTONIC_USEC=\(now)")
  }

  mutating func stopping() {
    tell("STOPPING=1\nSTATUS=letting go of the keyboards")
  }

  /// Gives the sign of life that the watchdog waits for, if it is time.
  ///
  /// To be called after a whole pass of the loop: then devices, timers and clients have all had their turn.
  mutating func giveSignOfLife(at now: Microseconds) {
    if nextTry <= now { tellUnsaid() }
    guard let watchdogInterval, nextSign <= now else { return }
    let isHeard = !isThere || csystemd_notify("WATCHDOG=1") != -EAGAIN
    nextSign = now + min(watchdogInterval / 2, isHeard ? .max : Self.pauseForSign)
  }

  /// When ``giveSignOfLife(at:)`` must be called at the latest; `.max` for never.
  var deadline: Microseconds { min(watchdogInterval == nil ? .max : nextSign, nextTry) }

  private mutating func tell(_ state: String) {
    guard isThere else { return }
    unsaid.append(state)
    tellUnsaid()
  }

  /// Says what is to be said, in order, as far as there is room for it.
  private mutating func tellUnsaid() {
    while let state = unsaid.first {
      guard csystemd_notify(state) != -EAGAIN else {
        nextTry = monotonicNow() + Self.pause
        return
      }
      // A service manager that does not listen is no reason to stop.
      unsaid.removeFirst()
    }
    nextTry = .max
  }
}

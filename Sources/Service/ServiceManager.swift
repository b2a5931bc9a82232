import CSystemd
import Debounce
import Glibc

/// What systemd is told of the daemon, as sd_notify(3) has it. Where systemd did not start the daemon, nothing is told.
struct ServiceManager {
  /// How often systemd wants to hear that the daemon lives; `nil` if it does not.
  let watchdogInterval: Microseconds?
  private var nextSign = Microseconds.min
  private var status = ""
  private let isThere: Bool

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
  func reloading(at now: Microseconds) {
    tell("RELOADING=1\nMONOTONIC_USEC=\(now)")
  }

  func stopping() {
    tell("STOPPING=1\nSTATUS=letting go of the keyboards")
  }

  /// Gives the sign of life that the watchdog waits for, if it is time.
  ///
  /// To be called after a whole pass of the loop: then devices, timers and clients have all had their turn.
  mutating func giveSignOfLife(at now: Microseconds) {
    guard let watchdogInterval, nextSign <= now else { return }
    nextSign = now + watchdogInterval / 2
    tell("WATCHDOG=1")
  }

  /// When ``giveSignOfLife(at:)`` must be called at the latest; `.max` for never.
  var deadline: Microseconds { watchdogInterval == nil ? .max : nextSign }

  private func tell(_ state: String) {
    guard isThere else { return }
    // A service manager that does not listen is no reason to stop.
    _ = csystemd_notify(state)
  }
}

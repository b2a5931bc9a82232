import EventDevices
import Glibc
import Logging

/// What the daemon does when it receives a signal.
extension Daemon {
  func obey(_ signal: EventLoop.Signal, now: Instant) {
    switch signal {
    case .reload: reload.isAskedFor = true
    case .stop:
      if !isStopping { serviceManager.stopping() }
      stop(now: now)
    case .pause:
      pause(now: now)
    }
  }

  private func stop(now: Instant) {
    if !isStopping { log.notice("stopping") }
    isAskedToStop = true
    devices.end()
    devices.updateAll { $0.leave(now: now) }
  }

  /// Stops, as the terminal asks (Ctrl-Z), with every device given back, and takes them again when it may go on.
  private func pause(now: Instant) {
    log.notice("stopped: nothing is debounced until it goes on")
    devices.updateAll { $0.setAside(now: now) }
    kill(getpid(), SIGSTOP)
    log.notice("going on")
    let now = Instant.now
    devices.updateAll { $0.resume(now: now) }
  }
}

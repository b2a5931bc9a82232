import CLinux
import Debounce
import EventDevices
import Glibc

extension pollfd {
  /// Waits until there is something to read. poll(2) skips a negative descriptor.
  init(reading descriptor: CInt) {
    self.init(fd: descriptor, events: Int16(POLLIN), revents: 0)
  }
}

/// Waits until one of the descriptors is ready, a signal comes, or it is time; `nil` for never.
func poll(_ descriptors: inout [pollfd], until due: Microseconds?) {
  // Rounded up: waking too early would mean to wake again and again.
  let timeout = due.map { CInt(clamping: max(0, ($0 - monotonicNow() + 999) / 1000)) } ?? -1
  _ = Glibc.poll(&descriptors, nfds_t(descriptors.count), timeout)
}

/// Signals that are waited for like anything else and do not end the process: what it has begun is to be finished.
///
/// Owns its descriptor. When the value ends, the signals end the process again.
struct StopSignals: ~Copyable {
  /// The signals that ask a command to stop, Ctrl-Z's, and that of a new size of the terminal.
  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH]

  /// Becomes readable when a signal has come.
  let descriptor: CInt

  /// Blocks the signals from here on.
  init() {
    var set = Self.set
    pthread_sigmask(SIG_BLOCK, &set, nil)
    descriptor = signalfd(-1, &set, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
  }

  deinit {
    // One that came too late to be heeded, such as a second Ctrl-C, does nothing.
    while next() != nil {}
    close(descriptor)
    var set = Self.set
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// The signal that came; `nil` if none has.
  func next() -> CInt? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    return read(descriptor, &information, size) == size ? CInt(information.ssi_signo) : nil
  }

  private static var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}

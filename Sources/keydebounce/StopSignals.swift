import CLinux
import Glibc

/// Signals that are waited for like anything else, and no longer end the process: what it has begun is to be finished.
///
/// Owns its descriptor.
struct StopSignals: ~Copyable {
  /// Becomes readable when a signal has come.
  let descriptor: CInt

  /// Blocks the signals from here on.
  ///
  /// - Parameter others: Signals besides those that tell a command to stop.
  init(and others: [CInt] = []) {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] + others { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    descriptor = signalfd(-1, &set, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
  }

  deinit {
    close(descriptor)
  }

  /// The signal that came, or `nil` if none has.
  func next() -> CInt? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    return read(descriptor, &information, size) == size ? CInt(information.ssi_signo) : nil
  }
}

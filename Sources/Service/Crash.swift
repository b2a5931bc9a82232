import Glibc

/// What happens if the daemon crashes: nothing more, and so the kernel gives every keyboard back at once.
enum Crash {
  /// Makes the process end at once on a crash, without a backtrace.
  ///
  /// The Swift runtime may be configured to print one, for seconds during which the keyboards stay grabbed.
  static func endAtOnce() {
    for signal in [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV] {
      Glibc.signal(signal, SIG_DFL)
    }
  }
}

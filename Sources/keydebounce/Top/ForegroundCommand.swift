import Glibc
import SystemPackage

/// Another subcommand of this program, in the same terminal, while this process waits for its end.
enum ForegroundCommand {
  /// Runs it. Ctrl-C and Ctrl-Z are for it; if it is stopped, so is this process until it goes on.
  ///
  /// - Throws: `Errno` if it cannot be started.
  static func run(_ arguments: [String]) throws(Errno) {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // This process has signals blocked that end the other.
    var none = sigset_t()
    sigemptyset(&none)
    var usual = sigset_t()
    sigemptyset(&usual)
    sigaddset(&usual, SIGPIPE)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &usual)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var words: [UnsafeMutablePointer<CChar>?] = (["keydebounce"] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var child = pid_t()
    let result = posix_spawn(&child, "/proc/self/exe", nil, &attributes, words, environ)
    guard result == 0 else { throw Errno(rawValue: result) }
    var status: CInt = 0
    while true {
      guard waitpid(child, &status, WUNTRACED) == child else {
        guard errno == EINTR else { return }
        continue
      }
      // As WIFSTOPPED has it.
      guard status & 0xff == 0x7f else { return }
      raise(SIGSTOP)
      kill(child, SIGCONT)
    }
  }
}

import Glibc
import SystemPackage

/// Another program that this one has started.
enum ChildProcess {
  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: Its path, or its name, which is looked for.
  ///   - arguments: The first is the name by which it knows itself.
  ///   - prepare: Says which files and signals it gets.
  /// - Throws: `Errno` if it cannot be started.
  static func start(
    _ program: String, _ arguments: [String],
    _ prepare: (inout posix_spawn_file_actions_t, inout posix_spawnattr_t) -> Void
  ) throws(Errno) -> pid_t {
    var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    let words = arguments.map { strdup($0) }
    defer {
      for word in words { free(word) }
      posix_spawnattr_destroy(&attributes)
      posix_spawn_file_actions_destroy(&actions)
    }
    prepare(&actions, &attributes)
    var process = pid_t()
    let failure = posix_spawnp(&process, program, &actions, &attributes, words + [nil], environ)
    guard failure == 0 else { throw Errno(rawValue: failure) }
    return process
  }

  /// Runs another subcommand of this program in the same terminal, and waits for its end. Ctrl-C and Ctrl-Z are for it; if it
  /// is stopped, so is this process until it goes on.
  ///
  /// - Throws: `Errno` if it cannot be started.
  static func runInForeground(_ arguments: [String]) throws(Errno) {
    let child = try start("/proc/self/exe", ["keydebounce"] + arguments) { _, attributes in
      // This process has signals blocked that end the other, and ignores SIGPIPE.
      var none = sigset_t()
      sigemptyset(&none)
      var usual = none
      sigaddset(&usual, SIGPIPE)
      posix_spawnattr_setsigmask(&attributes, &none)
      posix_spawnattr_setsigdefault(&attributes, &usual)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    }
    var status: CInt = 0
    while true {
      let ended = waitpid(child, &status, WUNTRACED)
      if ended < 0, errno == EINTR { continue }
      // As WIFSTOPPED has it.
      guard ended == child, status & 0xff == 0x7f else { return }
      raise(SIGSTOP)
      kill(child, SIGCONT)
    }
  }
}

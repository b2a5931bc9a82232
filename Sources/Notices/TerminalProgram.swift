@preconcurrency import Glibc

/// A program that opens a terminal in which a command runs.
public struct TerminalProgram: Equatable, Sendable {
  /// The program and what precedes the command.
  public var arguments: [String]

  /// Those that are tried, after `$TERMINAL`, with what precedes a command.
  private static let known: [(name: String, options: [String])] = [
    ("xdg-terminal-exec", []), ("x-terminal-emulator", ["-e"]), ("kgx", ["--"]),
    ("gnome-terminal", ["--"]), ("ptyxis", ["--"]), ("konsole", ["-e"]),
    ("xfce4-terminal", ["-x"]), ("mate-terminal", ["-x"]), ("foot", []), ("kitty", []),
    ("alacritty", ["-e"]), ("wezterm", ["start", "--"]), ("xterm", ["-e"]),
  ]

  /// The first program that is there.
  ///
  /// - Parameters:
  ///   - preferred: What `$TERMINAL` says; `nil` if it is not set.
  ///   - path: The folders in which programs are, as in `$PATH`.
  public static func first(preferred: String?, path: String) -> TerminalProgram? {
    if let preferred, !preferred.isEmpty, let program = find(preferred, in: path) {
      let name = preferred.split(separator: "/").last.map(String.init)
      // Most that are not known understand what xterm does.
      let options = known.first { $0.name == name }?.options ?? ["-e"]
      return TerminalProgram(arguments: [program] + options)
    }
    for (name, options) in known {
      if let program = find(name, in: path) {
        return TerminalProgram(arguments: [program] + options)
      }
    }
    return nil
  }

  private static func find(_ name: String, in path: String) -> String? {
    if name.contains("/") { return access(name, X_OK) == 0 ? name : nil }
    return path.split(separator: ":").lazy.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// What to run so that the terminal shows the status and stays until somebody has read it.
  ///
  /// - Parameter program: The path of keydebounce.
  public func call(showingStatusWith program: String) -> [String] {
    let script = #""$1" status; printf '\nPress Enter to close. '; read -r line"#
    return arguments + ["/bin/sh", "-c", script, "sh", program]
  }
}

/// Starts a program that goes on by itself.
///
/// - Returns: Whether it has been started.
func start(_ arguments: [String]) -> Bool {
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  // Ctrl-C does not reach it, and it may wait for what it starts itself.
  posix_spawnattr_setflags(
    &attributes, Int16(POSIX_SPAWN_SETPGROUP) | Int16(POSIX_SPAWN_SETSIGDEF))
  var defaults = sigset_t()
  sigemptyset(&defaults)
  sigaddset(&defaults, SIGCHLD)
  posix_spawnattr_setsigdefault(&attributes, &defaults)
  let pointers = arguments.map { strdup($0) }
  defer { for pointer in pointers { free(pointer) } }
  var process = pid_t()
  return posix_spawn(&process, arguments[0], nil, &attributes, pointers + [nil], environ) == 0
}

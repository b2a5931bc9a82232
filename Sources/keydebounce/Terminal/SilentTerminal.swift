import CLinux
import Glibc

/// The terminal that the command was called from, while it shows nothing of what is typed.
///
/// While a keyboard is watched, it is typed on; that must not appear between the lines, nor in the shell afterwards. The
/// terminal is as before when the value ends, and when the process crashes. Ctrl-C and Ctrl-Z work on.
struct SilentTerminal: ~Copyable {
  private let descriptor: CInt
  /// How it was; `nil` if it is not changed now.
  private var original: termios?

  /// - Parameter descriptor: Where the command is typed to. What is no terminal is left as it is.
  init(_ descriptor: CInt = STDIN_FILENO) {
    self.init(unchanged: descriptor)
    silence()
  }

  private init(unchanged descriptor: CInt) {
    self.descriptor = descriptor
  }

  deinit {
    restoreTerminal(descriptor, to: original)
  }

  /// Whether it is a terminal that is silent now.
  var isSilent: Bool { original != nil }

  /// Shows nothing from now on.
  mutating func silence() {
    // A command in the background may not change it; trying would stop it.
    guard original == nil, isatty(descriptor) == 1, tcgetpgrp(descriptor) == getpgrp() else {
      return
    }
    var state = termios()
    guard tcgetattr(descriptor, &state) == 0 else { return }
    original = state
    clinux_restore_terminal_in_crash(descriptor, descriptor, &state, "")
    state.c_lflag &= ~tcflag_t(ECHO | ICANON)
    // So that reading it never waits.
    withUnsafeMutableBytes(of: &state.c_cc) { ($0[Int(VMIN)], $0[Int(VTIME)]) = (0, 0) }
    tcsetattr(descriptor, TCSANOW, &state)
  }

  /// Makes it as it was.
  mutating func restore() {
    restoreTerminal(descriptor, to: original)
    original = nil
  }

  /// Forgets what was typed.
  ///
  /// It is read, and not flushed: with it, a Ctrl-C would go that the terminal has not come to yet.
  func discardInput() {
    guard isSilent else { return }
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) {
      _ = read(descriptor, $0.baseAddress, $0.count)
    }
  }
}

/// Forgets what was typed, and makes the terminal as it was. A command in the background leaves it alone.
private func restoreTerminal(_ descriptor: CInt, to original: termios?) {
  guard var original else { return }
  clinux_leave_terminal_in_crash()
  guard tcgetpgrp(descriptor) == getpgrp() else { return }
  tcsetattr(descriptor, TCSAFLUSH, &original)
}

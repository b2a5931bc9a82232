import CLinux
import EventDevices
import Glibc
import SystemPackage
import Terminal

/// What a command may do with the place that it writes to: how wide it is, and whether it shows colours.
///
/// Colours only on a terminal, and not where `NO_COLOR` is set or the terminal is dumb.
struct Terminal {
  /// Whether it is a terminal at all, and not a file or a pipe.
  let isTerminal: Bool
  /// Whether to use colours and other attributes.
  let hasColours: Bool
  /// Whether it is a terminal that can only write one line after the other, as in an editor.
  let isDumb: Bool

  private let descriptor: CInt

  static let standardOutput = Terminal(STDOUT_FILENO)
  static let standardError = Terminal(STDERR_FILENO)

  init(_ descriptor: CInt) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
    let isRefused = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let isDumb = getenv("TERM").map { ["dumb", ""].contains(String(cString: $0)) } ?? true
    self.isDumb = isTerminal && isDumb
    hasColours = isTerminal && !isRefused && !isDumb
  }

  /// Whether there is a person to ask.
  static var canAsk: Bool { Terminal(STDIN_FILENO).isTerminal && standardError.isTerminal }

  /// Asks the person on standard error.
  ///
  /// - Returns: The answer in small letters; `nil` if there is none.
  static func ask(_ question: String) throws -> String? {
    try standardError.write(Characters.ofLocale.spell(question.printable))
    let answer = readLine()
    if answer == nil { try standardError.write("\n") }
    return answer?.lowercased()
  }

  /// How many columns there are; 80 where there is no telling.
  var columns: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return getenv("COLUMNS").flatMap { Int(String(cString: $0)) } ?? 80
    }
    return Int(size.ws_col)
  }

  /// How many rows there are; `nil` where there is no telling.
  var rows: Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return nil }
    return Int(size.ws_row)
  }

  /// Writes text.
  func write(_ text: String) throws {
    do {
      try FileDescriptor(rawValue: descriptor).writeAll(text.utf8)
    } catch let reason as Errno {
      throw FileError(operation: "write to", path: "standard output", reason: reason)
    }
  }
}

extension Sheet {
  /// A sheet for a terminal or whatever else stands in its place, in the person's locale.
  ///
  /// - Parameter isPlain: Whether the person wants it plain; on a dumb terminal it is so anyway.
  init(for terminal: Terminal, isPlain: Bool = false) {
    self.init(
      columns: terminal.columns, rows: terminal.rows, hasColours: terminal.hasColours,
      characters: .ofLocale, isPlain: isPlain || terminal.isDumb)
  }
}

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

import CLinux
import Glibc

/// A terminal that shows a screen of its own instead of lines, and passes on each key as it is typed.
///
/// It is as before when ``leave()`` is called or the value ends, and as far as possible when the process crashes. Ctrl-C
/// and Ctrl-Z work on. Does not own its descriptors.
public struct ScreenTerminal: ~Copyable {
  private let input: CInt
  private let output: CInt
  /// How it was; `nil` while it is not changed.
  private var original: termios?

  /// - Parameters:
  ///   - input: Where it is typed.
  ///   - output: Where it is shown.
  public init(input: CInt = STDIN_FILENO, output: CInt = STDOUT_FILENO) {
    (self.input, self.output) = (input, output)
  }

  deinit {
    Self.leave(input, output, original)
  }

  /// Another screen without a cursor, without line breaks at the right edge, and with a mouse that is reported.
  static let enter = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[?1000h\u{1b}[?1006h"
  /// All that undone. The screen is cleared first: some terminals have only one.
  static let leave =
    "\u{1b}[0m\u{1b}[2J\u{1b}[H\u{1b}[?1006l\u{1b}[?1000l\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

  /// Whether both sides are a terminal.
  public var isTerminal: Bool { isatty(input) == 1 && isatty(output) == 1 }

  /// Whether it is there and the process may not use it: that is in the background.
  public var isAnothers: Bool {
    let group = tcgetpgrp(input)
    return group >= 0 && group != getpgrp()
  }

  /// How large it is; 80 by 24 where that is not known.
  public var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Begins to show a screen. What is typed is not shown from now on.
  ///
  /// - Returns: Whether it does: not without a terminal.
  public mutating func begin() -> Bool {
    guard original == nil else { return true }
    var state = termios()
    guard isTerminal, tcgetattr(input, &state) == 0 else { return false }
    original = state
    withUnsafePointer(to: state) { clinux_restore_terminal_in_crash(input, output, $0, Self.leave) }
    state.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
    // Ctrl-S would make it wait while it writes.
    state.c_iflag &= ~tcflag_t(IXON)
    // A read returns what is there.
    withUnsafeMutableBytes(of: &state.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    tcsetattr(input, TCSANOW, &state)
    return write(Self.enter)
  }

  /// Makes it as it was. What was typed and not read is dropped.
  public mutating func leave() {
    Self.leave(input, output, original)
    original = nil
  }

  /// Writes text.
  ///
  /// - Returns: Whether it could be written; not if the terminal is gone.
  @discardableResult
  public borrowing func write(_ text: String) -> Bool {
    Self.write(text, to: output)
  }

  /// Reads what was typed.
  ///
  /// - Returns: `nil` if the terminal is gone.
  public borrowing func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = bytes.withUnsafeMutableBytes { Glibc.read(input, $0.baseAddress, $0.count) }
    guard count > 0 else { return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil }
    return Array(bytes.prefix(count))
  }

  private static func write(_ text: String, to descriptor: CInt) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Glibc.write(
          descriptor, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
          var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          guard Glibc.poll(&poll, 1, -1) > 0 || errno == EINTR else { return false }
        } else if errno != EINTR {
          return false
        }
      }
      return true
    }
  }

  private static func leave(_ input: CInt, _ output: CInt, _ original: termios?) {
    guard var original else { return }
    clinux_leave_terminal_in_crash()
    guard tcgetpgrp(input) == getpgrp() else { return }
    _ = write(leave, to: output)
    tcsetattr(input, TCSAFLUSH, &original)
  }
}

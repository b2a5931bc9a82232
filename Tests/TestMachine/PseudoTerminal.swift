import CEvdev
import Glibc

/// What a terminal does with what is typed and shown, to be compared.
public struct TerminalSettings: Equatable {
  /// The flags: of input, of output, of control, and local ones.
  public let flags: [tcflag_t]
  /// The characters that mean something, as Ctrl-C.
  public let characters: [UInt8]

  init(_ state: termios) {
    var state = state
    flags = [state.c_iflag, state.c_oflag, state.c_cflag, state.c_lflag]
    characters = withUnsafeBytes(of: &state.c_cc) { Array($0) }
  }

  /// Whether what is typed is shown.
  public var echoes: Bool { flags[3] & tcflag_t(ECHO) != 0 }
}

/// A terminal that a test looks at and types on.
public final class PseudoTerminal {
  /// The side of the person: what is shown is read here, and what is typed is written.
  public let person: CInt
  /// The side of the program.
  public let program: CInt

  /// The path of the program's side.
  public let path: String

  public init() throws {
    var name = [CChar](repeating: 0, count: 64)
    var (person, program): (CInt, CInt) = (-1, -1)
    guard openpty(&person, &program, &name, nil, nil) == 0 else {
      throw WaitedInVain(description: "no pseudo terminal: \(errno)")
    }
    for descriptor in [person, program] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    self.person = person
    self.program = program
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    close(program)
    close(person)
  }

  public var settings: TerminalSettings {
    var state = termios()
    tcgetattr(program, &state)
    return TerminalSettings(state)
  }

  /// Makes it as large; who reads it is told.
  public func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(program, UInt(TIOCSWINSZ), &size)
  }

  /// Types text; `\u{03}` is Ctrl-C, `\u{04}` Ctrl-D.
  public func type(_ text: String) {
    _ = text.withCString { write(person, $0, strlen($0)) }
  }

  /// How many bytes were typed that nobody has read.
  public func countTyped() -> Int {
    var count: CInt = 0
    _ = ioctl(program, UInt(FIONREAD), &count)
    return Int(count)
  }

  /// Waits until what is typed is no longer shown.
  public func waitForSilence() throws {
    try wait(for: "the terminal to echo no more", lookingEvery: 1000) { !settings.echoes }
  }
}

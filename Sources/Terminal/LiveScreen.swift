import CLinux
import Glibc

/// The terminal of a command while something on it changes. The terminal does not show what is typed: the command reads it or
/// drops it.
///
/// The terminal becomes as it was by a call of ``leave()``, by the end of the value, and as far as possible by a crash of the
/// process. Ctrl-C and Ctrl-Z keep working. The value does not own its descriptors.
public struct LiveScreen: ~Copyable {
  /// The manner in which the output changes.
  public enum Kind: Sendable {
    /// The command draws a screen of its own again and again.
    case screen
    /// The command writes one line again and again.
    case line
    /// Nothing moves, and lines follow each other.
    case lines
  }

  public let kind: Kind
  public let output: TextOutput
  public let input: CInt
  /// The terminal's state before; `nil` while it is not changed.
  private var original: termios?
  /// Whether something is drawn that ``leave()`` removes.
  private var isDrawn = false
  private var lines: [String] = []
  private var painter = ScreenPainter()

  /// - Parameter input: The terminal on which the person types.
  public init(
    _ kind: Kind = .lines, input: CInt = STDIN_FILENO, output: TextOutput = .standard
  ) {
    (self.kind, self.input, self.output) = (kind, input, output)
  }

  /// A screen or a line on a terminal that can show it, which is standard output or else standard error; otherwise lines.
  ///
  /// - Parameters:
  ///   - least: The least size of the terminal.
  ///   - isPlain: Whether nothing may move, for a screen reader.
  public init(_ wanted: Kind, least: (columns: Int, rows: Int), isPlain: Bool) {
    let output = TextOutput.standard.isTerminal ? TextOutput.standard : .errors
    let isLarge = output.columns >= least.columns && output.rows ?? 0 >= least.rows
    let canMove = output.isTerminal && !output.isDumb && !isPlain && isLarge
    self.init(canMove ? wanted : .lines, output: output)
  }

  deinit { restore() }

  /// The sheet for which text is laid out. It has 24 rows if the terminal does not say how many it has.
  public var sheet: Sheet {
    var sheet = Sheet(for: output)
    sheet.rows = output.rows ?? 24
    return sheet
  }

  /// Whether another process group has the terminal, because this command is in the background.
  public var isAnothers: Bool {
    let group = tcgetpgrp(input)
    return group >= 0 && group != getpgrp()
  }

  /// Whether the command reads what is typed.
  public var isReading: Bool { original != nil }

  /// Has the terminal show nothing of what is typed, and return from each read at once.
  ///
  /// - Returns: Whether the input is a terminal, and this command's. In the background, the attempt would stop the process.
  @discardableResult
  public mutating func begin() -> Bool {
    guard original == nil else { return true }
    var state = termios()
    guard !isAnothers, tcgetattr(input, &state) == 0 else { return false }
    original = state
    clinux_restore_terminal_in_crash(input, output.descriptor, &state, end)
    state.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
    // Ctrl-S would stop the command while it draws its screen.
    if kind == .screen { state.c_iflag &= ~tcflag_t(IXON) }
    withUnsafeMutableBytes(of: &state.c_cc) { ($0[Int(VMIN)], $0[Int(VTIME)]) = (0, 0) }
    tcsetattr(input, TCSANOW, &state)
    return true
  }

  /// Reads the bytes that were typed, without waiting.
  ///
  /// - Returns: `nil` if the terminal is gone.
  public borrowing func read() -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      count = max(0, Glibc.read(input, buffer.baseAddress, buffer.count))
    }
    var state = termios()
    return bytes.isEmpty && tcgetattr(input, &state) != 0 ? nil : bytes
  }

  /// Draws the whole screen, of which only the changes are written.
  public mutating func paint(_ grid: Grid) -> Bool {
    let text = painter.paint(grid)
    return text.isEmpty || draw(text)
  }

  /// Draws lines in place of those before; nothing if nothing may move.
  public mutating func show(_ lines: [String]) {
    guard kind != .lines, !isDrawn || lines != self.lines else { return }
    self.lines = lines
    let text = lines.map { "\u{1b}[2K" + $0 }.joined(separator: "\r\n")
    _ = draw(kind == .line ? "\r" + text : "\u{1b}[H\(text)\u{1b}[J")
  }

  /// Has everything drawn again next time, because the terminal has another size.
  public mutating func forget() {
    lines = []
    painter.forget()
    if isDrawn, kind == .screen { _ = draw("\u{1b}[2J") }
  }

  /// Makes the terminal as it was. Unread input is dropped.
  public mutating func leave() {
    restore()
    (original, isDrawn) = (nil, false)
    forget()
  }

  private mutating func draw(_ text: String) -> Bool {
    let begin = isDrawn || kind != .screen ? "" : Self.begin
    isDrawn = true
    return (try? output.write(begin + text)) != nil
  }

  private borrowing func restore() {
    if original != nil { clinux_leave_terminal_in_crash() }
    guard !isAnothers else { return }
    if isDrawn { try? output.write(end) }
    if var original { tcsetattr(input, TCSAFLUSH, &original) }
  }

  /// Begins another screen, without a cursor and without line breaks at the right edge.
  private static let begin = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l"

  /// Undoes all that. The screen is cleared first, because some terminals have only one.
  private var end: String {
    switch kind {
    case .screen: "\u{1b}[0m\u{1b}[2J\u{1b}[H\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"
    case .line: "\r\u{1b}[K"
    case .lines: ""
    }
  }
}

import CLinux
import Glibc

/// The terminal of a command while something on it changes. What is typed is not shown: the command reads it or drops it.
///
/// The terminal is as before when ``leave()`` is called or the value ends, and as far as possible when the process crashes.
/// Ctrl-C and Ctrl-Z work on. Does not own its descriptors.
public struct LiveScreen: ~Copyable {
  /// How something changes.
  public enum Kind: Sendable {
    /// A screen of its own is drawn again.
    case screen
    /// One line is written again.
    case line
    /// Nothing moves; lines follow each other.
    case lines
  }

  public let kind: Kind
  /// Where it is drawn.
  public let output: TextOutput
  private let input: CInt
  private let hasMouse: Bool
  /// How the terminal was; `nil` while it is not changed.
  private var original: termios?
  /// Whether something is drawn that goes with ``leave()``.
  private var isDrawn = false
  private var lines: [String] = []
  private var painter = ScreenPainter()

  /// - Parameters:
  ///   - hasMouse: Whether the terminal is to report the mouse.
  ///   - input: Where keys are typed.
  public init(
    _ kind: Kind = .lines, hasMouse: Bool = false, input: CInt = STDIN_FILENO,
    output: TextOutput = .standard
  ) {
    (self.kind, self.hasMouse, self.input, self.output) = (kind, hasMouse, input, output)
  }

  /// A screen or a line where there is such a terminal, on standard output or else on standard error; lines elsewhere.
  ///
  /// - Parameters:
  ///   - least: How large the terminal must be.
  ///   - isPlain: Whether nothing is to move, for a screen reader.
  public init(_ wanted: Kind, least: (columns: Int, rows: Int), isPlain: Bool) {
    let output = TextOutput.standard.isTerminal ? TextOutput.standard : .errors
    let isLarge = output.columns >= least.columns && output.rows ?? 0 >= least.rows
    let canMove = output.isTerminal && !output.isDumb && !isPlain && isLarge
    self.init(canMove ? wanted : .lines, output: output)
  }

  deinit { restore() }

  /// What is drawn is laid out for this.
  public var sheet: Sheet { Sheet(for: output) }

  /// How large it is; 80 by 24 where that is not known.
  public var size: (columns: Int, rows: Int) { (output.columns, output.rows ?? 24) }

  /// Whether another process group has the terminal: this command is in the background.
  public var isAnothers: Bool {
    let group = tcgetpgrp(input)
    return group >= 0 && group != getpgrp()
  }

  /// Whether what is typed comes here.
  public var isReading: Bool { original != nil }

  /// From now on, what is typed is not shown, and a read returns what is there.
  ///
  /// - Returns: Whether it is a terminal, and this command's. In the background, the attempt would stop the process.
  @discardableResult
  public mutating func begin() -> Bool {
    guard original == nil else { return true }
    var state = termios()
    guard !isAnothers, tcgetattr(input, &state) == 0 else { return false }
    original = state
    clinux_restore_terminal_in_crash(input, output.descriptor, &state, end)
    state.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
    // On a screen, Ctrl-S would only make the command wait while it draws.
    if kind == .screen { state.c_iflag &= ~tcflag_t(IXON) }
    withUnsafeMutableBytes(of: &state.c_cc) { ($0[Int(VMIN)], $0[Int(VTIME)]) = (0, 0) }
    tcsetattr(input, TCSANOW, &state)
    return true
  }

  /// Reads what was typed, without waiting.
  ///
  /// - Returns: `nil` if the terminal is gone.
  public borrowing func read() -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      count = max(0, Glibc.read(input, buffer.baseAddress, buffer.count))
    }
    var state = termios()
    return bytes.isEmpty && tcgetattr(input, &state) != 0 ? nil : bytes
  }

  /// Draws the whole screen, by writing what differs.
  public mutating func paint(_ grid: Grid) -> Bool {
    let text = painter.paint(grid)
    return text.isEmpty || draw(text)
  }

  /// Draws lines in the place of those before. Nothing where nothing moves.
  public mutating func show(_ lines: [String]) {
    guard kind != .lines, !isDrawn || lines != self.lines else { return }
    self.lines = lines
    let text = lines.map { "\u{1b}[2K" + $0 }.joined(separator: "\r\n")
    _ = draw(kind == .line ? "\r" + text : "\u{1b}[H\(text)\u{1b}[J")
  }

  /// Has everything drawn again next time: the terminal has another size.
  public mutating func forget() {
    lines = []
    painter.forget()
    if isDrawn, kind == .screen { _ = draw("\u{1b}[2J") }
  }

  /// Makes the terminal as it was. What was typed and not read is dropped.
  public mutating func leave() {
    restore()
    (original, isDrawn) = (nil, false)
    forget()
  }

  private mutating func draw(_ text: String) -> Bool {
    let begin = isDrawn || kind != .screen ? "" : Self.begin + (hasMouse ? Self.mouse : "")
    isDrawn = true
    return (try? output.write(begin + text)) != nil
  }

  private borrowing func restore() {
    if original != nil { clinux_leave_terminal_in_crash() }
    guard !isAnothers else { return }
    if isDrawn { try? output.write(end) }
    if var original { tcsetattr(input, TCSAFLUSH, &original) }
  }

  /// Another screen, without a cursor and without line breaks at the right edge.
  private static let begin = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l"
  /// The terminal reports the mouse.
  private static let mouse = "\u{1b}[?1000h\u{1b}[?1006h"

  /// All that undone. The screen is cleared first: some terminals have only one.
  private var end: String {
    switch kind {
    case .screen:
      "\u{1b}[0m\u{1b}[2J\u{1b}[H\u{1b}[?1006l\u{1b}[?1000l\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"
    case .line: "\r\u{1b}[K"
    case .lines: ""
    }
  }
}

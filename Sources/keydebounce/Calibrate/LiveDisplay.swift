import EventDevices
import Glibc
import Terminal

/// Where a command draws what changes while it runs: a screen of its own, a line that is rewritten, or plain lines.
///
/// The terminal shows what it did before when the value ends.
struct LiveDisplay: ~Copyable {
  enum Kind {
    /// The whole screen, if it is large enough.
    case screen
    /// One line.
    case line
    /// Nothing that moves: a file, or a terminal without such commands.
    case plain
  }

  private let terminal: Terminal
  let kind: Kind
  private var isShown = false
  private var shown: [String] = []

  /// - Parameters:
  ///   - wantsScreen: Whether there is enough to show for a whole screen.
  ///   - least: How large the screen must be for that.
  ///   - isPlain: Whether nothing is to move, for a screen reader.
  init(wantsScreen: Bool, least: (columns: Int, rows: Int), isPlain: Bool) {
    let output = Terminal.standardOutput
    terminal = output.isTerminal ? output : .standardError
    let isLarge = terminal.columns >= least.columns && (terminal.rows ?? 0) >= least.rows
    kind =
      !terminal.isTerminal || terminal.isDumb || isPlain
      ? .plain : !wantsScreen ? .line : isLarge ? .screen : .plain
  }

  deinit {
    Self.hide(kind, terminal, isShown)
  }

  /// What it is laid out for, as large as it is now.
  var sheet: Sheet { Sheet(for: terminal) }

  /// Shows lines in place of those before.
  mutating func show(_ lines: [String]) {
    guard kind != .plain, !isShown || lines != shown else { return }
    var text = ""
    if kind == .screen {
      if !isShown { text += "\u{1b}[?1049h\u{1b}[?25l\u{1b}[2J" }
      text += "\u{1b}[H" + lines.map { "\u{1b}[2K" + $0 }.joined(separator: "\r\n") + "\u{1b}[J"
    } else {
      text += "\r\u{1b}[2K" + (lines.first ?? "")
    }
    isShown = true
    shown = lines
    try? terminal.write(text)
  }

  /// Writes a line that stays, where nothing moves.
  func announce(_ text: String) {
    guard kind == .plain else { return }
    report(text)
  }

  /// Everything must be redrawn: the terminal has another size.
  mutating func redraw() {
    guard isShown else { return }
    shown = []
    if kind == .screen { try? terminal.write("\u{1b}[2J") }
  }

  /// Makes the terminal show what it showed before.
  mutating func hide() {
    Self.hide(kind, terminal, isShown)
    isShown = false
    shown = []
  }

  private static func hide(_ kind: Kind, _ terminal: Terminal, _ isShown: Bool) {
    guard isShown else { return }
    try? terminal.write(kind == .screen ? "\u{1b}[?25h\u{1b}[?1049l" : "\r\u{1b}[K")
  }
}

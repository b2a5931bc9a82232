import Glibc
import TestMachine
import Testing

@testable import Terminal

@Suite("A terminal on which something changes")
struct LiveScreenTests {
  private let terminal: PseudoTerminal

  init() throws {
    terminal = try PseudoTerminal()
    terminal.resize(columns: 91, rows: 17)
  }

  /// What was written since this was last asked, up to this text: the kernel passes it on in pieces, and a little later.
  private func shown(through end: String) -> String {
    var (shown, bytes) = ("", [UInt8](repeating: 0, count: 4096))
    var waiting = pollfd(fd: terminal.person, events: Int16(POLLIN), revents: 0)
    while !shown.contains(end), poll(&waiting, 1, CInt(patience / 1000)) > 0 {
      let count = read(terminal.person, &bytes, bytes.count)
      guard count > 0 else { break }
      shown += String(decoding: bytes.prefix(count), as: UTF8.self)
    }
    return shown
  }

  /// What ends a screen of its own.
  private static let end = "\u{1b}[?1049l"

  private func screen(_ kind: LiveScreen.Kind) -> LiveScreen {
    LiveScreen(kind, input: terminal.program, output: TextOutput(terminal.program))
  }

  @Test("is what it was afterwards, and reads single keys meanwhile", arguments: [true, false])
  func modes(leaves: Bool) throws {
    let before = terminal.settings
    do {
      var screen = screen(.screen)
      let sheet = screen.sheet
      #expect(sheet.columns == 91 && sheet.rows == 17)
      let didBegin = screen.begin()
      #expect(didBegin && screen.isReading)
      #expect(!terminal.settings.echoes)
      let nothing = screen.read()
      #expect(nothing == [])
      terminal.type("x")
      let typed = screen.read()
      #expect(typed == [UInt8(ascii: "x")])
      var grid = Grid(columns: 91, rows: 17)
      grid.put("Text", row: 0)
      let isThere = screen.paint(grid)
      #expect(isThere)
      let drawn = shown(through: "Text")
      #expect(drawn.hasPrefix("\u{1b}[?1049h"))
      #expect(drawn.contains("Text"))
      if leaves {
        screen.leave()
        #expect(terminal.settings == before)
        #expect(shown(through: Self.end).hasSuffix(Self.end))
        // It was drawn over: everything is drawn again.
        screen.begin()
        _ = screen.paint(grid)
        #expect(shown(through: "Text").contains("Text"))
      }
    }
    #expect(terminal.settings == before)
    #expect(shown(through: Self.end).hasSuffix(Self.end))
  }

  @Test("shows lines in the place of those before, and only when they differ")
  func lines() {
    var screen = screen(.screen)
    screen.show(["one", "two"])
    let first = shown(through: "two\u{1b}[J")
    #expect(first.hasPrefix("\u{1b}[?1049h"))
    #expect(first.contains("one\r") && first.contains("\n\u{1b}[2Ktwo"))
    // This writes nothing.
    screen.show(["one", "two"])
    // The terminal has another size.
    screen.forget()
    screen.show(["one", "two"])
    #expect(shown(through: "two\u{1b}[J").hasPrefix("\u{1b}[2J\u{1b}[H\u{1b}[2Kone"))
    screen.leave()
    #expect(shown(through: Self.end).hasSuffix(Self.end))
  }

  @Test("has one line written again, which goes in the end")
  func line() throws {
    var screen = screen(.line)
    screen.show(["1 press"])
    screen.show(["2 presses"])
    screen.leave()
    screen.leave()
    try screen.output.write(".")
    #expect(shown(through: ".") == "\r\u{1b}[2K1 press\r\u{1b}[2K2 presses\r\u{1b}[K.")
  }

  @Test("shows nothing where nothing moves, and hides what is typed all the same")
  func still() throws {
    let before = terminal.settings
    do {
      var screen = screen(.lines)
      screen.begin()
      screen.show(["one"])
      #expect(!terminal.settings.echoes)
    }
    try TextOutput(terminal.program).write(".")
    #expect(shown(through: ".") == "." && terminal.settings == before)
  }

  @Test("has a bounded size, whatever a terminal claims")
  func hugeTerminal() {
    terminal.resize(columns: 20_000, rows: 20_000)
    let output = TextOutput(terminal.program)
    #expect(output.columns == 1000 && output.rows == 1000)
  }

  @Test("is not begun where there is no terminal")
  func noTerminal() throws {
    var ends: [CInt] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    var screen = LiveScreen(.screen, input: ends[0], output: TextOutput(ends[1]))
    let didBegin = screen.begin()
    #expect(!didBegin && !screen.isReading && !screen.output.isTerminal)
  }

  @Test("is gone when its other side is closed")
  func gone() throws {
    let ends = try PseudoTerminal()
    let copy = dup(ends.program)
    defer { close(copy) }
    var screen = LiveScreen(.screen, input: copy, output: TextOutput(copy))
    screen.begin()
    let nothing = open("/dev/null", O_RDWR)
    defer { close(nothing) }
    dup2(nothing, ends.person)
    let read = screen.read()
    #expect(read == nil)
    let isThere = screen.paint(Grid(columns: 2, rows: 1))
    #expect(!isThere)
  }
}

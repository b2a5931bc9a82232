import Glibc
import TestMachine
import Testing

@testable import Terminal

@Suite("A terminal that shows a screen")
struct ScreenTerminalTests {
  private func shown(on terminal: PseudoTerminal) -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(terminal.person, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  @Test("is what it was afterwards, and reads single keys meanwhile")
  func modes() throws {
    let terminal = try PseudoTerminal()
    terminal.resize(columns: 91, rows: 17)
    let before = terminal.settings
    do {
      var screen = ScreenTerminal(input: terminal.program, output: terminal.program)
      #expect(screen.size == (91, 17))
      let didBegin = screen.begin()
      #expect(didBegin)
      #expect(shown(on: terminal) == ScreenTerminal.enter)
      #expect(terminal.settings != before)
      #expect(!terminal.settings.echoes)
      terminal.type("x")
      let typed = screen.read()
      #expect(typed == [UInt8(ascii: "x")])
    }
    // This process is not that terminal's, as one in the background: a shell has it, and it is left alone.
    #expect(terminal.settings != before)
  }

  @Test("is not begun where there is none")
  func noTerminal() throws {
    var ends: [CInt] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    var screen = ScreenTerminal(input: ends[0], output: ends[1])
    let didBegin = screen.begin()
    #expect(!didBegin && !screen.isTerminal)
  }
}

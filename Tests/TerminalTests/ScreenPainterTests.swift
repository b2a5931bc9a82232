import Randomness
@testable import Terminal
import TestMachine
import Testing

@Suite("Painting screens")
struct ScreenPainterTests {
  private func show(_ grids: [Grid]) -> Emulator {
    var painter = ScreenPainter()
    var emulator = Emulator(columns: grids[0].columns, rows: grids[0].rows)
    for grid in grids {
      emulator.receive(painter.paint(grid)) { String($0).columns }
    }
    return emulator
  }

  private static let alphabet = ["a", "b", " ", "E", "─", "█", "漢", "😀", "é", "Z"]
  private static let looks: [[Style]] = [
    [], [], [.bold], [.reverse, .red], [.faint], [.green, .bold],
  ]

  private func change(_ grid: inout Grid, by random: inout some RandomNumberGenerator) {
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      let text = (0..<Int.random(in: 1...9, using: &random))
        .compactMap { _ in Self.alphabet.randomElement(using: &random) }.joined()
      let styles = Self.looks.randomElement(using: &random) ?? []
      let (row, column) = (
        Int.random(in: 0..<grid.rows, using: &random),
        Int.random(in: 0..<grid.columns, using: &random)
      )
      grid.put([StyledText(text, styles: styles)], row: row, column: column)
      let range = column..<min(grid.columns, column + 3)
      if Bool.random(using: &random) {
        grid.restyle(row: row, columns: range, as: [.reverse, .yellow])
      }
    }
  }

  @Test("shows the same by differences as from scratch, whatever came before")
  func differences() {
    let seed = UInt64.testSeed
    var random = SeededRandom(seed: seed)
    for round in 0..<300 {
      let size = (Int.random(in: 1...40, using: &random), Int.random(in: 1...8, using: &random))
      var grid = Grid(columns: size.0, rows: size.1)
      var grids: [Grid] = []
      for _ in 0..<6 {
        if Int.random(in: 0..<5, using: &random) == 0 { grid = Grid(columns: size.0, rows: size.1) }
        change(&grid, by: &random)
        grids.append(grid)
      }
      let (drawn, whole) = (show(grids), show([grid]))
      #expect(drawn.cells == whole.cells, "seed \(seed), round \(round)")
      #expect(drawn.unknown.isEmpty && whole.unknown.isEmpty, "seed \(seed), round \(round)")
      let shown = (0..<grid.rows).map { row in
        drawn.cells[row * grid.columns..<(row + 1) * grid.columns].map(\.text).joined()
      }
      let text = grid.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      for (line, expected) in zip(shown, text) {
        #expect(
          line.hasPrefix(expected) && line.dropFirst(expected.count).allSatisfy { $0 == " " },
          "seed \(seed), round \(round)")
      }
    }
  }

  @Test("writes nothing for a screen that is shown, and little for a small change")
  func economy() {
    var painter = ScreenPainter()
    var grid = Grid(columns: 80, rows: 24)
    for row in 0..<24 { grid.put(String(repeating: "x", count: 80), row: row) }
    let whole = painter.paint(grid)
    #expect(whole.utf8.count > 1920)
    let nothing = painter.paint(grid)
    #expect(nothing == "")
    grid.put("y", row: 3, column: 4)
    let little = painter.paint(grid)
    #expect(little == "\u{1b}[4;5H\u{1b}[0my")
    painter.forget()
    let again = painter.paint(grid)
    #expect(again.utf8.count == whole.utf8.count)
    let larger = painter.paint(Grid(columns: 81, rows: 24))
    #expect(larger == "\u{1b}[0m\u{1b}[2J")
  }

  @Test("cuts off what does not fit, and obeys nothing of what it shows")
  func edges() {
    var grid = Grid(columns: 5, rows: 2)
    grid.put("abc漢字", row: 0)
    #expect(grid.text == "abc漢\n\n")
    grid.put("x", row: 0, column: 4)
    #expect(grid.text == "abc x\n\n")
    grid.put("漢", row: 0, column: 4)
    grid.put("y", row: 5)
    grid.put("\u{1b}[2J", row: 1, width: 3)
    #expect(grid.text == "abc x\n␛[2\n")
    var plain = Grid(columns: 3, rows: 1, characters: .ascii)
    plain.put("…a", row: 0)
    #expect(plain.text == "...\n")
  }
}

extension Grid {
  /// Puts text without a style on the screen.
  mutating func put(_ text: String, row: Int, column: Int = 0, width: Int = .max) {
    put([StyledText(text)], row: row, column: column, width: width)
  }
}

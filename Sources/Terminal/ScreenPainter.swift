/// Makes a terminal show one screen after another, by writing what differs.
public struct ScreenPainter: Sendable {
  /// What the terminal shows; `nil` where that is not known.
  private var shown: Grid?

  public init() {}

  /// From now on nothing is known of what the terminal shows: the next screen is written as a whole.
  public mutating func forget() {
    shown = nil
  }

  /// What to write so that the terminal shows this screen; empty if it does.
  ///
  /// The terminal must be as large as the screen. Where the cursor is afterwards does not matter.
  public mutating func paint(_ screen: Grid) -> String {
    var before = Grid(columns: screen.columns, rows: screen.rows)
    var text = ""
    if let shown, shown.columns == screen.columns, shown.rows == screen.rows {
      before = shown
    } else {
      text = "\u{1b}[0m\u{1b}[2J"
    }
    shown = screen
    var look: Look?
    for row in 0..<screen.rows {
      for run in Self.runs(of: row, from: before, to: screen) {
        text += "\u{1b}[\(row + 1);\(run.lowerBound + 1)H"
        for column in run {
          let cell = screen[row, column]
          if cell.isContinuation { continue }
          if look != cell.look {
            text += cell.look.sequence
            look = cell.look
          }
          text.append(cell.character)
        }
      }
    }
    if look != nil, look != Look() { text += "\u{1b}[0m" }
    return text
  }

  /// How many cells that are as they were are written again rather than skipped: a movement of the cursor is longer.
  private static let shortestGap = 6

  /// The columns of a row that are written. A wide character is written as a whole, and nothing follows it in its run:
  /// not all terminals agree on how wide it is.
  private static func runs(of row: Int, from before: Grid, to after: Grid) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var column = 0
    while column < after.columns {
      let start = column
      column += 1
      while column < after.columns, after[row, column].isContinuation { column += 1 }
      guard (start..<column).contains(where: { before[row, $0] != after[row, $0] }) else {
        continue
      }
      if let last = runs.last, start - last.upperBound < shortestGap,
        !(last.lowerBound..<start).contains(where: { after[row, $0].isContinuation })
      {
        runs[runs.count - 1] = last.lowerBound..<column
      } else {
        runs.append(start..<column)
      }
    }
    return runs
  }
}

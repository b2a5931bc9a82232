/// A screen as a grid of cells. Text that is put on it is cut off at the edge.
public struct Grid: Equatable, Sendable {
  public struct Cell: Equatable, Sendable {
    public var character: Character = " "
    public var styles: [Style] = []
    /// Whether the cell is the second half of a wide character.
    var isContinuation = false
  }

  public let columns: Int
  public let rows: Int
  private let characters: Characters
  private var cells: [Cell]

  public init(columns: Int, rows: Int, characters: Characters = .unicode) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    self.characters = characters
    cells = Array(repeating: Cell(), count: self.columns * self.rows)
  }

  public subscript(row: Int, column: Int) -> Cell {
    cells[row * columns + column]
  }

  /// Puts text on the screen, and returns the column after it.
  ///
  /// - Parameter width: The most columns that the text may take. It ends at the screen's edge in any case.
  @discardableResult
  public mutating func put(
    _ spans: [StyledText], row: Int, column: Int = 0, width: Int = .max
  ) -> Int {
    guard (0..<rows).contains(row), column >= 0, width > 0 else { return column }
    let end = width < columns - column ? column + width : columns
    var place = column
    for span in spans {
      for character in characters.spell(span.text.printable) {
        let width = character.isASCII ? 1 : String(character).columns
        // An accent without a letter of its own has no cell.
        guard width > 0 else { continue }
        guard place + width <= end else { return place }
        write(
          character == "\u{a0}" ? " " : character, span.styles, row: row, column: place,
          width: width)
        place += width
      }
    }
    return place
  }

  /// Changes the styles of cells, whose text stays.
  public mutating func restyle(row: Int, columns range: Range<Int>, as styles: [Style]) {
    guard (0..<rows).contains(row) else { return }
    for column in range.clamped(to: 0..<columns) { cells[row * columns + column].styles = styles }
  }

  /// Takes the styles of all cells away, for terminals without colours.
  public mutating func removeStyles() {
    for place in cells.indices { cells[place].styles = [] }
  }

  /// The screen as text, a line a row, without the spaces at their ends.
  public var text: String {
    (0..<rows).map { row in
      var line = cells[row * columns..<(row + 1) * columns].filter { !$0.isContinuation }
      while line.last?.character == " " { line.removeLast() }
      return String(line.map(\.character)) + "\n"
    }.joined()
  }

  private mutating func write(
    _ character: Character, _ styles: [Style], row: Int, column: Int, width: Int
  ) {
    let place = row * columns + column
    for half in place..<place + width { clearPair(half, row: row) }
    cells[place] = Cell(character: character, styles: styles)
    for half in place + 1..<max(place + width, place + 1) {
      cells[half] = Cell(character: " ", styles: styles, isContinuation: true)
    }
  }

  /// Blanks the other half of a wide character of which one half is about to be overwritten.
  private mutating func clearPair(_ place: Int, row: Int) {
    if cells[place].isContinuation {
      cells[place].isContinuation = false
      cells[place - 1].character = " "
    }
    let next = place + 1
    if next < (row + 1) * columns, cells[next].isContinuation { cells[next].isContinuation = false }
  }
}

/// Makes a terminal show one screen after another. Only changes are written.
public struct ScreenPainter: Sendable {
  /// The screen that the terminal shows; `nil` if it is not known.
  private var shown: Grid?

  public init() {}

  /// Forgets what the terminal shows, so that the next screen is written as a whole.
  public mutating func forget() {
    shown = nil
  }

  /// The text that makes the terminal show this screen; empty if it does.
  ///
  /// The terminal must be as large as the screen. The text may leave the cursor anywhere.
  public mutating func paint(_ screen: Grid) -> String {
    var before = Grid(columns: screen.columns, rows: screen.rows)
    var text = ""
    if let shown, shown.columns == screen.columns, shown.rows == screen.rows {
      before = shown
    } else {
      text = "\u{1b}[0m\u{1b}[2J"
    }
    shown = screen
    var styles: [Style]?
    for row in 0..<screen.rows {
      for run in Self.runs(of: row, from: before, to: screen) {
        text += "\u{1b}[\(row + 1);\(run.lowerBound + 1)H"
        for column in run {
          let cell = screen[row, column]
          if cell.isContinuation { continue }
          if styles != cell.styles {
            // Whatever the terminal did before, it writes with these alone.
            let codes = ["0"] + cell.styles.map { "\($0.rawValue)" }
            text += "\u{1b}[\(codes.joined(separator: ";"))m"
            styles = cell.styles
          }
          text.append(cell.character)
        }
      }
    }
    if styles?.isEmpty == false { text += "\u{1b}[0m" }
    return text
  }

  /// The longest run of unchanged cells that is written again rather than skipped. To move the cursor takes more bytes.
  private static let shortestGap = 6

  /// The columns of a row that are written. A wide character is written as a whole and ends its run, because not all terminals
  /// agree on its width.
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

/// A screen as a grid of cells. Text is put on it, and what does not fit is cut off.
public struct Grid: Equatable, Sendable {
  public struct Cell: Equatable, Sendable {
    public var character: Character = " "
    public var look = Look()
    /// Whether a character two columns wide begins in the cell before.
    public var isContinuation = false
  }

  public let columns: Int
  public let rows: Int
  /// Which characters can be shown.
  public let characters: Characters
  private var cells: [Cell]

  /// A blank screen.
  public init(columns: Int, rows: Int, characters: Characters = .unicode) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    self.characters = characters
    cells = Array(repeating: Cell(), count: self.columns * self.rows)
  }

  public subscript(row: Int, column: Int) -> Cell {
    cells[row * columns + column]
  }

  /// Puts text on the screen.
  ///
  /// - Parameters:
  ///   - width: How many columns it may take; to the screen's edge if that is nearer.
  /// - Returns: The column after it.
  @discardableResult
  public mutating func put(
    _ spans: [StyledText], row: Int, column: Int = 0, width: Int = .max
  ) -> Int {
    guard (0..<rows).contains(row), column >= 0, width > 0 else { return column }
    let end = width < columns - column ? column + width : columns
    var place = column
    for span in spans {
      let look = Look(span.styles)
      for character in characters.spell(span.text.printable) {
        let width = character.isASCII ? 1 : displayWidth(of: String(character))
        // An accent without a letter of its own has no cell.
        guard width > 0 else { continue }
        guard place + width <= end else { return place }
        write(character == "\u{a0}" ? " " : character, look, row: row, column: place, width: width)
        place += width
      }
    }
    return place
  }

  /// Puts text in one style on the screen.
  @discardableResult
  public mutating func put(
    _ text: String, _ styles: Style..., row: Int, column: Int = 0, width: Int = .max
  ) -> Int {
    put([StyledText(text, styles: styles)], row: row, column: column, width: width)
  }

  /// Changes how cells look that are already there.
  public mutating func restyle(row: Int, columns range: Range<Int>, _ change: (inout Look) -> Void)
  {
    guard (0..<rows).contains(row) else { return }
    for column in range.clamped(to: 0..<columns) { change(&cells[row * columns + column].look) }
  }

  /// Makes all cells look the same: for terminals without colours.
  public mutating func removeLooks() {
    for place in cells.indices { cells[place].look = Look() }
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
    _ character: Character, _ look: Look, row: Int, column: Int, width: Int
  ) {
    let place = row * columns + column
    for half in place..<place + width { clearPair(half, row: row) }
    cells[place] = Cell(character: character, look: look)
    for half in place + 1..<max(place + width, place + 1) {
      cells[half] = Cell(character: " ", look: look, isContinuation: true)
    }
  }

  /// Blanks what would be left of a wide character of which one half is about to be overwritten.
  private mutating func clearPair(_ place: Int, row: Int) {
    if cells[place].isContinuation {
      cells[place].isContinuation = false
      cells[place - 1].character = " "
    }
    let next = place + 1
    if next < (row + 1) * columns, cells[next].isContinuation { cells[next].isContinuation = false }
  }
}

/// A terminal as far as a screen is painted on it: cells, movements of the cursor, and attributes. Whatever else it is
/// sent is counted as unknown.
public struct Emulator {
  public struct Cell: Equatable {
    public var text = " "
    public var attributes = "0"
    /// Whether the second half of a wide character is here.
    public var isHalf = false
  }

  public let columns: Int
  public let rows: Int
  public private(set) var cells: [Cell]
  public private(set) var unknown: [String] = []
  private var row = 0
  private var column = 0
  private var attributes = "0"

  public init(columns: Int, rows: Int) {
    (self.columns, self.rows) = (columns, rows)
    cells = Array(repeating: Cell(), count: columns * rows)
  }

  /// The screen as text, a line a row.
  public var text: String {
    (0..<rows).map { row in
      cells[row * columns..<(row + 1) * columns].map(\.text).joined() + "\n"
    }.joined()
  }

  public mutating func receive(_ text: String, width: (Character) -> Int) {
    var rest = text[...]
    while let character = rest.popFirst() {
      guard character == "\u{1b}" else {
        put(character, width: width(character))
        continue
      }
      guard rest.popFirst() == "[" else {
        unknown.append("ESC")
        continue
      }
      let parameters = rest.prefix { $0.isNumber || $0 == ";" || $0 == "?" }
      rest = rest.dropFirst(parameters.count)
      obey(rest.popFirst() ?? "?", String(parameters))
    }
  }

  private mutating func put(_ character: Character, width: Int) {
    guard row < rows, column + width <= columns, width > 0 else {
      unknown.append("outside: \(character)")
      return
    }
    let place = row * columns + column
    // A real terminal blanks what is left of a wide character.
    if cells[place].isHalf { cells[place - 1].text = " " }
    let next = place + width
    if column + width < columns, cells[next].isHalf {
      cells[next] = Cell(attributes: cells[next].attributes)
    }
    cells[place] = Cell(text: String(character), attributes: attributes)
    if width == 2 { cells[place + 1] = Cell(text: "", attributes: attributes, isHalf: true) }
    column += width
  }

  private mutating func obey(_ final: Character, _ parameters: String) {
    switch final {
    case "H":
      let numbers = parameters.split(separator: ";").compactMap { Int($0) }
      (row, column) = (numbers[0] - 1, numbers[1] - 1)
    case "m": attributes = parameters
    case "J" where parameters == "2":
      cells = Array(repeating: Cell(attributes: attributes), count: columns * rows)
    default: unknown.append("\(parameters)\(final)")
    }
  }
}

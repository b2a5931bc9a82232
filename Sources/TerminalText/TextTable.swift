/// Columns of text beside each other, each as wide as it needs.
public struct TextTable {
  public struct Column: Sendable {
    public enum Alignment: Sendable {
      case left
      case right
    }

    public var title: String
    public var alignment: Alignment
    /// How many spaces are before it.
    public var space: Int
    /// One a row.
    public var cells: [StyledText]

    public init(title: String, alignment: Alignment = .right, space: Int = 2, cells: [StyledText]) {
      self.title = title
      self.alignment = alignment
      self.space = space
      self.cells = cells
    }

    public var width: Int { max(title.columns, cells.map(\.width).max() ?? 0) }
  }

  public var columns: [Column]

  public init(columns: [Column]) {
    self.columns = columns
  }

  /// How many columns of a terminal it takes.
  public var width: Int { columns.reduce(0) { $0 + $1.space + $1.width } }

  /// The titles and the rows.
  public func lines(on sheet: Sheet) -> [String] {
    let rows = columns.first?.cells.count ?? 0
    let titles = columns.map { StyledText($0.title, .faint) }
    return ([titles] + (0..<rows).map { row in columns.map { $0.cells[row] } }).map { cells in
      sheet.line(zip(columns, cells).flatMap { $0.placed($1) })
    }
  }
}

extension TextTable.Column {
  fileprivate func placed(_ cell: StyledText) -> [StyledText] {
    let rest = width - cell.width
    return switch alignment {
    case .left: [.blank(space), cell, .blank(rest)]
    case .right: [.blank(space + rest), cell]
    }
  }
}

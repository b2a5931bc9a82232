/// A column of a table.
public struct TableColumn: Sendable {
  public enum Alignment: Sendable {
    case left
    case right
  }

  public var title: String
  public var alignment: Alignment
  /// How many spaces are before it.
  public var space: Int
  /// One for each row.
  public var cells: [StyledText]

  public init(
    _ title: String, alignment: Alignment = .right, space: Int = 2, cells: [StyledText]
  ) {
    self.title = title
    self.alignment = alignment
    self.space = space
    self.cells = cells
  }

  /// How wide it is, in columns of a terminal and without the space before it.
  public var width: Int { max(title.columns, cells.map(\.width).max() ?? 0) }

  fileprivate func placed(_ cell: StyledText) -> [StyledText] {
    let rest = width - cell.width
    return switch alignment {
    case .left: [.blank(space), cell, .blank(rest)]
    case .right: [.blank(space + rest), cell]
    }
  }
}

extension [TableColumn] {
  /// How many columns of a terminal the table takes.
  public var width: Int { reduce(0) { $0 + $1.space + $1.width } }

  /// The titles and the rows.
  public var spans: [[StyledText]] {
    let rows = first?.cells.count ?? 0
    let titles = map { StyledText($0.title, .faint) }
    return ([titles] + (0..<rows).map { row in map { $0.cells[row] } }).map { cells in
      zip(self, cells).flatMap { $0.placed($1) }
    }
  }
}

extension Sheet {
  /// The titles and the rows of a table, each column as wide as it needs.
  public func table(_ columns: [TableColumn]) -> [String] {
    let rows = columns.first?.cells.count ?? 0
    if isPlain { return (0..<rows).flatMap { facts(columns, row: $0) } }
    return columns.spans.map(line)
  }

  /// A row as lines: the first cell, and what the others say of it, a line each.
  private func facts(_ columns: [TableColumn], row: Int) -> [String] {
    columns.enumerated().compactMap { index, column in
      let cell = column.cells[row]
      guard index > 0 else { return line([cell]) }
      guard cell.text.contains(where: { $0 != " " }) else { return nil }
      return line([StyledText(column.title.isEmpty ? "" : "\(column.title.lowercased()): "), cell])
    }
  }
}

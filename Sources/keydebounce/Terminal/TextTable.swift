/// Columns of text beside each other, each as wide as it needs.
struct TextTable {
  struct Column {
    enum Alignment {
      case left
      case right
    }

    var title: String
    var alignment = Alignment.right
    /// How many spaces are before it.
    var space = 2
    /// One a row.
    var cells: [Span]

    var width: Int { max(title.columns, cells.map(\.width).max() ?? 0) }
  }

  var columns: [Column]

  /// How many columns of a terminal it takes.
  var width: Int { columns.reduce(0) { $0 + $1.space + $1.width } }

  /// The titles and the rows.
  func lines(on sheet: Sheet) -> [String] {
    let rows = columns.first?.cells.count ?? 0
    let titles = columns.map { Span($0.title, .faint) }
    return ([titles] + (0..<rows).map { row in columns.map { $0.cells[row] } }).map { cells in
      sheet.line(zip(columns, cells).flatMap { $0.placed($1) })
    }
  }
}

extension TextTable.Column {
  fileprivate func placed(_ cell: Span) -> [Span] {
    let rest = width - cell.width
    return switch alignment {
    case .left: [.blank(space), cell, .blank(rest)]
    case .right: [.blank(space + rest), cell]
    }
  }
}

/// Rows of text in columns: the first from the left, the others from the right, but for a last one without a title.
struct Columns {
  private var rows: [[String]]

  init(_ titles: String...) {
    rows = [titles]
  }

  mutating func add(_ cells: [String]) {
    rows.append(cells)
  }

  var text: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
      row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return column == 0 || rows[0][column].isEmpty ? cell + space : space + cell
      }.joined(separator: "  ")
    }
    return lines.joined(separator: "\n")
  }
}

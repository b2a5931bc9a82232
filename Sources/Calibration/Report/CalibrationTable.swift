import TerminalText

/// A table of keys, the worst first, without those that are simply healthy.
struct CalibrationTable {
  private let diagnoses: [Diagnosis]

  init(of diagnoses: [Diagnosis]) {
    self.diagnoses = diagnoses
  }

  func lines(on sheet: Sheet) -> [String] {
    var columns = [
      column("KEY", .left) { StyledText($0.title) },
      column("VERDICT", .left) { StyledText($0.finding.title, styles: $0.finding.styles) },
      column("STROKES") { StyledText($0.strokes.grouped) },
      column("FAULTS") { StyledText($0.faults.total.grouped) },
      column("RATE, 95 %", .left) { StyledText($0.rateInWords) },
      column("SETTING", .left) { StyledText($0.proposal?.setting.title ?? "") },
    ]
    // A narrow table leaves out what the blocks below have as well.
    if !sheet.isPlain {
      if columns.width > sheet.columns { columns.removeLast() }
      if columns.width > sheet.columns { columns.remove(at: 2) }
    }
    return sheet.table(columns)
  }

  private func column(
    _ title: String, _ alignment: TableColumn.Alignment = .right,
    cell: (Diagnosis) -> StyledText
  ) -> TableColumn {
    TableColumn(title, alignment: alignment, cells: diagnoses.map(cell))
  }
}

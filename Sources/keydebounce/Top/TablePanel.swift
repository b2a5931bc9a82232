import Debounce
import Terminal
import Status

/// The table of keys, the worst first, and beside it or below it the key that is selected.
extension TopScreen {
  mutating func drawTable() {
    guard let device = model.device, row < bottom else { return }
    guard device.counts != nil else {
      return drawParagraph(
        "What was counted is shown to root and the group “keydebounce”: try sudo.")
    }
    let keys = model.keys
    guard !keys.isEmpty else { return drawParagraph("No key was pressed yet.") }
    frame.panels.append(.table)
    let isBeside = columns >= Self.columnsForTwo
    let width = isBeside ? min(columns - KeyPanel.leastWidth - 2, 78) : columns - 1
    let height = isBeside ? bottom - row : min(bottom - row, max(4, (bottom - row) / 2))
    let top = row
    drawKeys(keys, height: height, width: width)
    let panel =
      isBeside
      ? KeyPanel(row: top, column: width + 2, width: columns - width - 2, height: height)
      : KeyPanel(row: row + 1, column: 1, width: columns - 2, height: bottom - row - 1)
    draw(panel)
  }

  /// How wide the screen must be for the table and the key beside each other.
  private static let columnsForTwo = 76

  private mutating func drawKeys(_ keys: [KeyStatus], height: Int, width: Int) {
    let room = max(0, min(keys.count, height - 1))
    let selected = keys.firstIndex { $0.code == model.key?.code } ?? 0
    let first = min(max(0, selected - room / 2), keys.count - room)
    let shown = Array(keys[first..<first + room])
    frame.tableRows = room
    let lines = table(shown, width: width - 3).spans
    for (index, spans) in lines.enumerated() {
      let key = index > 0 ? shown[index - 1] : nil
      let isSelected = key != nil && key?.code == model.key?.code
      let mark = marker(isSelected: isSelected, isFocused: model.focus == .table)
      frame.grid.put([mark] + spans, row: row, column: 1, width: width - 1)
      if let key { place(.tableRow(key.code), row: row, columns: 0..<width) }
      row += 1
    }
  }

  /// With as many columns as there is room for.
  private func table(_ keys: [KeyStatus], width: Int) -> [TableColumn] {
    func column(
      _ title: String, _ alignment: TableColumn.Alignment = .right, space: Int = 2,
      _ cell: (KeyStatus) -> StyledText
    ) -> TableColumn {
      TableColumn(title, alignment: alignment, space: space, cells: keys.map(cell))
    }
    func number(_ number: some BinaryInteger, _ styles: [Style] = []) -> StyledText {
      StyledText(number == 0 ? "" : number.grouped, styles: styles)
    }
    let least = [
      column("key", .left, space: 0) { key in
        StyledText(
          key.name(model.labels), styles: key.code == model.key?.code ? [.bold] : key.styles)
      },
      column("strokes") { StyledText($0.strokes.grouped) },
      column("chatter") { number($0.counts.chatter, $0.styles) },
    ]
    let rate = column(sheet.isUnicode ? "‰" : "/1000", space: 1) { key in
      let rate = perThousand(key.counts.chatter, of: UInt64(key.strokes))
      return StyledText(key.counts.chatter == 0 ? "" : rate ?? "–", styles: key.styles)
    }
    let classes = Chatter.allCases.map { chatter in
      column(chatter.letter, space: chatter == .pressBounce ? 2 : 1) { number($0.counts[chatter]) }
    }
    let more = [
      column("near") { number($0.nearMisses) },
      column("gap") { StyledText($0.counts.removedGaps.median ?? "") },
    ]
    let gaps = column("gaps 0 … 150+ ms", .left) {
      StyledText(sheet.sparkline($0.counts.removedGaps.values))
    }
    let groups: [[TableColumn]] = [
      [least[0]], Array(least.dropFirst()), [rate], classes, more, [gaps],
    ]
    var table = groups[0]
    for group in groups.dropFirst() {
      let wider = table + group
      if wider.width > width { break }
      table = wider
    }
    return table
  }
}

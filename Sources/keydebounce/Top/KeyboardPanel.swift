import Debounce
import EventDevices
import Terminal
import Status

/// The keyboard, where there is room for it and for the table.
extension TopScreen {
  /// How many rows the table needs below it.
  private static let rowsForTable = 5

  mutating func drawKeyboard() {
    guard let device = model.device else { return }
    let name = device.name.printable
    let title = name.allSatisfy { $0 == " " } ? device.node.printable : name
    let index = model.devices.firstIndex { $0.node == device.node } ?? 0
    let count = model.devices.count > 1 ? ", \(index + 1) of \(model.devices.count)" : ""
    if bottom - row > 2 { drawRule(title + count) }
    guard let keys = device.keys,
      let drawing = KeyboardDrawing(
        of: keys, columns: columns - 4, labels: model.labels),
      drawing.width + 4 <= columns
    else { return }
    let lines = drawing.spans(on: sheet)
    guard row + lines.count + Self.rowsForTable <= bottom else { return }
    frame.panels.append(.keyboard)
    for (index, line) in lines.enumerated() { frame.grid.put(line, row: row + index) }
    drawLegend(row: row + lines.count - 1, after: lines[lines.count - 1])
    let healths = Dictionary(keys.map { ($0.code, $0) }) { first, _ in first }
    for place in drawing.places(on: sheet) {
      let code = place.key.code
      self.place(
        .key(code), row: row + place.line,
        columns: place.columns.lowerBound..<place.columns.upperBound - 1)
      shade(place, healths[code])
      mark(place)
    }
    row += lines.count
  }

  /// With many colours, a key is the redder the more of its strokes chatter.
  private mutating func shade(_ place: KeyboardDrawing.Place, _ key: KeyStatus?) {
    guard colours == .many, let key, let shade = Self.shade(of: key) else { return }
    let inside = place.columns.lowerBound + 1..<place.columns.upperBound - 1
    frame.grid.restyle(row: row + place.line, columns: inside) { look in
      look = Look()
      look.isBold = KeyHealth(of: key) == .bad
      look.foreground = 16
      look.background = shade
    }
  }

  /// Yellow to red, of the palette of 256.
  private static let shades: [(rate: Double, colour: UInt8)] = [
    (0.05, 196), (0.02, 202), (0.01, 208), (0.003, 214), (0.001, 220), (0, 228),
  ]

  private static func shade(of key: KeyStatus) -> UInt8? {
    guard key.counts.chatter > 0 else { return nil }
    return shades.first { key.rate >= $0.rate }?.colour
  }

  /// Signs at both sides of a label.
  private struct Signs {
    let left: String
    let right: String
    let styles: [Style]

    static let selected = Signs(left: "[", right: "]", styles: [.bold, .cyan])
    static let lit = Signs(left: "{", right: "}", styles: [.bold, .reverse, .cyan])
    static let alarmed = Signs(left: "!", right: "!", styles: [.bold, .reverse, .magenta])
  }

  /// Shows that a key is selected, by its lines; and that it is pressed or something of it was removed, within them.
  private mutating func mark(_ place: KeyboardDrawing.Place) {
    let code = place.key.code
    if code == model.key?.code { put(.selected, row: row + place.line, columns: place.columns) }
    guard model.live.isLit(code) || model.live.isAlarmed(code) else { return }
    let signs: Signs = model.live.isAlarmed(code) ? .alarmed : .lit
    let inside = place.columns.dropFirst().dropLast()
    // Where the label leaves no room, the signs take the lines.
    let isWide = place.key.label.columns + 2 <= inside.count
    put(signs, row: row + place.line, columns: isWide ? inside : place.columns)
    frame.grid.restyle(row: row + place.line, columns: inside) { $0 = Look(signs.styles) }
  }

  private mutating func put(_ signs: Signs, row: Int, columns: Range<Int>) {
    let (left, right) = (columns.lowerBound, columns.upperBound - 1)
    frame.grid.put([StyledText(signs.left, styles: signs.styles)], row: row, column: left)
    frame.grid.put([StyledText(signs.right, styles: signs.styles)], row: row, column: right)
  }

  /// What the signs mean that are not the keyboard's own.
  private mutating func drawLegend(row: Int, after legend: [StyledText]) {
    let start = legend.reduce(0) { $0 + $1.width } + 1
    let all: [(Signs, String)] =
      [(.selected, "selected")]
      + (model.live.isWatching ? [(.lit, "pressed"), (.alarmed, "removed")] : [])
    var spans: [StyledText] = []
    for (signs, words) in all {
      spans.append(StyledText(signs.left + words + signs.right, styles: signs.styles))
      spans.append(.blank(1))
    }
    guard start + spans.reduce(-1, { $0 + $1.width }) <= columns else { return }
    frame.grid.put(spans, row: row, column: start)
  }
}

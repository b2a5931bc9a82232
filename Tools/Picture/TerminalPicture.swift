import Foundation

/// A screen as an SVG that looks like a terminal's window.
///
/// Text stays text and can be selected; each piece of it is stretched to its columns, so that it stands where it should
/// in whatever font there is. The window is dark, with an edge that is seen on dark pages, too.
struct TerminalPicture {
  private let screen: Screen
  private let title: String

  init(of screen: Screen, title: String) {
    self.screen = screen
    self.title = title
  }

  /// The least width of the window, in cells.
  private static let columns = 80

  /// Of a cell, and around all of them, in pixels.
  private static let cell = (width: 8.4, height: 18.0)
  private static let margin = 16.0
  private static let bar = 36.0
  private static let fontSize = 14
  /// Where in a cell letters stand.
  private static let baseLine = 13.0

  private static let page = "#0d1117"
  private static let foreground = "#e6edf3"
  private static let palette = [
    "#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4",
  ]

  var svg: String {
    let width = Double(max(Self.columns, screen.columns)) * Self.cell.width + 2 * Self.margin
    let height = Double(screen.rows.count) * Self.cell.height + Self.bar + Self.margin
    let rows = screen.rows.enumerated().map { self.row($1, at: $0) }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(width)) \(number(height))" \
      width="\(number(width))" height="\(number(height))" role="img" xml:space="preserve" aria-label="\(title.escaped)">
      <style>
      text{font:\(Self.fontSize)px ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",\
      "Liberation Mono",monospace;fill:\(Self.foreground);white-space:pre}
      .b{font-weight:bold}.f{opacity:.55}
      .l{fill:none;stroke-width:1}.title{font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;\
      font-size:13px;fill:#9198a1}
      </style>
      <rect x=".5" y=".5" width="\(number(width - 1))" height="\(number(height - 1))" rx="9" \
      fill="\(Self.page)" stroke="#3d444d"/>
      <circle cx="20" cy="18" r="6" fill="#ff5f57"/><circle cx="40" cy="18" r="6" fill="#febc2e"/>\
      <circle cx="60" cy="18" r="6" fill="#28c840"/>
      <text class="title" x="\(number(width / 2))" y="22" text-anchor="middle">\(title.escaped)</text>
      <g transform="translate(\(number(Self.margin)) \(number(Self.bar)))">
      \(rows.filter { !$0.isEmpty }.joined(separator: "\n"))
      </g>
      </svg>

      """
  }
}

// MARK: - Rows

extension TerminalPicture {
  /// Cells beside each other that look alike.
  private struct Run {
    var column: Int
    var cells: [Screen.Cell]

    var look: Look { cells[0].look }
    var isDrawn: Bool { Glyph(cells[0].text) != nil }
  }

  private func row(_ cells: [Screen.Cell], at row: Int) -> String {
    var runs: [Run] = []
    for (column, cell) in cells.enumerated() {
      let isDrawn = Glyph(cell.text) != nil
      if let last = runs.last, last.look == cell.look, last.isDrawn == isDrawn {
        runs[runs.count - 1].cells.append(cell)
      } else {
        runs.append(Run(column: column, cells: [cell]))
      }
    }
    let y = Double(row) * Self.cell.height
    // What is behind comes first, so that nothing of a neighbour is covered.
    return
      (runs.compactMap { background(of: $0, y: y) }
      + runs.compactMap { $0.isDrawn ? drawing(of: $0, y: y) : text(of: $0, y: y) }).joined()
  }

  private func background(of run: Run, y: Double) -> String? {
    guard run.look.isReverse else { return nil }
    return """
      <rect x="\(x(run.column))" y="\(number(y))" width="\(x(run.cells.count))" \
      height="\(number(Self.cell.height))" fill="\(Self.colour(run.look))"/>
      """
  }

  private func text(of run: Run, y: Double) -> String? {
    // Spaces at the ends are shown by where the text stands.
    guard let first = run.cells.firstIndex(where: { $0.text != " " }),
      let last = run.cells.lastIndex(where: { $0.text != " " })
    else { return nil }
    let classes = [(run.look.isBold, "b"), (run.look.isFaint, "f")].filter(\.0).map(\.1)
    var attributes = classes.isEmpty ? "" : #" class="\#(classes.joined(separator: " "))""#
    let colour = Self.letterColour(run.look)
    if colour != Self.foreground { attributes += #" style="fill:\#(colour)""# }
    let text = run.cells[first...last].map(\.text).joined()
    return """
      <text x="\(x(run.column + first))" y="\(number(y + Self.baseLine))" \
      textLength="\(x(last - first + 1))"\(attributes)>\(text.escaped)</text>
      """
  }

  private func drawing(of run: Run, y: Double) -> String {
    var lines = ""
    var blocks = ""
    for (offset, cell) in run.cells.enumerated() {
      let left = Double(run.column + offset) * Self.cell.width
      switch Glyph(cell.text) {
      case .lines(let directions, let isRound):
        lines += path(directions, isRound: isRound, left: left, top: y)
      case .block(let width, let height):
        let top = y + Self.cell.height * (1 - height)
        blocks += """
          M\(number(left)) \(number(top))h\(number(Self.cell.width * width))\
          V\(number(y + Self.cell.height))H\(number(left))z
          """
      case nil: break
      }
    }
    let colour = Self.letterColour(run.look)
    let faint = run.look.isFaint
    return
      (lines.isEmpty
      ? "" : #"<path class="l\#(faint ? " f" : "")" stroke="\#(colour)" d="\#(lines)"/>"#)
      + (blocks.isEmpty
        ? "" : #"<path\#(faint ? #" class="f""# : "") fill="\#(colour)" d="\#(blocks)"/>"#)
  }

  private func path(
    _ directions: Glyph.Lines, isRound: Bool, left: Double, top: Double
  ) -> String {
    let right = left + Self.cell.width
    let bottom = top + Self.cell.height
    let middle = (x: left + Self.cell.width / 2, y: top + Self.cell.height / 2)
    let ends: [(Glyph.Lines, Double, Double)] = [
      (.up, middle.x, top), (.down, middle.x, bottom), (.left, left, middle.y),
      (.right, right, middle.y),
    ].filter { directions.contains($0.0) }
    let centre = "\(number(middle.x)) \(number(middle.y))"
    if isRound, ends.count == 2 {
      return "M\(number(ends[0].1)) \(number(ends[0].2))Q\(centre) "
        + "\(number(ends[1].1)) \(number(ends[1].2))"
    }
    return ends.map { "M\(centre)L\(number($0.1)) \(number($0.2))" }.joined()
  }

  private static func colour(_ look: Look) -> String {
    look.colour.map { palette[$0] } ?? foreground
  }

  private static func letterColour(_ look: Look) -> String {
    look.isReverse ? page : colour(look)
  }

  private func x(_ columns: Int) -> String { number(Double(columns) * Self.cell.width) }

  /// A length in pixels, as short as it can be written.
  private func number(_ value: Double) -> String {
    let text = String(format: "%.1f", value)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

extension String {
  /// The text as XML has it.
  fileprivate var escaped: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}

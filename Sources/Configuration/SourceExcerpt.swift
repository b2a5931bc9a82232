import TerminalText

/// A line of a file for a terminal, and a marker below what is wrong in it.
///
/// ```
///     KEY_EE = 40
///     ^~~~~~
/// ```
///
/// Tabs stay tabs in both lines; wide characters count twice, accents not at all; control characters are shown as
/// pictures. Of a long line there is only the part with the marker.
public struct SourceExcerpt: Equatable, Sendable {
  public let line: String
  public let marker: String

  private static let indentation = "    "
  /// How many columns of a line are shown.
  static let widest = 100
  /// How many columns before the marker are shown of a longer line.
  private static let context = 40
  /// How many columns a tab may take.
  private static let tabWidth = 8

  /// - Parameters:
  ///   - text: The line, or a part of it.
  ///   - marked: Which of its characters are wrong; if none is, what is wrong is that the line ends.
  ///   - isBegun: Whether the line begins before the text.
  ///   - isContinued: Whether the line goes on behind it.
  init(of text: [Character], marking marked: Range<Int>, isBegun: Bool, isContinued: Bool) {
    let cells = text.map(Cell.init)
    let isWhole = !isBegun && !isContinued
    let shown = Self.window(of: cells, around: marked.lowerBound, isWhole: isWhole)
    let isCutBefore = isBegun || shown.lowerBound > 0
    let isCutBehind = isContinued || shown.upperBound < cells.count

    var line = isCutBefore ? "…" : ""
    var marker = isCutBefore ? " " : ""
    for index in shown {
      let cell = cells[index]
      line += cell.text
      if index == marked.lowerBound, !marked.isEmpty {
        marker += "^" + String(repeating: "~", count: cell.isTab ? 0 : cell.width - 1)
      } else if index < marked.upperBound {
        let filling = index < marked.lowerBound ? " " : "~"
        marker += cell.isTab ? "\t" : String(repeating: filling, count: cell.width)
      }
    }
    if marked.isEmpty { marker += "^" }
    self.line = Self.indentation + line + (isCutBehind ? "…" : "")
    self.marker = Self.indentation + marker
  }

  /// Which part of a line to show.
  private static func window(of cells: [Cell], around start: Int, isWhole: Bool) -> Range<Int> {
    if isWhole, cells.reduce(0, { $0 + $1.width }) <= widest { return cells.indices }
    var room = widest
    var (first, end) = (start, start)
    // Before the marker as much as is usual, but more if the line ends soon after it.
    let after = cells[start...].prefix(widest).reduce(0) { $0 + $1.width }
    var before = max(context, widest - after)
    while first > 0, cells[first - 1].width <= before {
      first -= 1
      before -= cells[first].width
      room -= cells[first].width
    }
    while end < cells.count, cells[end].width <= room {
      room -= cells[end].width
      end += 1
    }
    return first..<end
  }

  /// A character and how many columns it takes.
  private struct Cell {
    let text: String
    let width: Int
    var isTab: Bool { text == "\t" }

    init(_ character: Character) {
      text = character == "\t" ? "\t" : printable(character)
      width = character == "\t" ? SourceExcerpt.tabWidth : displayWidth(of: text)
    }
  }
}

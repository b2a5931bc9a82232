import Terminal

/// A line of a file for a terminal, and a marker below the part that is wrong.
///
/// ```
///     KEY_EE = 40
///     ^~~~~~
/// ```
///
/// Tabs stay tabs in both lines; wide characters count twice, combining marks not at all; control characters are shown
/// as symbols. Of a long line, only the part around the marker is shown.
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
  ///   - marked: Which of its characters are wrong; if empty, the end of the line is.
  ///   - isBegun: Whether the line begins before the text.
  ///   - isContinued: Whether the line continues after it.
  init(of text: [Character], marking marked: Range<Int>, isBegun: Bool, isContinued: Bool) {
    let cells = text.map(Cell.init)
    let isWhole = !isBegun && !isContinued
    let shown = Self.window(of: cells, around: marked.lowerBound, isWhole: isWhole)
    let isCutBefore = isBegun || shown.lowerBound > 0
    let isCutAfter = isContinued || shown.upperBound < cells.count

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
    self.line = Self.indentation + line + (isCutAfter ? "…" : "")
    self.marker = Self.indentation + marker
  }

  /// Which part of a line to show.
  private static func window(of cells: [Cell], around start: Int, isWhole: Bool) -> Range<Int> {
    if isWhole, cells.reduce(0, { $0 + $1.width }) <= widest { return cells.indices }
    var room = widest
    var (first, end) = (start, start)
    // The usual context before the marker, or more if the line ends soon after it.
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
      text = character == "\t" ? "\t" : character.printable
      width = character == "\t" ? SourceExcerpt.tabWidth : displayWidth(of: text)
    }
  }
}

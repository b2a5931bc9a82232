/// Lines and blocks, which must meet at the edges of their cells: fonts leave gaps there, so they are drawn.
enum Glyph {
  /// Which edges of the cell the lines go to from its middle.
  struct Lines: OptionSet {
    let rawValue: Int
    static let up = Lines(rawValue: 1)
    static let down = Lines(rawValue: 2)
    static let left = Lines(rawValue: 4)
    static let right = Lines(rawValue: 8)
  }

  case lines(Lines, isRound: Bool)
  /// What part of the cell is filled: from its left, and from its bottom.
  case block(width: Double, height: Double)

  init?(_ text: String) {
    guard let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1 else { return nil }
    switch scalar {
    case "█"..."▏" where scalar.value >= 0x2588:
      self = .block(width: Double(0x2590 - scalar.value) / 8, height: 1)
    case "▁"..."▇": self = .block(width: 1, height: Double(scalar.value - 0x2580) / 8)
    default:
      guard let lines = Self.lines[scalar] else { return nil }
      self = .lines(lines, isRound: "╭╮╰╯".unicodeScalars.contains(scalar))
    }
  }

  private static let lines: [Unicode.Scalar: Lines] = [
    "─": [.left, .right], "│": [.up, .down],
    "┌": [.down, .right], "┐": [.down, .left], "└": [.up, .right], "┘": [.up, .left],
    "╭": [.down, .right], "╮": [.down, .left], "╰": [.up, .right], "╯": [.up, .left],
    "├": [.up, .down, .right], "┤": [.up, .down, .left],
    "┬": [.down, .left, .right], "┴": [.up, .left, .right],
    "┼": [.up, .down, .left, .right],
  ]
}

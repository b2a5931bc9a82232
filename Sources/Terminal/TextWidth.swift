extension String {
  /// How many columns of a terminal the text takes.
  public var columns: Int { displayWidth(of: self) }

  /// The text with blanks after it, up to this many columns.
  public func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - columns))
  }

  /// The text with blanks before it, up to this many columns.
  public func aligned(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - columns)) + self
  }

  /// The text in lines of at most this many columns, broken between words. A longer word has a line of its own.
  public func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ") {
      if line.isEmpty {
        line = String(word)
      } else if line.columns + 1 + String(word).columns <= width {
        line += " " + word
      } else {
        lines.append(line)
        line = String(word)
      }
    }
    return line.isEmpty && !lines.isEmpty ? lines : lines + [line]
  }
}

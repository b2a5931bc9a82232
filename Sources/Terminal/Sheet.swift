/// The medium that a text is laid out for: its width, and the characters and colours that it shows.
public struct Sheet: Sendable {
  public var columns: Int
  /// The number of rows that can be seen at once; `nil` if that does not matter.
  public var rows: Int?
  /// Whether colours and other attributes can be used.
  public var hasColours: Bool
  public var characters: Characters
  /// Whether the text is read aloud or by touch. Then each fact has a line, and nothing is told by drawings or places.
  public var isPlain: Bool

  public init(
    columns: Int, rows: Int? = nil, hasColours: Bool = false, characters: Characters = .unicode,
    isPlain: Bool = false
  ) {
    (self.columns, self.rows, self.characters, self.isPlain) = (columns, rows, characters, isPlain)
    self.hasColours = hasColours && !isPlain
  }

  public var isUnicode: Bool { characters == .unicode }
}

extension Sheet {
  /// The spans as one line for the medium, without spaces at the end.
  public func line(_ spans: [StyledText]) -> String {
    var spans = spans
    // Spaces with a background can be seen.
    while let last = spans.last, !last.styles.contains(.reverse) {
      spans.removeLast()
      guard let end = last.text.lastIndex(where: { $0 != " " }) else { continue }
      spans.append(StyledText(String(last.text[...end]), styles: last.styles))
      break
    }
    return spans.map(text).joined()
  }

  private func text(of span: StyledText) -> String {
    let shown = span.text.printableLines.map { $0 == Self.noBreak ? " " : $0 }
    let text = characters.spell(String(shown))
    guard hasColours, !span.styles.isEmpty, !text.isEmpty else { return text }
    return "\u{1b}[\(span.styles.map { "\($0.rawValue)" }.joined(separator: ";"))m\(text)\u{1b}[0m"
  }

  /// A space at which no line is broken.
  public static let noBreak: Character = "\u{a0}"

  /// The spans, broken into lines between words. Blanks between words of a line stay, because names may have several.
  ///
  /// - Parameters:
  ///   - head: The beginning of the first line. The other lines are indented by its width.
  ///   - hang: How many columns the other lines are indented further, to show that they continue the first.
  public func wrapped(
    _ spans: [StyledText], after head: [StyledText] = [], hang: Int = 0
  ) -> [String] {
    if isPlain { return [line(head.filter { !$0.isBlank } + spans)] }
    var margin = head.width
    var lines: [[StyledText]] = []
    var line = head
    var width = margin
    for word in spans.words {
      if width > margin, word.blanks > 0 {
        if width + word.blanks + word.spans.width > columns {
          lines.append(line)
          margin = head.width + hang
          line = [.blank(margin)]
          width = margin
        } else {
          line.append(.blank(word.blanks))
          width += word.blanks
        }
      }
      line += word.spans
      width += word.spans.width
    }
    return (lines + [line]).map(self.line)
  }
}

extension Sheet {
  /// One or more lines that begin with their subject: `  strategy   adaptive`.
  public func entry(_ label: String, _ spans: [StyledText]) -> [String] {
    let head =
      isPlain
      ? label.allSatisfy { $0 == " " } ? "" : "\(label.drop { $0 == " " }): "
      : label.padded(to: Self.labelWidth)
    return wrapped(spans, after: [.blank(2), StyledText(head, .faint)])
  }

  public func entry(_ label: String, _ text: String) -> [String] {
    entry(label, [StyledText(text)])
  }

  private static let labelWidth = 11
}

public struct StyledText: Equatable, Sendable {
  public var text: String
  public var styles: [Style]

  public init(_ text: String, _ styles: Style...) {
    self.init(text, styles: styles)
  }

  public init(_ text: String, styles: [Style]) {
    (self.text, self.styles) = (text, styles)
  }

  public var width: Int { text.columns }

  fileprivate var isBlank: Bool { text.allSatisfy { $0 == " " } }

  public static func blank(_ columns: Int) -> StyledText {
    StyledText(String(repeating: " ", count: columns))
  }
}

extension [StyledText] {
  public var width: Int { reduce(0) { $0 + $1.width } }

  /// The words, which are never split between lines, each with its spans and the number of blanks before it.
  fileprivate var words: [(blanks: Int, spans: [StyledText])] {
    var words: [(blanks: Int, spans: [StyledText])] = [(0, [])]
    for span in self {
      let parts = span.text.split(separator: " ", omittingEmptySubsequences: false)
      for (index, part) in parts.enumerated() {
        if index > 0, words[words.count - 1].spans.isEmpty {
          words[words.count - 1].blanks += 1
        } else if index > 0 {
          words.append((1, []))
        }
        guard !part.isEmpty else { continue }
        words[words.count - 1].spans.append(StyledText(String(part), styles: span.styles))
      }
    }
    return words.filter { !$0.spans.isEmpty }
  }
}

/// A colour or an attribute that every terminal and every colour scheme has.
public enum Style: Int, Sendable {
  case bold = 1
  case faint = 2
  case reverse = 7
  case red = 31
  case green, yellow, blue, magenta, cyan
}

public struct TableColumn: Sendable {
  public enum Alignment: Sendable {
    case left
    case right
  }

  public var title: String
  public var alignment: Alignment
  /// The number of spaces before the column.
  public var space: Int
  /// The cells, one for each row.
  public var cells: [StyledText]
  /// The order in which columns are left out: those of the highest rank first, where there is no room.
  public var rank: Int

  public func ranked(_ rank: Int) -> TableColumn {
    var column = self
    column.rank = rank
    return column
  }

  /// The width in columns of a terminal, without the space before it.
  public var width: Int { max(title.columns, cells.map(\.width).max() ?? 0) }

  fileprivate func placed(_ cell: StyledText, in width: Int) -> [StyledText] {
    let rest = width - cell.width
    return switch alignment {
    case .left: [.blank(space), cell, .blank(rest)]
    case .right: [.blank(space + rest), cell]
    }
  }
}

extension Array {
  /// A column of a table in which each element has a row.
  public func column(
    _ title: String = "", _ alignment: TableColumn.Alignment = .right, space: Int = 2,
    rank: Int = 0, cell: (Element) -> StyledText
  ) -> TableColumn {
    TableColumn(title: title, alignment: alignment, space: space, cells: map(cell), rank: rank)
  }
}

extension [TableColumn] {
  /// The width of the table in columns of a terminal.
  public var width: Int { reduce(0) { $0 + $1.space + $1.width } }

  /// The columns for which there is room, because a wrapped line or a cut number would mislead. The highest ranks are left out,
  /// each as a whole, and then the last columns of rank 0. The first column always stays.
  public func fitting(_ room: Int) -> [TableColumn] {
    var columns = self
    while columns.count > 1, columns.width > room {
      if let rank = columns.map(\.rank).max(), rank > 0 {
        columns.removeAll { $0.rank == rank }
      } else {
        columns.removeLast()
      }
    }
    return columns
  }

  /// The titles and the rows.
  public var spans: [[StyledText]] {
    let (rows, widths) = (first?.cells.count ?? 0, map(\.width))
    let titles = map { StyledText($0.title, .faint) }
    return ([titles] + (0..<rows).map { row in map { $0.cells[row] } }).map { cells in
      indices.flatMap { self[$0].placed(cells[$0], in: widths[$0]) }
    }
  }
}

extension Sheet {
  /// The titles and the rows of a table. Each column is as wide as it needs, and those without room are left out.
  public func table(_ columns: [TableColumn]) -> [String] {
    guard isPlain else { return columns.fitting(self.columns).spans.map(line) }
    // The first cell of a row is the subject of the others.
    return (columns.first?.cells ?? []).enumerated().flatMap { row, subject in
      [line([subject])]
        + columns.dropFirst().filter { !$0.cells[row].isBlank }.map { column in
          line([
            StyledText(column.title.isEmpty ? "" : "\(column.title.lowercased()): "),
            column.cells[row],
          ])
        }
    }
  }
}

/// Small drawings in a line of text.
extension Sheet {
  /// A bar whose length shows a share, in eighths of a column if there are such characters.
  public func bar(_ share: Double, columns: Int) -> String {
    /// The length of the bar in such units; at least one if the share is not 0.
    func length(_ units: Int) -> Int {
      share > 0 ? max(1, Int((min(share, 1) * Double(units)).rounded())) : 0
    }
    guard isUnicode else { return String(repeating: "#", count: length(columns)) }
    let eighths = length(columns * 8)
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
    return String(repeating: "█", count: eighths / 8) + rest
  }

  /// A row of small columns whose heights show counts, relative to the highest. Each is one character, and a space stands for
  /// none.
  public func sparkline(_ counts: [UInt32]) -> String {
    let levels = Array(isUnicode ? "▁▂▃▄▅▆▇" : ".:-=+*#")
    let highest = Double(counts.max() ?? 0)
    return String(
      counts.map { count -> Character in
        guard count > 0 else { return " " }
        return levels[Int((Double(count) / highest * Double(levels.count - 1)).rounded())]
      })
  }
}

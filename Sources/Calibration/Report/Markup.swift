import Terminal

/// Pieces of a page that is both HTML and XML.
enum Markup {
  /// The text, so that nothing in it is taken for markup.
  static func text(_ text: String) -> String {
    text.printable.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
  }

  /// The same of several lines.
  static func lines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { Self.text(String($0)) }
      .joined(separator: "\n")
  }

  /// An element around markup.
  static func element(_ name: String, class style: String? = nil, _ inside: String) -> String {
    "<\(name)\(style.map { " class=\"\($0)\"" } ?? "")>\(inside)</\(name)>"
  }

  /// A patch in the colours of a style, and what they mean.
  static func swatch(_ style: String, _ words: String) -> String {
    let patch = element("span", class: "swatch \(style)", "")
    return element("span", class: "item", "\(patch) \(text(words))")
  }

  /// A table from cells of text; the first column is of headings.
  static func table(_ titles: [String], _ rows: [(style: String, cells: [String])]) -> String {
    let head = titles.map { element("th", text($0)) }.joined()
    let body = rows.map { row in
      let cells = row.cells.enumerated().map {
        element($0.offset == 0 ? "th" : "td", text($0.element))
      }
      return "<tr class=\"\(row.style)\">\(cells.joined())</tr>\n"
    }
    return "<table>\n<thead><tr>\(head)</tr></thead>\n<tbody>\n\(body.joined())</tbody>\n</table>\n"
  }

  /// A length in a drawing.
  static func length(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0
      ? "\(tenths / 10)" : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }
}

/// The difference between two texts, line by line, as `diff -u` shows it.
public struct FileDifference {
  /// A line with the mark of `diff -u`: “-” for one that goes, “+” for one that comes, and a space for others.
  private typealias Line = (mark: Character, text: Substring)

  /// How many unchanged lines are shown around changed ones.
  private static let context = 3

  private var lines: [Line]

  public init(from old: String, to new: String) {
    let old = Self.split(old)
    let changes = Self.split(new).difference(from: old)
    lines = old.map { (" ", $0) }
    for case .remove(let offset, _, _) in changes.removals { lines[offset].mark = "-" }
    for case .insert(let offset, let text, _) in changes.insertions {
      // The line stands behind so many lines of the new text, and behind the lines that it replaces.
      var (index, before) = (0, 0)
      while index < lines.count, before < offset || lines[index].mark == "-" {
        if lines[index].mark != "-" { before += 1 }
        index += 1
      }
      lines.insert(("+", text), at: index)
    }
  }

  private static func split(_ text: String) -> [Substring] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  /// The difference as lines of text; none if the texts are equal.
  public func lines(named names: (old: String, new: String), on sheet: Sheet) -> [String] {
    guard !hunks.isEmpty else { return [] }
    let styles: [Character: [Style]] = ["-": [.red], "+": [.green]]
    var text = [StyledText("--- \(names.old)", .bold), StyledText("+++ \(names.new)", .bold)]
    for hunk in hunks {
      text.append(
        StyledText("@@ -\(place(of: hunk, in: "-")) +\(place(of: hunk, in: "+")) @@", .cyan))
      text += lines[hunk].map { StyledText("\($0.mark)\($0.text)", styles: styles[$0.mark] ?? []) }
    }
    return text.map { sheet.line([$0]) }
  }

  /// The first line and the length of a hunk in the old or the new text, whose own lines have this mark.
  private func place(of hunk: Range<Int>, in mark: Character) -> String {
    func count(_ range: Range<Int>) -> Int {
      lines[range].count { [" ", mark].contains($0.mark) }
    }
    let (before, length) = (count(0..<hunk.lowerBound), count(hunk))
    return "\(length == 0 ? before : before + 1),\(length)"
  }

  /// The changed lines with those around them. Neighbours that meet are one hunk.
  private var hunks: [Range<Int>] {
    var hunks: [Range<Int>] = []
    for index in lines.indices where lines[index].mark != " " {
      let range = max(0, index - Self.context)..<min(lines.count, index + Self.context + 1)
      if let last = hunks.last, range.lowerBound <= last.upperBound {
        hunks[hunks.count - 1] = last.lowerBound..<range.upperBound
      } else {
        hunks.append(range)
      }
    }
    return hunks
  }
}

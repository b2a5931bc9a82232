/// How two texts differ, line by line, as `diff -u` shows it.
public struct FileDifference {
  private enum Line: Equatable {
    case same(Substring)
    case removed(Substring)
    case added(Substring)
  }

  /// How many unchanged lines are shown around changed ones.
  private static let context = 3

  private let lines: [Line]

  public init(from old: String, to new: String) {
    lines = Self.compare(Self.split(old), Self.split(new))
  }

  public var isEmpty: Bool {
    lines.allSatisfy { if case .same = $0 { true } else { false } }
  }

  /// The difference as lines of text; none if there is none.
  public func lines(named names: (old: String, new: String), on sheet: Sheet) -> [String] {
    guard !isEmpty else { return [] }
    var text = [
      sheet.line([StyledText("--- \(names.old)", .bold)]),
      sheet.line([StyledText("+++ \(names.new)", .bold)]),
    ]
    var (old, new, index) = (1, 1, 0)
    for hunk in hunks {
      while index < hunk.lowerBound {
        (old, new, index) = (old + 1, new + 1, index + 1)
      }
      let part = lines[hunk]
      let counts = (
        part.count { if case .added = $0 { false } else { true } },
        part.count { if case .removed = $0 { false } else { true } }
      )
      let places =
        "@@ -\(counts.0 == 0 ? old - 1 : old),\(counts.0) +\(counts.1 == 0 ? new - 1 : new),\(counts.1) @@"
      text.append(sheet.line([StyledText(places, .cyan)]))
      for line in part {
        switch line {
        case .same(let line): text.append(sheet.line([StyledText(" " + line)]))
        case .removed(let line): text.append(sheet.line([StyledText("-" + line, .red)]))
        case .added(let line): text.append(sheet.line([StyledText("+" + line, .green)]))
        }
      }
      (old, new, index) = (old + counts.0, new + counts.1, hunk.upperBound)
    }
    return text
  }

  /// The changed lines with those around them; neighbours that meet are one hunk.
  private var hunks: [Range<Int>] {
    var hunks: [Range<Int>] = []
    for (index, line) in lines.enumerated() {
      if case .same = line { continue }
      let start = max(0, index - Self.context)
      let end = min(lines.count, index + Self.context + 1)
      if let last = hunks.last, start <= last.upperBound {
        hunks[hunks.count - 1] = last.lowerBound..<end
      } else {
        hunks.append(start..<end)
      }
    }
    return hunks
  }

  private static func split(_ text: String) -> [Substring] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  private static func compare(_ old: [Substring], _ new: [Substring]) -> [Line] {
    let changes = new.difference(from: old)
    var removed: Set<Int> = []
    var added: Set<Int> = []
    for case .remove(let offset, _, _) in changes { removed.insert(offset) }
    for case .insert(let offset, _, _) in changes { added.insert(offset) }
    var lines: [Line] = []
    var (i, j) = (0, 0)
    while i < old.count || j < new.count {
      if removed.contains(i) {
        lines.append(.removed(old[i]))
        i += 1
      } else if added.contains(j) {
        lines.append(.added(new[j]))
        j += 1
      } else {
        lines.append(.same(old[i]))
        (i, j) = (i + 1, j + 1)
      }
    }
    return lines
  }
}

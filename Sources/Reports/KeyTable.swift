import Debounce
import Status
import Terminal

/// The keys of a device, the worst first, with as many columns as there is room for.
struct StatusKeyTable {
  private let shown: [KeyStatus]
  private let labels: [KeyCode: String]
  private let sheet: Sheet
  /// How many keys are not shown, in words.
  let rest: String?

  init(_ keys: [KeyStatus], isComplete: Bool, labels: [KeyCode: String], on sheet: Sheet) {
    (self.labels, self.sheet) = (labels, sheet)
    (shown, rest) = Self.selection(of: keys.worstFirst, isComplete: isComplete) {
      $0.chatter.total > 0 || $0.nearMisses > 0
    }
  }

  /// Which keys are shown of all, the worst first, and what of them is not shown, in words.
  ///
  /// - Parameter isComplete: Whether all are wanted, and not a few suspects.
  static func selection<Key>(
    of keys: [Key], isComplete: Bool, isSuspect: (Key) -> Bool
  ) -> (shown: [Key], rest: String?) {
    guard !isComplete else { return (keys, nil) }
    let suspects = keys.filter(isSuspect)
    let shown = Array(suspects.prefix(12))
    let (further, healthy) = (suspects.count - shown.count, keys.count - suspects.count)
    let rest = [
      further > 0 ? "\(further) more" : nil,
      healthy > 0 ? healthy.counted("healthy key") : nil,
    ].compactMap(\.self).joined(separator: ", and ")
    return (shown, rest.isEmpty ? nil : shown.isEmpty ? rest : "… and \(rest)")
  }

  var isEmpty: Bool { shown.isEmpty }
  var lines: [String] { sheet.table(columns) }

  /// Whether it has titles that the legend explains.
  var hasClasses: Bool { columns.contains { $0.rank == Rank.classes } }

  /// The meaning of the titles. Plain text has words for the letters.
  static func legend(on sheet: Sheet) -> String {
    let letters = Chatter.allCases.map { "\($0.letter) \($0.noun)s" }.joined(separator: ", ")
    return """
      \(sheet.isPlain ? "Near misses" : "\(letters); near misses"): strokes passed on after a gap hardly longer than \
      chatter's; gap: the median gap of what was removed, in ms.
      """
  }

  /// The ranks of columns. Where there is no room for all, those of the highest rank are left out first.
  private enum Rank {
    static let (classes, bar, gaps) = (1, 2, 3)
  }

  private var columns: [TableColumn] {
    var columns = [
      shown.names(labels, space: sheet.isPlain ? 0 : KeyboardDrawing.indent) {
        ShownWear(of: $0) == .worn ? [.bold] : []
      },
      shown.strokes, shown.chatter, shown.rates("of 1000"),
    ]
    let place = columns.count
    var classes = shown.classes { sheet.isPlain ? "\($0.noun)s" : $0.letter }
    if shown.contains(where: { $0.suppressed > 0 }) {
      classes.append(shown.column("suppressed") { .count($0.suppressed) })
    }
    classes += [shown.nearMisses(sheet.isPlain ? "near misses" : "near"), shown.medianGaps]
    columns += classes.map { $0.ranked(Rank.classes) }
    if !sheet.isPlain {
      columns.append(
        shown.column("gaps 0 … 150+ ms", .left, rank: Rank.gaps) {
          StyledText(sheet.sparkline($0.counts.removedGaps.values))
        })
    }
    if shown.contains(where: \.isBad) {
      columns.append(
        shown.column("", .left, rank: Rank.classes) { StyledText($0.isBad ? "bad" : "") })
    }
    if !sheet.isPlain {
      columns.insert(bars(Self.shortestBar), at: place)
      columns = columns.fitting(sheet.columns).filter { $0.rank != Rank.bar }
    }
    let room = sheet.columns - columns.width - 1
    if !sheet.isPlain, room >= Self.shortestBar, columns.count >= place {
      columns.insert(bars(min(room, 24)), at: place)
    }
    return columns
  }

  private static let shortestBar = 4

  /// A bar for each key. The highest rate has the longest.
  private func bars(_ width: Int) -> TableColumn {
    let highest = shown.map(\.rate).max() ?? 0
    let title = String(repeating: " ", count: width)
    return shown.column(title, .left, space: 1, rank: Rank.bar) { key in
      StyledText(
        sheet.bar(highest > 0 ? key.rate / highest : 0, columns: width), styles: key.styles)
    }
  }
}

/// The columns of a table of keys, of which `status` and `top` show as many as there is room for.
extension [KeyStatus] {
  public func names(
    _ labels: [KeyCode: String], space: Int, styles: (KeyStatus) -> [Style]
  ) -> TableColumn {
    column("key", .left, space: space) { StyledText($0.name(labels), styles: styles($0)) }
  }

  public var strokes: TableColumn { column("strokes") { StyledText($0.strokes.grouped) } }

  public var chatter: TableColumn {
    column("chatter") { .count($0.chatter.total, styles: $0.styles) }
  }

  public func rates(_ title: String, space: Int = 2) -> TableColumn {
    column(title, space: space) { key in
      let rate = perThousand(key.chatter.total, of: UInt64(key.strokes))
      return StyledText(key.chatter.total == 0 ? "" : rate ?? "–", styles: key.styles)
    }
  }

  public func classes(_ title: (Chatter) -> String) -> [TableColumn] {
    Chatter.allCases.map { chatter in
      let title = title(chatter)
      return column(title, space: title.count > 1 || chatter == .pressBounce ? 2 : 1) {
        .count($0.counts.chatter[chatter])
      }
    }
  }

  public func nearMisses(_ title: String) -> TableColumn {
    column(title) { .count($0.nearMisses) }
  }

  public var medianGaps: TableColumn {
    column("gap") { StyledText($0.counts.removedGaps.median ?? "") }
  }
}

extension StyledText {
  /// A number; nothing in the place of 0, so that the others stand out.
  static func count(_ number: some BinaryInteger, styles: [Style] = []) -> StyledText {
    StyledText(number == 0 ? "" : number.grouped, styles: styles)
  }
}

extension KeyStatus {
  /// The key's name, and what stands on it if that is something else: KEY_Y (Z).
  public func name(_ labels: [KeyCode: String]) -> String {
    key.printable + (labels[code].map { " (\($0.printable))" } ?? "")
  }

  /// The share of its strokes that chattered.
  public var rate: Double {
    counts.strokes > 0 ? Double(counts.chatter.total) / Double(counts.strokes) : 0
  }

  public var styles: [Style] { ShownWear(of: self).look.numbers }
}

extension KeyStrategy {
  func name(_ labels: [KeyCode: String]) -> String {
    key.printable + (labels[code].map { " (\($0.printable))" } ?? "")
  }
}

extension [KeyStatus] {
  public var worstFirst: [KeyStatus] {
    sorted {
      ($1.chatter.total, $1.nearMisses, $0.code) < ($0.chatter.total, $0.nearMisses, $1.code)
    }
  }
}

extension IntervalHistogram {
  /// The median in milliseconds, as if intervals were spread evenly within each class; `nil` if nothing was counted. The last
  /// class has no end: >150.
  public var median: String? {
    let half = Double(total) / 2
    var below = 0.0
    for (index, count) in values.enumerated() where count > 0 {
      if below + Double(count) >= half {
        let low = index == 0 ? 0 : Double(Self.bounds[index - 1]) / 1000
        guard index < Self.bounds.count else { return ">\(low.short)" }
        let width = Double(Self.bounds[index]) / 1000 - low
        return (low + width * (half - below) / Double(count)).short
      }
      below += Double(count)
    }
    return nil
  }
}

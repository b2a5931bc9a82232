import Debounce
import EventDevices
import Terminal

/// The keys of a device, the worst first.
struct StatusKeyTable {
  /// How many keys are shown unless all are wanted.
  static let shortCount = 12

  private let shown: [KeyStatus]
  /// How long keys of the device are usually held, in microseconds; `nil` if that is not to be shown.
  private let usualHold: Microseconds?
  private let labels: [KeyCode: String]
  /// What is not shown, in words.
  let rest: String?

  /// - Parameter usualHold: How long keys of the device are usually held, in microseconds; `nil` if that is not known.
  init(
    _ keys: [KeyStatus], usualHold: Microseconds? = nil, isComplete: Bool,
    labels: [KeyCode: String] = [:]
  ) {
    self.labels = labels
    self.usualHold = isComplete ? usualHold : nil
    let sorted = keys.worstFirst
    let suspects = sorted.filter { $0.chatter > 0 || $0.nearMisses > 0 }
    shown = isComplete ? sorted : Array(suspects.prefix(Self.shortCount))
    let further = isComplete ? 0 : suspects.count - shown.count
    let healthy = isComplete ? 0 : sorted.count - suspects.count
    rest =
      switch (further, healthy) {
      case (0, 0): nil
      case (0, _):
        shown.isEmpty ? healthy.counted("healthy key") : "… and \(healthy.counted("healthy key"))"
      case (_, 0): "… and \(further) more"
      default: "… and \(further) more, and \(healthy.counted("healthy key"))"
      }
  }

  var isEmpty: Bool { shown.isEmpty }

  /// The table, with as many columns as there is room for.
  func lines(on sheet: Sheet, indent: Int) -> [String] {
    if sheet.isPlain { return sheet.table(table(.words, on: sheet, indent: 0)) }
    let tables = Details.all.lazy.map { table($0, on: sheet, indent: indent) }
    return sheet.table(
      tables.first { $0.width <= sheet.columns } ?? table(.least, on: sheet, indent: indent))
  }

  /// What the titles mean.
  static let legend = """
    \(Chatter.allCases.map { "\($0.letter) \($0.noun)s" }.joined(separator: ", ")); near misses: passed on, though \
    after a gap that was hardly longer than chatter's; gap: the median of what was removed, in ms. Counts of keys \
    outlast unplugging and restarts.
    """

  /// What ``legend`` leaves out, where the table has it.
  static let legendOfHolds = " Held: how long the key is usually held, as learned so far, in ms."
}

// MARK: - Columns

/// How much a table shows.
private struct Details {
  var hasWords = false
  var hasSparkline = false
  var hasClasses = true
  /// The shortest bar, in columns; the longest takes what room there is.
  var bar = 0

  static let least = Details(hasClasses: false)

  /// All that can be said in words.
  static let words = Details(hasWords: true)

  /// The most first.
  static let all = [
    Details(hasWords: true, hasSparkline: true, bar: 12), Details(hasSparkline: true, bar: 8),
    Details(bar: 4), Details(), least,
  ]
}

extension StatusKeyTable {
  private func table(_ details: Details, on sheet: Sheet, indent: Int) -> [TableColumn] {
    var columns = [
      column("key", .left, space: indent) {
        StyledText($0.name(labels), styles: $0.isSuspect ? [.bold] : [])
      },
      column("strokes") { StyledText($0.strokes.grouped) },
      column("chatter") { number($0.chatter, styles: $0.styles) },
      column("of 1000") { key in
        let rate = perThousand(key.chatter, of: UInt64(key.strokes))
        return StyledText(key.chatter == 0 ? "" : rate ?? "–", styles: key.styles)
      },
    ]
    let place = columns.count
    if details.hasClasses {
      for chatter in Chatter.allCases {
        let words = sheet.isPlain ? "\(chatter.noun)s" : "\(chatter.letter): \(chatter.noun)s"
        let title = details.hasWords ? words : chatter.letter
        let space = details.hasWords || chatter == .pressBounce ? 2 : 1
        columns.append(column(title, space: space) { number($0.counts[chatter]) })
      }
      if shown.contains(where: { $0.taken > 0 }) {
        columns.append(column("taken") { number($0.taken) })
      }
      columns += [
        column(details.hasWords ? "near misses" : "near") { number($0.nearMisses) },
        column("gap") { StyledText($0.counts.removedGaps.median ?? "") },
      ]
      if let usualHold {
        columns.append(
          column("held") { StyledText((max(0, usualHold + $0.offset + 500) / 1000).grouped) })
      }
    }
    if details.hasSparkline {
      columns.append(
        column("gaps 0 … 150+ ms", .left) { key in
          StyledText(sheet.sparkline(key.counts.removedGaps.values))
        })
    }
    if details.hasClasses, shown.contains(where: \.isBridging) {
      columns.append(column("", .left) { StyledText($0.isBridging ? "bad" : "") })
    }
    if details.bar > 0 {
      let room = sheet.columns - columns.width - 1
      columns.insert(bars(columns: min(max(room, details.bar), 24), on: sheet), at: place)
    }
    return columns
  }

  private func column(
    _ title: String, _ alignment: TableColumn.Alignment = .right, space: Int = 2,
    cell: (KeyStatus) -> StyledText
  ) -> TableColumn {
    TableColumn(title, alignment: alignment, space: space, cells: shown.map(cell))
  }

  /// The rates as bars, the highest the longest.
  private func bars(columns: Int, on sheet: Sheet) -> TableColumn {
    let highest = shown.map(\.rate).max() ?? 0
    return column(String(repeating: " ", count: columns), .left, space: 1) { key in
      StyledText(
        sheet.bar(highest > 0 ? key.rate / highest : 0, columns: columns), styles: key.styles)
    }
  }

  /// A number; nothing in the place of 0, so that the others stand out.
  private func number(_ number: some BinaryInteger, styles: [Style] = []) -> StyledText {
    StyledText(number == 0 ? "" : number.grouped, styles: styles)
  }
}

extension KeyStatus {
  /// The key's name, and what stands on it if that is something else: KEY_Y (Z).
  public func name(_ labels: [KeyCode: String]) -> String {
    key.printable + labels.note(on: code)
  }
}

extension KeyStrategy {
  /// The key's name, and what stands on it if that is something else.
  func name(_ labels: [KeyCode: String]) -> String { key.printable + labels.note(on: code) }
}

extension [KeyCode: String] {
  /// What stands on a key, to be added to its name; empty where that is known from the name.
  fileprivate func note(on code: KeyCode) -> String {
    self[code].map { " (\($0.printable))" } ?? ""
  }
}

extension [KeyStatus] {
  /// The keys with the most chatter first.
  public var worstFirst: [KeyStatus] {
    sorted { ($1.chatter, $1.nearMisses, $0.code) < ($0.chatter, $0.nearMisses, $1.code) }
  }
}

extension KeyStatus {
  /// Chatter for each stroke.
  public var rate: Double {
    counts.strokes > 0 ? Double(counts.chatter) / Double(counts.strokes) : 0
  }

  fileprivate var isSuspect: Bool { KeyHealth(of: self) == .bad }

  /// How its numbers are written: colour only repeats what they show.
  public var styles: [Style] {
    switch KeyHealth(of: self) {
    case .bad: [.red]
    case .worn: [.yellow]
    case .healthy, .neverPressed: []
    }
  }
}

extension IntervalHistogram {
  /// The class in which the median lies, in milliseconds: 5–8; `nil` if nothing was counted.
  public var median: String? {
    let total = total
    guard total > 0 else { return nil }
    var below: UInt64 = 0
    for (index, count) in values.enumerated() {
      below += UInt64(count)
      guard below * 2 >= total else { continue }
      func bound(_ index: Int) -> Microseconds { Self.bounds[index] / 1000 }
      if index == 0 { return "<\(bound(0))" }
      if index == Self.bounds.count { return ">\(bound(index - 1))" }
      return "\(bound(index - 1))–\(bound(index))"
    }
    return nil
  }
}

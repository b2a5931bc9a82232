import Debounce
import EventDevices
import Terminal

/// What `status --history` shows a person: the worst keys of each device, and how they wore month by month.
public struct HistoryReport {
  private let history: CountedHistory
  private let hasAllKeys: Bool
  private let sheet: Sheet

  /// - Parameter hasAllKeys: Whether healthy keys are shown, too.
  public init(of history: CountedHistory, hasAllKeys: Bool = false, on sheet: Sheet) {
    (self.history, self.hasAllKeys, self.sheet) = (history, hasAllKeys, sheet)
  }

  /// The text, with a line break after each line.
  public var text: String {
    var parts = history.devices.map(lines)
    if parts.isEmpty { parts.append(sheet.wrapped([StyledText(StatusReport.noDevices[0])])) }
    if !sheet.isPlain, history.devices.contains(where: { !worst(of: $0.years).isEmpty }) {
      parts.append(sheet.wrapped([StyledText(Self.legend, .faint)]))
    }
    return parts.map { part in part.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  /// What the drawing means.
  private static let legend = """
    Each small column is a month: the chatter of 1000 strokes, relative to the key's worst month. Days are those of UTC; \
    the daemon keeps the last \(StoredDays.longest).
    """

  private static let indent = 2
}

// MARK: - A device

extension HistoryReport {
  private func lines(of device: CountedHistory.Device) -> [String] {
    let heading = [
      StyledText(device.device.title, .bold),
      StyledText(" (\(device.node.printable)): "),
    ]
    guard let first = device.days.first?.day, let last = device.days.last?.day else {
      return sheet.wrapped(heading + [StyledText("nothing was counted yet")])
    }
    let span = first == last ? "\(first)" : "\(first) to \(last)"
    var lines = sheet.wrapped(
      heading + [StyledText("\(span), used on \(device.days.count.counted("day"))")])
    let keys = device.years
    let shown = worst(of: keys)
    if !shown.isEmpty { lines += [""] + table(shown, months: Month.span(from: first, to: last)) }
    let rest = keys.count - shown.count
    if rest > 0 {
      if shown.isEmpty { lines.append("") }
      let healthy = keys.count { $0.total.chatter.total == 0 }
      let text = rest == healthy ? rest.counted("healthy key") : "\(rest) more"
      lines += sheet.wrapped(
        [
          StyledText(shown.isEmpty ? text : "… and \(text)"),
          StyledText("; --all shows them", .faint),
        ],
        after: [.blank(Self.indent)])
    }
    return lines
  }

  /// The keys that are shown, the most chatter first.
  private func worst(of keys: [KeyYear]) -> [KeyYear] {
    let sorted = keys.sorted {
      ($1.total.chatter.total, $1.total.strokes, $0.code) < (
        $0.total.chatter.total, $0.total.strokes, $1.code
      )
    }
    return hasAllKeys
      ? sorted
      : Array(sorted.filter { $0.total.chatter.total > 0 }.prefix(StatusKeyTable.shortCount))
  }

  private func table(_ keys: [KeyYear], months: [Month]) -> [String] {
    func column(
      _ title: String, _ alignment: TableColumn.Alignment = .right, space: Int = 2,
      cell: (KeyYear) -> String
    ) -> TableColumn {
      TableColumn(
        title, alignment: alignment, space: space, cells: keys.map { StyledText(cell($0)) })
    }
    var columns = [
      column("key", .left, space: sheet.isPlain ? 0 : Self.indent) { $0.name.printable },
      column("strokes") { $0.total.strokes.grouped },
      column("chatter") { $0.total.chatter.total.grouped },
      column("of 1000") { $0.total.rate },
    ]
    if sheet.isPlain {
      // A month a line, where there were strokes.
      return sheet.table(
        columns
          + months.map { month in
            column("\(month)") { key in
              guard let counts = key.months[month] else { return "" }
              return "\(counts.chatter.total.grouped) in \(counts.strokes.counted("stroke")), "
                + "\(counts.rate) of 1000"
            }
          })
    }
    let title = months.count == 1 ? "\(months[0])" : "\(months[0]) … \(months[months.count - 1])"
    let drawing = column(title, .left) { key in
      sheet.sparkline(months.map { key.months[$0]?.parts ?? 0 })
    }
    if let last = months.last, months.count > 1 {
      let latest = column("in \(last)") { $0.months[last]?.rate ?? "–" }
      if (columns + [latest, drawing]).width <= sheet.columns { columns.append(latest) }
    }
    return sheet.table(columns + [drawing])
  }
}

// MARK: - Keys and months

/// What was counted of a key in all the days that are kept.
private struct KeyYear {
  var name: String
  var code: KeyCode
  var total = KeyDay()
  var months: [Month: KeyDay] = [:]
}

extension CountedHistory.Device {
  fileprivate var years: [KeyYear] {
    var years: [KeyCode: KeyYear] = [:]
    for day in days {
      for key in day.keys {
        var year = years[key.code] ?? KeyYear(name: key.key, code: key.code)
        year.total = year.total + key.counts
        let month = Month(day.day)
        year.months[month] = year.months[month, default: KeyDay()] + key.counts
        years[key.code] = year
      }
    }
    return Array(years.values)
  }
}

extension KeyDay {
  /// How many of 1000 strokes chattered, in words.
  fileprivate var rate: String { perThousand(chatter.total, of: UInt64(strokes)) ?? "–" }

  /// The same in millionths, to be drawn.
  fileprivate var parts: UInt32 {
    UInt32(clamping: Int(1_000_000 * Double(chatter.total) / Double(max(strokes, 1))))
  }
}

/// A month of the calendar, as `2026-11`.
private struct Month: Hashable, CustomStringConvertible {
  private let number: Int

  init(_ day: Day) {
    number = day.year * 12 + day.month - 1
  }

  private init(number: Int) {
    self.number = number
  }

  /// All months from the one of a day to that of another. Where the clock was wrong these may be far apart: then the last
  /// ones.
  static func span(from first: Day, to last: Day) -> [Month] {
    let (first, last) = (Month(first).number, Month(last).number)
    let most = StoredDays.longest / 28 + 1
    return (max(first, last - most + 1)...last).map(Month.init(number:))
  }

  var description: String {
    let month = number % 12 + 1
    return "\(number / 12)-\(month < 10 ? "0" : "")\(month)"
  }
}

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
    let keys = history.devices.map { $0.keys(isComplete: hasAllKeys) }
    var parts = zip(history.devices, keys).map { lines(of: $0, $1) }
    if parts.isEmpty { parts.append(sheet.wrapped([StyledText(StatusReport.noDevices[0])])) }
    if !sheet.isPlain, keys.contains(where: { !$0.shown.isEmpty }) {
      let legend = """
        Each small column is a month: the chatter of 1000 strokes, relative to the key's worst month. Days are those of UTC; \
        the daemon keeps the last \(StoredDays.longest).
        """
      parts.append(sheet.wrapped([StyledText(legend, .faint)]))
    }
    return parts.map { part in part.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  private func lines(
    of device: CountedHistory.Device, _ keys: (shown: [KeyYear], rest: String?)
  ) -> [String] {
    let days = device.days.map(\.day)
    guard let first = days.first, let last = days.last else {
      return sheet.heading(device.device, device.node, StyledText("nothing was counted yet"))
    }
    let span = first == last ? "\(first)" : "\(first) to \(last)"
    let used = "\(span), used on \(days.count.counted("day"))"
    var lines = sheet.heading(device.device, device.node, StyledText(used))
    if !keys.shown.isEmpty {
      lines += [""] + table(keys.shown, months: Month.span(from: first, to: last))
    }
    if let rest = keys.rest { lines += sheet.rest(rest, isAlone: keys.shown.isEmpty) }
    return lines
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
      column("key", .left, space: sheet.isPlain ? 0 : 2) { $0.name.printable },
      column("strokes") { $0.total.strokes.grouped },
      column("chatter") { $0.total.chatter.total.grouped },
      column("of 1000") { $0.total.rate },
    ]
    if sheet.isPlain {
      // A month a line, where there were strokes.
      columns += months.map { month in
        column("\(month)") { key in
          key.months[month].map {
            "\($0.chatter.total.grouped) in \($0.strokes.counted("stroke")), \($0.rate) of 1000"
          } ?? ""
        }
      }
      return sheet.table(columns)
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
  /// The keys that are shown, the most chatter first, and what of them is not shown.
  fileprivate func keys(isComplete: Bool) -> (shown: [KeyYear], rest: String?) {
    var years: [KeyCode: KeyYear] = [:]
    for day in days {
      for key in day.keys {
        var year = years[key.code] ?? KeyYear(name: key.key, code: key.code)
        year.total = year.total + key.counts
        year.months[Month(day.day), default: KeyDay()] =
          year.months[Month(day.day), default: KeyDay()] + key.counts
        years[key.code] = year
      }
    }
    let sorted = years.values.sorted {
      ($1.total.chatter.total, $1.total.strokes, $0.code) < (
        $0.total.chatter.total, $0.total.strokes, $1.code
      )
    }
    return StatusKeyTable.selection(of: sorted, isComplete: isComplete) {
      $0.total.chatter.total > 0
    }
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
  /// How many months it is after the first of the year 0.
  private let number: Int

  private init(number: Int) {
    self.number = number
  }

  init(_ day: Day) {
    let fields = day.rawValue.split(separator: "-").compactMap { Int($0) }
    number = fields[0] * 12 + fields[1] - 1
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

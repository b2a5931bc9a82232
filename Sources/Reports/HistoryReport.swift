import Debounce
import EventDevices
import Status
import Terminal

/// The report of `status --history` for a person: the worst keys of each device, and how they wore month by month.
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
    guard let first = days.min(), let last = days.max() else {
      return sheet.heading(device.device, device.node, StyledText("nothing was counted yet"))
    }
    let span = first == last ? "\(first)" : "\(first) to \(last)"
    let used = "\(span), used on \(days.count.counted("day"))"
    var lines = sheet.heading(device.device, device.node, StyledText(used))
    if !keys.shown.isEmpty {
      // A clock that was wrong may have made many months: only the last ones are shown.
      let earliest = max(first.month, last.month - StoredDays.longest / 28)
      lines += [""] + table(keys.shown, months: earliest...last.month)
    }
    if let rest = keys.rest { lines += sheet.rest(rest, isAlone: keys.shown.isEmpty) }
    return lines
  }

  private func table(_ keys: [KeyYear], months: ClosedRange<Int>) -> [String] {
    var columns = [
      keys.column("key", .left, space: sheet.isPlain ? 0 : 2) { StyledText($0.name.printable) },
      keys.column("strokes") { StyledText($0.total.strokes.grouped) },
      keys.column("chatter") { StyledText($0.total.chatter.total.grouped) },
      keys.column("of 1000") { StyledText($0.total.rate) },
    ]
    if sheet.isPlain {
      // Each month with strokes has a line.
      columns += months.map { month in
        keys.column(Self.name(ofMonth: month)) { key in
          let text = key.months[month].map {
            "\($0.chatter.total.grouped) in \($0.strokes.counted("stroke")), \($0.rate) of 1000"
          }
          return StyledText(text ?? "")
        }
      }
      return sheet.table(columns)
    }
    let first = Self.name(ofMonth: months.lowerBound)
    let last = Self.name(ofMonth: months.upperBound)
    let title = months.count == 1 ? first : "\(first) … \(last)"
    let drawing = keys.column(title, .left) { key in
      StyledText(sheet.sparkline(months.map { key.months[$0]?.parts ?? 0 }))
    }
    if months.count > 1 {
      columns.append(
        keys.column("in \(last)", rank: 1) {
          StyledText($0.months[months.upperBound]?.rate ?? "–")
        })
    }
    return sheet.table(columns + [drawing])
  }

  /// A month of the calendar, as `2026-11`.
  private static func name(ofMonth number: Int) -> String {
    "\(number / 12)-" + "\(number % 12 + 1)".aligned(to: 2, with: "0")
  }
}

// MARK: - Keys and months

/// The counts of a key in all the days that are kept.
private struct KeyYear {
  var name: String
  var code: KeyCode
  var total = KeyDay()
  var months: [Int: KeyDay] = [:]
}

extension CountedHistory.Device {
  /// The keys that are shown, the most chatter first, and in words how many others there are.
  fileprivate func keys(isComplete: Bool) -> (shown: [KeyYear], rest: String?) {
    var years: [KeyCode: KeyYear] = [:]
    for day in days {
      for key in day.keys {
        var year = years[key.code] ?? KeyYear(name: key.key, code: key.code)
        year.total = year.total + key.counts
        year.months.merge([day.day.month: key.counts], uniquingKeysWith: +)
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

  /// The share of strokes that chattered, in millionths, to be drawn.
  fileprivate var parts: UInt32 {
    UInt32(clamping: Int(1_000_000 * Double(chatter.total) / Double(max(strokes, 1))))
  }
}

extension Day {
  /// The day's month, as the number of months since the first one of the year 0.
  fileprivate var month: Int {
    let fields = rawValue.split(separator: "-").compactMap { Int($0) }
    return fields[0] * 12 + fields[1] - 1
  }
}

import Debounce
import Terminal
import Status

/// Where the key that is selected is shown closely.
struct KeyPanel {
  var row: Int
  var column: Int
  var width: Int
  var height: Int

  /// So that each class of a histogram is two columns wide.
  static let leastWidth = labelWidth + 2 * IntervalHistogram.classCount
  static let labelWidth = 8
}

extension TopScreen {
  /// A line of the panel, and how soon it is left out where there is no room: the highest first.
  private struct Line {
    var rank: Int
    var spans: [StyledText]
  }

  mutating func draw(_ panel: KeyPanel) {
    guard panel.height > 0, panel.width >= 10, let key = model.key else { return }
    // The two histograms, the threshold and the scale.
    let least = panel.height >= 6 ? 4 : 0
    var lines = lines(about: key)
    while lines.count > panel.height - least,
      let worst = lines.indices.max(by: { lines[$0].rank < lines[$1].rank })
    { lines.remove(at: worst) }
    var drawn = lines.map(\.spans)
    if least > 0 {
      let height = min(6, max(1, (panel.height - lines.count - 2) / 2))
      drawn += histograms(of: key, height: height, width: panel.width)
    }
    for (index, spans) in drawn.prefix(panel.height).enumerated() {
      frame.grid.put(spans, row: panel.row + index, column: panel.column, width: panel.width)
    }
  }

  private func lines(about key: KeyStatus) -> [Line] {
    let health = KeyHealth(of: key)
    let name = key.key.isEmpty ? "code \(key.code)" : key.name(model.labels)
    let chatter = key.counts.chatter
    let strategy = strategy(of: key)
    let words = health == .neverPressed ? health.meaning : "\(health.meaning) chatter".trimmed
    var lines = [
      Line(
        rank: 0, spans: [StyledText(name, .bold), StyledText("  \(words)", styles: key.styles)]),
      Line(
        rank: 2,
        spans: entry(
          "strategy",
          strategy.name.printable + (strategy.threshold.map { " \($0.inMilliseconds)" } ?? "")
            + (strategy.isOwn ? ", its own" : ""))),
      Line(rank: 3, spans: entry("strokes", "\(key.strokes.grouped) passed on")),
    ]
    let rate = perThousand(chatter, of: UInt64(key.strokes)).map { ", \($0) of 1000" } ?? ""
    lines.append(
      Line(rank: 1, spans: entry("removed", chatter > 0 ? chatter.grouped + rate : "none")))
    if let lately = model.removedLately(of: key.code) {
      lines.append(
        Line(
          rank: 4,
          spans: entry(
            "", "today \(lately.today.grouped), in seven days \(lately.week.grouped)")))
    }
    let classes = Chatter.allCases.filter { key.counts[$0] > 0 }
      .map { "\($0.letter) \(key.counts[$0].grouped)" }
    if !classes.isEmpty {
      lines.append(Line(rank: 5, spans: entry("", classes.joined(separator: "  "))))
    }
    if let days = key.badFor {
      lines.append(Line(rank: 6, spans: entry("bad", "for \(days.counted("press")) more")))
    }
    return lines
  }

  private func entry(_ label: String, _ text: String) -> [StyledText] {
    [StyledText(label.padded(to: KeyPanel.labelWidth + 1), .faint), StyledText(text)]
  }

  /// How the key is debounced.
  private func strategy(
    of key: KeyStatus
  ) -> (name: String, threshold: Microseconds?, isOwn: Bool) {
    guard let device = model.device else { return ("", nil, false) }
    guard let own = device.keyStrategies.first(where: { $0.code == key.code }) else {
      return (device.strategy, device.threshold, false)
    }
    return (own.strategy, own.threshold, true)
  }

  // MARK: Gaps

  /// The gaps of what was removed and of what was passed on, the threshold between, and a scale.
  private func histograms(of key: KeyStatus, height: Int, width: Int) -> [[StyledText]] {
    let step = max(1, min(4, (width - KeyPanel.labelWidth) / IntervalHistogram.classCount))
    return bars("removed", key.removedGaps.values, [.red], height: height, step: step)
      + [threshold(of: key, step: step)]
      + bars("passed", key.gaps.values, [.green], height: height, step: step)
      + [scale(step: step)]
  }

  /// A mark at the threshold; empty if the strategy does not judge by gaps.
  private func threshold(of key: KeyStatus, step: Int) -> [StyledText] {
    let strategy = strategy(of: key)
    guard let threshold = strategy.threshold, threshold > 0,
      StrategyKind(rawValue: strategy.name)?.packaged.judgesByGaps == true
    else { return [] }
    let column = Self.column(of: threshold, step: step)
    let mark = sheet.isUnicode ? "▲" : "^"
    let text = "threshold \(threshold.inMilliseconds)"
    // Where there is no room at the right, the number stands at the left.
    let isLeft = column + 2 + text.count > step * IntervalHistogram.classCount
    let words = isLeft ? "\(text) \(mark)" : "\(mark) \(text)"
    let blanks = KeyPanel.labelWidth + column - (isLeft ? text.count + 1 : 0)
    return [StyledText(String(repeating: " ", count: max(0, blanks)) + words, .bold)]
  }

  /// Where a gap is on the scale.
  private static func column(of gap: Microseconds, step: Int) -> Int {
    let bounds = [0] + IntervalHistogram.bounds
    guard let index = bounds.lastIndex(where: { $0 <= gap }), index + 1 < bounds.count else {
      return step * IntervalHistogram.classCount - 1
    }
    let (low, high) = (bounds[index], bounds[index + 1])
    return step * index + Int(Microseconds(step) * (gap - low) / (high - low))
  }

  private func bars(
    _ label: String, _ counts: [UInt32], _ styles: [Style], height: Int, step: Int
  ) -> [[StyledText]] {
    // Most gaps are longer than all the classes that matter: the last is cut off.
    let highest = Double(counts.dropLast().max() ?? 0)
    guard counts.contains(where: { $0 > 0 }) else {
      return [[StyledText(label.padded(to: KeyPanel.labelWidth) + "none", .faint)]]
    }
    let levels = counts.map { count -> Int in
      guard count > 0 else { return 0 }
      guard highest > 0 else { return 8 * height }
      return min(8 * height, max(1, Int((Double(count) / highest * Double(8 * height)).rounded())))
    }
    return (0..<height).reversed().map { row in
      let text = levels.map { String(repeating: block($0 - 8 * row), count: step) }.joined()
      let label = row == 0 ? label : ""
      return [
        StyledText(label.padded(to: KeyPanel.labelWidth), .faint), StyledText(text, styles: styles),
      ]
    }
  }

  private func scale(step: Int) -> [StyledText] {
    var text = ""
    for (index, low) in ([0] + IntervalHistogram.bounds).enumerated() {
      guard text.isEmpty || text.count < step * index else { continue }
      text = text.padded(to: step * index) + String(low / 1000)
    }
    return [StyledText("ms".padded(to: KeyPanel.labelWidth), .faint), StyledText(text, .faint)]
  }

  /// A character that is filled up to this many eighths.
  private func block(_ eighths: Int) -> Character {
    guard eighths > 0 else { return " " }
    guard sheet.isUnicode else { return eighths >= 4 ? "#" : "." }
    return Array("▁▂▃▄▅▆▇█")[min(eighths, 8) - 1]
  }
}

import TerminalText

/// A drawing of a key's gaps in text: those of faults and of fingers, the person's band and the threshold.
///
/// ```
///   faults       ▃█▅▁
///   fingers                             ▁▃▆█▇▄▂
///   your band                           ├────┤
///   threshold                ▲ 25 ms
///   ms       1  2  3  4  5  6  8  10 12 15 19 24 30 37 46 58 72 90 113
/// ```
struct HistogramDrawing {
  private let diagnosis: Diagnosis

  init(of diagnosis: Diagnosis) {
    self.diagnosis = diagnosis
  }

  /// The height of a histogram, in rows.
  private static let height = 3
  /// The width of the labels at the left, in columns.
  private static let margin = 13

  func lines(on sheet: Sheet) -> [String] {
    let step = max(1, min(3, (sheet.columns - Self.margin) / GapScale.classes))
    let scale = GapScale(columns: step * GapScale.classes)
    var lines = rows(
      "faults", diagnosis.faultGapHistogram, [.red], scale, on: sheet)
    lines += rows("fingers", diagnosis.fingerGapHistogram, [.green], scale, on: sheet)
    lines.append(line("your band", band(on: scale, sheet), [.green], on: sheet))
    if let threshold = diagnosis.proposal?.setting.threshold {
      let mark = sheet.isUnicode ? "▲" : "^"
      let column = scale.column(of: threshold)
      let text = "\(threshold.short) ms"
      // Where there is no room at the right, the number stands at the left.
      let isLeft = column + 2 + text.count > scale.columns
      let words = isLeft ? "\(text) \(mark)" : "\(mark) \(text)"
      let blanks = isLeft ? column - text.count - 1 : column
      lines.append(
        line("threshold", String(repeating: " ", count: max(0, blanks)) + words, [.bold], on: sheet)
      )
    }
    lines.append(line("ms", axis(step: step), [.faint], on: sheet))
    return lines
  }

  private func line(_ word: String, _ text: String, _ styles: [Style], on sheet: Sheet) -> String {
    sheet.line([
      .blank(2), StyledText(word.padded(to: Self.margin - 2), .faint),
      StyledText(text, styles: styles),
    ])
  }

  private func rows(
    _ word: String, _ histogram: FineHistogram, _ styles: [Style], _ scale: GapScale,
    on sheet: Sheet
  ) -> [String] {
    let counts = scale.counts(of: histogram)
    guard let highest = counts.max(), highest > 0 else {
      return [line(word, "none", [.faint], on: sheet)]
    }
    let step = scale.columns / GapScale.classes
    let levels = counts.map { count in
      count == 0 ? 0 : max(1, Int((count / highest * Double(8 * Self.height)).rounded()))
    }
    return (0..<Self.height).reversed().compactMap { row in
      let characters = levels.map { level in
        String(repeating: sheet.block(level - 8 * row), count: step)
      }
      let text = characters.joined()
      guard row == 0 || text.contains(where: { $0 != " " }) else { return nil }
      return line(row == 0 ? word : "", text, styles, on: sheet)
    }
  }

  private func band(on scale: GapScale, _ sheet: Sheet) -> String {
    let first = scale.column(of: diagnosis.humanBand.lowerBound)
    let last = max(first + 1, scale.column(of: diagnosis.humanBand.upperBound))
    let line = String(repeating: sheet.isUnicode ? "─" : "-", count: max(0, last - first - 1))
    return String(repeating: " ", count: first)
      + (sheet.isUnicode ? "├\(line)┤" : "|\(line)|")
  }

  private func axis(step: Int) -> String {
    var text = ""
    for (index, low) in GapScale.bounds.dropLast().enumerated() {
      guard text.isEmpty || text.count < step * index else { continue }
      text += String(repeating: " ", count: step * index - text.count) + String(low)
    }
    return text
  }
}

/// A logarithmic scale for gaps: classes of whole milliseconds, each about a quarter longer than the one before.
struct GapScale {
  /// Where the classes begin, and where the last one ends.
  static let bounds = [
    0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 19, 24, 30, 37, 46, 58, 72, 90, 113, 141, 176, 200,
  ]
  static let classes = bounds.count - 1

  /// Its width in columns.
  var columns: Int

  /// The number of gaps in each class.
  func counts(of histogram: FineHistogram) -> [Double] {
    zip(Self.bounds, Self.bounds.dropFirst()).map { low, high in
      Double(histogram.count(below: high) - histogram.count(below: low))
    }
  }

  /// The position of a gap, 0…1.
  func position(of gap: Double) -> Double {
    guard let index = Self.bounds.lastIndex(where: { Double($0) <= gap }) else { return 0 }
    guard index < Self.classes else { return 1 }
    let (low, high) = (Double(Self.bounds[index]), Double(Self.bounds[index + 1]))
    return (Double(index) + (gap - low) / (high - low)) / Double(Self.classes)
  }

  func column(of gap: Double) -> Int {
    min(columns - 1, max(0, Int(position(of: gap) * Double(columns))))
  }
}

extension Sheet {
  /// A character that is filled up to this many eighths.
  fileprivate func block(_ eighths: Int) -> Character {
    guard eighths > 0 else { return " " }
    guard isUnicode else { return eighths >= 4 ? "#" : "." }
    return Array("▁▂▃▄▅▆▇█")[min(eighths, 8) - 1]
  }
}

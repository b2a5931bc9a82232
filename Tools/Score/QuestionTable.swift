import Foundation

/// The questions as an aligned table.
struct QuestionTable {
  private let contenders: [Contender]
  private let questions: [Question]

  init(_ questions: [Question], of contenders: [Contender]) {
    self.questions = questions
    self.contenders = contenders
  }

  var text: String {
    let titles =
      ["", ""] + contenders.map { "\($0.family) \($0.parameters)" } + ["of", "95 %"]
    let rows = questions.map(cells)
    let widths = titles.indices.map { column in
      ([titles] + rows).map { $0[column].count }.max() ?? 0
    }
    let lines = ([titles] + rows).map { row in
      zip(row, widths).enumerated().map { column, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return column < 2 ? cell.0 + space : space + cell.0
      }
      .joined(separator: "  ")
    }
    let rule = String(repeating: "-", count: lines[0].count)
    return ([lines[0], rule] + lines.dropFirst() + [""] + Self.legend).joined(separator: "\n")
  }

  private func cells(_ question: Question) -> [String] {
    let own = contenders.firstIndex(where: \.isDefault) ?? contenders.count - 1
    var scope = ["", ""]
    var unit = "ms"
    if case .share(let proportion, let whole) = question.figures[own] {
      let interval = proportion.interval
      scope = [
        "\(proportion.whole)",
        number(interval.lowerBound * Double(whole)) + "–"
          + number(interval.upperBound * Double(whole)),
      ]
      unit = whole == 100 ? "%" : "/\(whole)"
    }
    return [question.input, "\(question.measure) \(unit)"]
      + question.figures.map { number($0.value) } + scope
  }

  private func number(_ value: Double) -> String {
    String(format: value < 10 ? "%.3f" : "%.1f", value)
  }

  private static let legend = [
    "fast taps: one or two keys, 8 to 16 a second each, held for 25 to 50 ms. machine typing: holds and",
    "gaps of 1 to 30 ms each, ± 2 ms, polled every 1 or 8 ms, 2 to 40 strokes, some doubled or tripled,",
    "with and without Shift and Enter. spoiled: a press lost, doubled or out of order. crossed strokes: a",
    "key pressed again within 50 ms, and another one, or the release of Shift, within 30 ms of that.",
    "misplaced: presses emitted after later ones, or with another modifier. rapid trigger: gaps of 5 to",
    "40 ms after long holds. of, 95 %: presses or bursts of the default, and its interval (Wilson), as if",
    "all of them were independent of each other.",
  ]
}

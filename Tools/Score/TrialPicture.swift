import Foundation

/// The trials as a table, to stand under the other pictures. It shows where the default is beaten.
struct TrialPicture {
  private let results: [TrialResult]
  private let top: Double

  /// - Parameter top: Where it begins, in units of the picture.
  init(_ results: [TrialResult], top: Double) {
    self.results = results
    self.top = top
  }

  private static let left = 330.0
  private static let right = 904.0
  private static let row = 18.0

  private var rowsTop: Double { top + 96 }
  var height: Double { results.isEmpty ? 0 : 130 + Double(rows.count) * Self.row }

  /// The results at both polls stand in one row.
  private var rows: [[TrialResult]] {
    var rows: [[TrialResult]] = []
    for result in results {
      if rows.last?.first?.name == result.name {
        rows[rows.count - 1].append(result)
      } else {
        rows.append([result])
      }
    }
    return rows
  }

  var svg: String {
    guard !results.isEmpty else { return "" }
    let titles = Trial.titles.enumerated().map { number, title in
      text(title, x: x(number, 0.5), y: rowsTop - 24, anchor: "middle", classes: "name")
        + [1, 8].enumerated().map { poll, milliseconds in
          text(
            "\(milliseconds) ms", x: x(number, Double(poll)), y: rowsTop - 8, anchor: "middle",
            classes: "note")
        }.joined()
    }
    return
      ([
        text("What wears far, and games", x: 76, y: top + 22, classes: "title"),
        text(
          "faults that came through, % · genuine presses lost, of 1000; polled every 1 ms and every 8 ms; "
            + "framed: another one, in green, beats the default",
          x: 76, y: top + 44, classes: "note"),
      ] + titles + rows.enumerated().map(line)).joined(separator: "\n")
  }

  private func line(_ index: Int, _ row: [TrialResult]) -> String {
    let y = rowsTop + (Double(index) + 0.7) * Self.row
    let cells = row.enumerated().flatMap { poll, result in
      result.figures.enumerated().map { number, figure in
        let x = x(number, Double(poll))
        let isBeaten = number == 0 && !result.beating.isEmpty
        let frame =
          #"<rect class="beaten" x="\#(Self.number(x - 27))" y="\#(Self.number(y - 12))" width="54" height="15" rx="3"/>"#
        return (isBeaten ? frame : "")
          + text(
            TrialTable.cell(figure), x: x, y: y, anchor: "middle",
            classes: result.beating.contains(number) ? "cell better" : "cell")
      }
    }
    return text(row[0].name, x: Self.left - 36, y: y, anchor: "end", classes: "cell")
      + cells.joined()
  }

  /// The middle of a contender's column for a poll.
  private func x(_ contender: Int, _ poll: Double) -> Double {
    let width = (Self.right - Self.left) / Double(Trial.titles.count * 2)
    return Self.left + (Double(contender) * 2 + poll) * width
  }

  private func text(
    _ text: String, x: Double, y: Double, anchor: String = "start", classes: String
  ) -> String {
    #"<text class="\#(classes)" x="\#(Self.number(x))" y="\#(Self.number(y))" text-anchor="\#(anchor)">\#(text)</text>"#
  }

  private static func number(_ number: Double) -> String { String(format: "%.1f", number) }
}

import Calibration
import Foundation
import TypingModel

/// The outcomes as aligned tables, with what their columns mean.
struct Report {
  var guided: [(Case, Outcome)]
  var passive: [(Case, Outcome)]
  var counted: [(Case, Outcome)]
  /// How many presses of a key were counted.
  var enoughCounted: Int

  var text: String {
    let healthy = guided.filter { $0.0.wear.faultyKeys == 0 }
    let worn = guided.filter { $0.0.wear.faultyKeys > 0 }
    return [
      "Guided, worn switches: one key a keyboard, which the person names. Percent of keys (95 %).",
      "",
      Self.table(
        [
          "", "keys", "called bad", "kind", "healthy,", "healthy,", "too", "rate's", "strokes",
          "scan finds",
        ],
        [
          "", "", "", "right", "in bound", "wrongly", "few", "interval", "needed",
          "(20 strokes)",
        ], worn.map(Self.verdictCells)),
      "",
      "What the proposals do in ordinary use, by the engine. Costs per 1000 presses above the best setting's.",
      "",
      Self.table(
        [
          "", "proposed", "missed %", "(best)", "foretold", "lost", "(best)", "foretold", "excess",
          "",
          "default", "Otsu", "mixture",
        ],
        [
          "", "%", "", "", "right %", "/1000", "/1000", "right %", "cost", "±", "adaptive 25", "",
          "",
        ],
        worn.map(Self.proposalCells)),
      "",
      "Costs: 10 a genuine press lost, 1 a fault that comes through, 0.02 and 0.2 a millisecond that releases and",
      "presses are late. best: of 25 settings, chosen by the same use. Otsu, mixture: their threshold with adaptive.",
      "foretold right: the proposal's 95 % interval meets the trial's. Where nothing is proposed, the default holds.",
      "",
      "Guided, healthy switches: all keys of the keyboard.",
      "",
      Self.table(
        [
          "", "keys", "called bad", "/1000 (95 %)", "healthy", "too few", "bursty",
          "looked at", "Otsu", "mixture",
        ], ["", "", "", "", "%", "%", "boards %", "closely %", "calls %", "calls %"],
        healthy.map(Self.healthyCells)),
      "",
      "Passive, all keys with 20 strokes or more.",
      "",
      Self.table(
        ["", "keys", "called bad %", "(95 %)", "strokes", "Otsu", "mixture"],
        ["", "", "", "", "needed", "calls %", "calls %"],
        passive.map(Self.passiveCells)),
      "",
      "From the service's counts, of keys with \(enoughCounted) presses (--from-stats).",
      "",
      Self.table(["", "keys", "called bad", "% (95 %)", ""], [], counted.map(Self.countedCells)),
      "",
    ].joined(separator: "\n")
  }

  private static func verdictCells(_ row: (Case, Outcome)) -> [String] {
    let (kind, outcome) = row
    return [
      kind.name, "\(outcome.calledBad.whole)", range(outcome.calledBad),
      range(outcome.rightKind), percent(outcome.healthyWithinBound),
      range(outcome.healthyWrongly), percent(outcome.tooFew), range(outcome.covered),
      number(outcome.strokes.value, 0), range(outcome.foundByScan),
    ]
  }

  private static func proposalCells(_ row: (Case, Outcome)) -> [String] {
    let (kind, outcome) = row
    return [
      kind.name, percent(outcome.proposed), number(outcome.missed.share * 100, 2),
      number(outcome.bestMissed.share * 100, 2),
      percent(outcome.missedAsForetold),
      number(outcome.lost.share * 1000, 2), number(outcome.bestLost.share * 1000, 2),
      percent(outcome.lostAsForetold),
      number(outcome.excess.value, 2), number(outcome.excess.margin, 2),
      number(outcome.excessOfDefault.value, 2),
    ] + outcome.excessOfBaseline.map { number($0.value, 2) }
  }

  private static func healthyCells(_ row: (Case, Outcome)) -> [String] {
    let (kind, outcome) = row
    let interval = outcome.calledBad.interval
    return [
      kind.name, "\(outcome.calledBad.whole)", "\(outcome.calledBad.part)",
      "\(number(interval.lowerBound * 1000, 2))–\(number(interval.upperBound * 1000, 2))",
      percent(outcome.healthyWithinBound), percent(outcome.tooFew),
      percent(outcome.burstyKeyboards),
      number(outcome.suspectedWrongly.share * 100, 2),
    ] + outcome.baselineCalledBad.map { percent($0) }
  }

  private static func passiveCells(_ row: (Case, Outcome)) -> [String] {
    let (kind, outcome) = row
    let interval = outcome.calledBad.interval
    return [
      kind.name, "\(outcome.calledBad.whole)", number(outcome.calledBad.share * 100, 2),
      "\(number(interval.lowerBound * 100, 2))–\(number(interval.upperBound * 100, 2))",
      outcome.strokes.isEmpty ? "" : number(outcome.strokes.value, 0),
    ] + outcome.baselineCalledBad.map { percent($0) }
  }

  private static func countedCells(_ row: (Case, Outcome)) -> [String] {
    let (kind, outcome) = row
    let interval = outcome.calledBad.interval
    return [
      kind.name, "\(outcome.calledBad.whole)", "\(outcome.calledBad.part)",
      number(outcome.calledBad.share * 100, 2),
      "\(number(interval.lowerBound * 100, 2))–\(number(interval.upperBound * 100, 2))",
    ]
  }

  /// The share in percent with its interval.
  private static func range(_ proportion: Proportion) -> String {
    guard proportion.whole > 0 else { return "" }
    let interval = proportion.interval
    return "\(number(proportion.share * 100, 0)) (\(number(interval.lowerBound * 100, 0))–"
      + "\(number(interval.upperBound * 100, 0)))"
  }

  private static func percent(_ proportion: Proportion) -> String {
    proportion.whole == 0 ? "" : number(proportion.share * 100, 1)
  }

  private static func number(_ value: Double, _ digits: Int) -> String {
    value.isFinite ? String(format: "%.\(digits)f", value) : ""
  }

  private static func table(_ titles: [String], _ more: [String], _ rows: [[String]]) -> String {
    let head = more.isEmpty ? [titles] : [titles, more]
    let widths = titles.indices.map { column in
      (head + rows).map { $0[column].count }.max() ?? 0
    }
    let lines = (head + rows).map { row in
      zip(row, widths).enumerated().map { column, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + space : space + cell.0
      }
      .joined(separator: "  ")
    }
    let rule = String(repeating: "-", count: lines.map(\.count).max() ?? 0)
    return (lines.prefix(head.count) + [rule] + lines.dropFirst(head.count)).joined(separator: "\n")
  }
}

import Debounce
import Foundation

/// The results as an aligned table, with what its columns mean.
struct Table {
  private let results: [Result]
  private let experiment: Experiment

  init(_ results: [Result], of experiment: Experiment) {
    self.results = results
    self.experiment = experiment
  }

  var text: String {
    let front = results.front
    let rows = zip(results, front).map { cells($0, isOnFront: $1) }
    let widths = Self.titles.indices.map { column in
      ([Self.groups, Self.titles] + rows).map { $0[column].count }.max() ?? 0
    }
    var lines = ([Self.groups, Self.titles] + rows).map { row in
      zip(row, widths).enumerated().map { column, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + space : space + cell.0
      }
      .joined(separator: "  ")
    }
    let rule = String(repeating: "-", count: lines[0].count)
    lines.insert(rule, at: 2)
    let text = [preface, lines, legend].map { $0.joined(separator: "\n") }
    return text.joined(separator: "\n\n")
  }

  private static let groups = [
    "", "lost", "/1000", "", "", "missed", "%", "", "", "", "holds", "press", "ms", "", "",
    "release", "ms", "", "", "in-", "Shift", "wrong", "",
  ]
  private static let titles = [
    "", "clean", "worn", "±", "", "all", "±", "A", "B", "C", "lost %", "mean", "p99", "p99.9",
    "max", "mean", "p99", "p99.9", "max", "versions", "wrong", "rests", "",
  ]

  private func cells(_ result: Result, isOnFront: Bool) -> [String] {
    let worn = result.worn
    let missed = worn.allMissed
    let name = "\(result.contender.family) \(result.contender.parameters)"
    var cells = [
      result.contender.isDefault ? name + " (default)" : name,
      number(result.clean.lost.share * 1000, 3),
      number(worn.lost.share * 1000, 3), number(margin(worn.lost) * 1000, 3), "",
      number(missed.share * 100, 2), number(margin(missed) * 100, 2),
    ]
    cells += Chatter.allCases.map { number(worn.missed($0).share * 100, 1) }
    cells.append(number(worn.holdsLost.share * 100, 2))
    cells += self.cells(worn.pressLatency)
    cells += self.cells(worn.releaseLatency)
    let errors = [
      result.clean.inversions + worn.inversions,
      result.clean.modifierErrors + worn.modifierErrors,
      result.clean.wrongRests + worn.wrongRests,
    ]
    cells += errors.map(String.init)
    cells.append(isOnFront ? "*" : "")
    return cells
  }

  private func cells(_ latency: Latency) -> [String] {
    [
      number(latency.mean, 3), number(latency.quantile(0.99), 1),
      number(latency.quantile(0.999), 1), number(latency.maximum, 0),
    ]
  }

  /// Half the width of the 95 % interval.
  private func margin(_ proportion: Proportion) -> Double {
    (proportion.interval.upperBound - proportion.interval.lowerBound) / 2
  }

  private func number(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
  }

  private var preface: [String] {
    let presses = results.first?.worn.lost.whole ?? 0
    let faults = results.first?.worn.allMissed.whole ?? 0
    return [
      "\(presses) presses of \(experiment.people) people, typed once on clean keyboards and once on "
        + "worn ones with \(faults) faults."
    ]
  }

  private var legend: [String] {
    [
      "lost: genuine presses that were not emitted, of healthy and faulty keys.",
      "missed: faults that made an extra press; A press bounces, B release bounces, C drop-outs.",
      "holds lost: faults after which the key was up although the finger held it.",
      "press, release: how late edges of healthy keys were emitted.",
      "inversions: presses emitted after later ones. Shift wrong: presses emitted with Shift in",
      "another state than the fingers had it. wrong rests: silences in which a key was not where its",
      "finger had left it. ±: 95 % interval (Wilson). *: on the Pareto front of lost, missed, holds",
      "lost and both mean latencies.",
    ]
  }
}

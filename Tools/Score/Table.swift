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
    var lines = aligned([Self.groups, Self.titles] + results.map { cells($0) }, left: 1)
    let rule = String(repeating: "-", count: lines[0].count)
    lines.insert(rule, at: 2)
    let text = [preface, lines, legend].map { $0.joined(separator: "\n") }
    return text.joined(separator: "\n\n")
  }

  private static let groups = [
    "", "lost", "/1000", "", "", "missed", "%", "", "", "", "holds", "press", "ms", "", "",
    "release", "ms", "", "", "in-", "Shift", "wrong",
  ]
  private static let titles = [
    "", "clean", "worn", "±", "", "all", "±", "A", "B", "C", "lost %", "mean", "p99", "p99.9",
    "max", "mean", "p99", "p99.9", "max", "versions", "wrong", "rests",
  ]

  private func cells(_ result: Result) -> [String] {
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
    return cells + errors.map(String.init)
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
      "finger had left it. ±: 95 % interval (Wilson).",
    ]
  }
}

// MARK: - What gnuplot draws

/// The tables from which gnuplot draws the picture; picture.gnuplot says what stands in them. Columns are parted by tabs.
struct PlotTables {
  var results: [Result]
  var questions: [Question]
  var trials: [TrialResult]

  /// Writes each to a file of its own in an existing folder.
  func write(to folder: String) throws {
    for (name, text) in [("curves", curves), ("questions", answers), ("trials", tried)] {
      try text.write(toFile: "\(folder)/\(name).tsv", atomically: true, encoding: .utf8)
    }
  }

  /// Genuine presses lost against chatter missed: a block for each family, with a point for each of its parameters.
  var curves: String {
    // What lets everything through is off the scale, and `throttle` is about something else.
    let shown = results.filter { !["none", "throttle"].contains($0.contender.family) }
    var families: [String] = []
    for result in shown where families.last != result.contender.family {
      families.append(result.contender.family)
    }
    return families.map { family in
      "\(family)\n"
        + shown.filter { $0.contender.family == family }.map { result in
          Self.row([
            "\(result.worn.lost.share * 1000)", "\(result.worn.allMissed.share * 100)",
            result.contender.parameters, result.worn.releaseLatency.mean > 2 ? "1" : "0",
            result.contender.isDefault ? "1" : "0",
          ])
        }.joined()
    }
    .joined(separator: "\n\n")
  }

  /// What each rule that speaks for its family answers to each question, in percent or milliseconds. The default is the last, so
  /// that it is drawn above the others.
  var answers: String {
    let contenders = results.map(\.contender).filter(\.isTypical)
    let order =
      contenders.indices.filter { !contenders[$0].isDefault }
      + contenders.indices.filter { contenders[$0].isDefault }
    return Self.row(
      ["question"] + order.map { "\(contenders[$0].family) \(contenders[$0].parameters)" })
      + questions.map { question in
        Self.row(
          ["\(question.input): \(question.measure), \(question.unit)"]
            + order.map { "\(question.figures[$0].inUnits)" })
      }.joined()
  }

  /// The trials, both polls in a row: for each rule and poll its cell, and whether it beats the default.
  var tried: String {
    var rows: [[TrialResult]] = []
    for result in trials {
      if rows.last?.first?.name == result.name {
        rows[rows.count - 1].append(result)
      } else {
        rows.append([result])
      }
    }
    let titles = Trial.titles.flatMap { title in
      (rows.first ?? []).flatMap { ["\(title) \($0.poll / 1000)", "beats"] }
    }
    return Self.row(["trial"] + titles)
      + rows.map { row in
        Self.row(
          [row[0].name]
            + Trial.titles.indices.flatMap { number in
              row.flatMap { result in
                [
                  TrialTable.cell(result.figures[number]),
                  result.beating.contains(number) ? "1" : "0",
                ]
              }
            })
      }.joined()
  }

  private static func row(_ cells: [String]) -> String {
    cells.joined(separator: "\t") + "\n"
  }
}

// MARK: - What tables share

/// Rows in columns: so many on the left of their columns, the others on the right.
func aligned(_ rows: [[String]], left: Int) -> [String] {
  let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
  return rows.map { row in
    zip(row, widths).enumerated().map { column, cell in
      let space = String(repeating: " ", count: cell.1 - cell.0.count)
      return column < left ? cell.0 + space : space + cell.0
    }
    .joined(separator: "  ")
  }
}

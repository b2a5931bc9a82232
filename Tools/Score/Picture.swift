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
    var lines = aligned([Self.groups, Self.titles] + rows, left: 1)
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

/// The results as a picture: genuine presses lost against chatter missed, both the less the better.
///
/// Each family is a curve through its parameters. A filled point means that healthy keys hardly wait, a
/// ring that every release does; a dashed curve means that holds are lost. Made to be read on light and
/// on dark pages alike. Under it, what else is asked of the typical ones.
struct Picture {
  private let experiment: Experiment
  private let curves: [Curve]
  private let questions: QuestionPicture
  private let trials: TrialPicture

  private struct Curve {
    let family: String
    let points: [Point]
    let losesHolds: Bool
  }

  private struct Point {
    let x: Double
    let y: Double
    let label: String
    let waits: Bool
    let isDefault: Bool
  }

  init(
    _ results: [Result], _ questions: [Question], _ trials: [TrialResult], of experiment: Experiment
  ) {
    self.experiment = experiment
    var families: [String] = []
    // What lets everything through is off the scale, and `throttle` is about something else.
    for result in results where !["none", "throttle"].contains(result.contender.family) {
      if !families.contains(result.contender.family) { families.append(result.contender.family) }
    }
    curves = families.map { family in
      let members = results.filter { $0.contender.family == family }
      return Curve(
        family: family,
        points: members.map { result in
          let label = result.contender.parameters.split(separator: " ").last.map(String.init) ?? ""
          return Point(
            x: Self.x(result.worn.lost.share * 1000), y: Self.y(result.worn.allMissed.share * 100),
            label: label, waits: result.worn.releaseLatency.mean > 2,
            isDefault: result.contender.isDefault)
        },
        losesHolds: members.contains { $0.worn.holdsLost.share > 0.2 })
    }
    self.questions = QuestionPicture(
      questions, of: results.map(\.contender).filter(\.isTypical),
      colours: Dictionary(uniqueKeysWithValues: zip(families, families.indices)), top: Self.height)
    self.trials = TrialPicture(trials, top: Self.height + self.questions.height)
  }

  // MARK: - Axes

  private static let width = 920.0
  /// That of the upper part.
  private static let height = 600.0
  /// Where the axes end.
  private static let plot = (left: 76.0, top: 84.0, right: 896.0, bottom: 500.0)

  private static let lostScale = (low: 0.02, high: 6.0)
  private static let missedScale = (low: 0.5, high: 100.0)

  /// What is to be reached: genuine presses lost per 1000, and chatter missed in percent.
  private static let aim = (lost: 0.1, missed: 2.0)

  private static func x(_ lost: Double) -> Double {
    plot.left + logarithmic(lost, on: lostScale) * (plot.right - plot.left)
  }

  private static func y(_ missed: Double) -> Double {
    plot.bottom - logarithmic(missed, on: missedScale) * (plot.bottom - plot.top)
  }

  // MARK: - Drawing

  var svg: String {
    var labels = Labels()
    for curve in curves {
      for point in curve.points { labels.reserve(x: point.x, y: point.y, radius: 6) }
    }
    let names = curves.enumerated().map { name(of: $1, colour: $0, &labels) }
    let lines = curves.enumerated().map { line(of: $1, colour: $0) }
    let numbers = curves.enumerated().map { self.numbers(of: $1, colour: $0, &labels) }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(Self.height + questions.height + trials.height))" \
      role="img" aria-label="Genuine presses lost against chatter missed, by strategy">
      \(Self.style)
      <rect class="page" width="100%" height="100%" rx="8"/>
      <text class="title" x="\(Int(Self.plot.left))" y="30">What each strategy costs and cures</text>
      \(notes)
      \(axes)
      \(lines.joined(separator: "\n"))
      \(numbers.joined(separator: "\n"))
      \(names.joined(separator: "\n"))
      \(legend)
      \(questions.svg)
      \(trials.svg)
      </svg>

      """
  }

  /// What is shown, and why the default lies where it does.
  private var notes: String {
    let presses = experiment.people * experiment.presses / 1000
    let lines = [
      "\(presses) 000 presses of \(experiment.people) modelled people. Lower and further left is better. "
        + "Numbers at the points are milliseconds.",
      "Why the default is 25: with a smaller number, more chatter comes through; with a larger one, more real "
        + "presses are lost.",
    ]
    return lines.enumerated().map { index, line in
      #"<text class="note" x="\#(Int(Self.plot.left))" y="\#(49 + 18 * index)">\#(line)</text>"#
    }
    .joined(separator: "\n")
  }

  private static let style: String = {
    let light = ["#0969da", "#6e7781", "#8250df", "#9a6700", "#bf8700", "#1a7f37", "#bc4c00"]
    let dark = ["#58a6ff", "#8b949e", "#bc8cff", "#d29922", "#e3b341", "#3fb950", "#f0883e"]
    // In the order of the families: the strategies of others are grey.
    let order = [1, 1, 3, 6, 5, 4, 2, 0]
    func rules(_ colours: [String]) -> String {
      order.enumerated().map { index, colour in
        ".c\(index){stroke:\(colours[colour]);fill:\(colours[colour])}"
      }
      .joined()
    }
    return """
      <style>
      text{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#1f2328}
      .title{font-size:17px;font-weight:600}.note,.tick{fill:#59636e}.number{font-size:10.5px}
      .name{font-size:13px;font-weight:600}.cell{font-size:10.5px}.page{fill:#ffffff}.grid{stroke:#d1d9e0;stroke-width:1}
      .frame{stroke:#818b98;fill:none}.aim{fill:#1a7f37;fill-opacity:.1;stroke:#1a7f37;stroke-opacity:.5}
      .curve,.point,.mark{stroke-width:2}.beaten{fill:none;stroke:#bc4c00}.better{fill:#1a7f37;font-weight:600}
      .key{fill:#1f2328;stroke:#1f2328}
      \(rules(light))
      .curve,.mark{fill:none}.ring{fill:#ffffff}
      text.number,text.name{stroke:#ffffff;stroke-width:3px;paint-order:stroke}
      @media(prefers-color-scheme:dark){
      text{fill:#f0f6fc}.note,.tick{fill:#9198a1}.page,.ring{fill:#0d1117}.grid{stroke:#2f353d}
      .beaten{stroke:#f0883e}.better{fill:#3fb950}.aim{fill:#3fb950;fill-opacity:.12;stroke:#3fb950}.key{fill:#f0f6fc;stroke:#f0f6fc}
      \(rules(dark))
      .curve,.mark{fill:none}.ring{fill:#0d1117}
      text.number,text.name{stroke:#0d1117}
      }
      </style>
      """
  }()

  private var axes: String {
    let plot = Self.plot
    var parts: [String] = []
    for lost in [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5] {
      let x = Self.x(lost).tenths
      parts.append(
        #"<path class="grid" d="M\#(x) \#(plot.top)V\#(plot.bottom)"/>"#
          + #"<text class="tick" x="\#(x)" y="\#(plot.bottom + 18)" text-anchor="middle">"#
          + (lost == Self.lostScale.low ? "≤ " : "") + "\(Self.short(lost))</text>")
    }
    for missed in [0.5, 1, 2, 5, 10, 20, 50, 100] {
      let y = Self.y(missed)
      parts.append(
        #"<path class="grid" d="M\#(plot.left) \#(y.tenths)H\#(plot.right)"/>"#
          + #"<text class="tick" x="\#(plot.left - 8)" y="\#((y + 4).tenths)" "#
          + #"text-anchor="end">\#(Self.short(missed)) %</text>"#)
    }
    let (x, y) = (Self.x(Self.aim.lost), Self.y(Self.aim.missed))
    parts.append(
      #"<rect class="aim" x="\#(plot.left)" y="\#(y.tenths)" "#
        + #"width="\#((x - plot.left).tenths)" height="\#((plot.bottom - y).tenths)"/>"#)
    parts.append(#"<text class="note" x="\#(plot.left + 8)" y="\#(plot.bottom - 9)">aim</text>"#)
    let middle = ((plot.left + plot.right) / 2).tenths
    parts.append(
      #"<text x="\#(middle)" y="\#(plot.bottom + 40)" text-anchor="middle">"#
        + "genuine presses lost, of 1000</text>")
    let centre = ((plot.top + plot.bottom) / 2).tenths
    parts.append(
      #"<text transform="translate(20 \#(centre)) rotate(-90)" text-anchor="middle">"#
        + "chatter missed</text>")
    return parts.joined(separator: "\n")
  }

  private func line(of curve: Curve, colour: Int) -> String {
    var parts: [String] = []
    let path = curve.points.map { "\($0.x.tenths) \($0.y.tenths)" }.joined(separator: "L")
    let dashes = curve.losesHolds ? #" stroke-dasharray="5 5""# : ""
    parts.append(#"<path class="c\#(colour) curve"\#(dashes) d="M\#(path)"/>"#)
    for point in curve.points {
      let kind = point.waits ? "point ring" : "point"
      let (x, y) = (point.x.tenths, point.y.tenths)
      parts.append(#"<circle class="c\#(colour) \#(kind)" cx="\#(x)" cy="\#(y)" r="4"/>"#)
      if point.isDefault {
        parts.append(#"<circle class="c\#(colour) mark" cx="\#(x)" cy="\#(y)" r="8"/>"#)
      }
    }
    return parts.joined(separator: "\n")
  }

  private func numbers(of curve: Curve, colour: Int, _ labels: inout Labels) -> String {
    var parts: [String] = []
    for point in curve.points {
      guard let place = labels.place(point.label, x: point.x, y: point.y, height: 11, letter: 6.2)
      else { continue }
      parts.append(Self.label(point.label, at: place, classes: "c\(colour) number"))
    }
    return parts.joined(separator: "\n")
  }

  /// The family's name, at whichever of its points there is room.
  private func name(of curve: Curve, colour: Int, _ labels: inout Labels) -> String {
    for point in curve.points.suffix(1) + curve.points {
      guard
        let place = labels.place(curve.family, x: point.x, y: point.y, height: 14, letter: 7.4)
      else { continue }
      return Self.label(curve.family, at: place, classes: "c\(colour) name")
    }
    return ""
  }

  private static func label(
    _ label: String, at place: (x: Double, y: Double), classes: String
  ) -> String {
    #"<text class="\#(classes)" x="\#(place.x.tenths)" y="\#(place.y.tenths)">\#(label)</text>"#
  }

  private var legend: String {
    let y = Self.plot.bottom + 74
    func entry(_ x: Double, _ mark: String, _ label: String) -> String {
      #"<g transform="translate(\#(x) \#(y))">\#(mark)<text x="18" y="4">\#(label)</text></g>"#
    }
    return [
      entry(Self.plot.left + 6, #"<circle class="key point" r="4"/>"#, "healthy keys hardly wait"),
      entry(
        Self.plot.left + 200, #"<circle class="key point ring" r="4"/>"#, "every release waits"),
      entry(
        Self.plot.left + 368,
        #"<path class="key curve" stroke-dasharray="5 5" d="M-12 0H12"/>"#,
        "holds are lost"),
      entry(
        Self.plot.left + 500,
        #"<circle class="key point" r="4"/><circle class="key mark" r="8"/>"#, "the default"),
    ]
    .joined(separator: "\n")
  }

  private static func short(_ number: Double) -> String {
    String(format: "%g", number)
  }

  /// What has a place already, so that labels lie on nothing else.
  private struct Labels {
    private var taken: [(left: Double, top: Double, right: Double, bottom: Double)] = []

    mutating func reserve(x: Double, y: Double, radius: Double) {
      taken.append((x - radius, y - radius, x + radius, y + radius))
    }

    /// A place for a label beside a point: where its text begins, on the base line.
    mutating func place(
      _ label: String, x: Double, y: Double, height: Double, letter: Double
    ) -> (x: Double, y: Double)? {
      let width = Double(label.count) * letter
      let half = height / 2
      let corners: [(x: Double, y: Double)] = [
        (x + 9, y - height - 3), (x + 9, y - half), (x + 9, y + 3), (x - width - 9, y - half),
        (x - width - 6, y - height - 3), (x - width - 6, y + 3), (x - width / 2, y - height - 9),
        (x - width / 2, y + 9),
      ]
      for corner in corners {
        let box = (corner.x, corner.y, corner.x + width, corner.y + height)
        guard corner.x > Picture.plot.left + 2, box.2 < Picture.plot.right,
          corner.y > Picture.plot.top, box.3 < Picture.plot.bottom - 2
        else { continue }
        let overlaps = taken.contains {
          $0.left < box.2 && $0.right > box.0 && $0.top < box.3 && $0.bottom > box.1
        }
        if overlaps { continue }
        taken.append(box)
        return (corner.x, corner.y + height * 0.8)
      }
      return nil
    }
  }
}

// MARK: - What tables and pictures share

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

/// Where on a logarithmic scale a value lies, from 0 to 1. What is off it lies on its end.
func logarithmic(_ value: Double, on scale: (low: Double, high: Double)) -> Double {
  let value = min(max(value, scale.low), scale.high)
  return log(value / scale.low) / log(scale.high / scale.low)
}

extension Double {
  /// As a place in a picture.
  var tenths: String { String(format: "%.1f", self) }
}

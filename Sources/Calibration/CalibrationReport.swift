import Configuration
import Debounce
import EventDevices
import Status
import Terminal

public struct CalibrationText {
  private let result: CalibrationResult
  private let sheet: Sheet

  public init(of result: CalibrationResult, on sheet: Sheet) {
    self.result = result
    self.sheet = sheet
  }

  public var text: String {
    var parts = [heading]
    if !rows.isEmpty { parts.append(table) }
    if !others.isEmpty { parts.append(others) }
    parts += result.worn.map(block)
    parts += result.keys.filter { !$0.isWorn && $0.line != nil }.map(block)
    return parts.map { part in part.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  private var heading: [String] {
    let name = result.device.name.printable
    var lines = sheet.wrapped([
      StyledText(name.isEmpty ? "(no name)" : name, .bold), StyledText(": "),
      StyledText(
        result.headline, result.keys.isEmpty ? .yellow : result.worn.isEmpty ? .green : .red),
    ])
    lines += sheet.entry(
      "measured",
      """
      \(result.strokes.counted("stroke")) of \(result.keys.count.counted("key")), from \
      \(result.method.inWords)
      """)
    if result.method != .counts {
      lines += sheet.entry(
        "in force", "the strategy \(result.strategy.name): what comes through now, it lets through")
    }
    return lines
  }

  // MARK: - Keys

  /// The keys that the table shows: all but those that are simply healthy, or of which nothing is known.
  private var rows: [KeyFinding] {
    result.keys.filter { $0.isWorn || $0.rate.faults > 0 || $0.verdict == .twice }
  }

  private var table: [String] {
    func column(
      _ title: String, _ alignment: TableColumn.Alignment = .right,
      cell: (KeyFinding) -> StyledText
    ) -> TableColumn {
      TableColumn(title, alignment: alignment, cells: rows.map(cell))
    }
    var columns = [
      column("KEY", .left) { StyledText($0.title) },
      column("VERDICT", .left) { StyledText($0.verdict.title, styles: $0.verdict.styles) },
      column("STROKES") { StyledText($0.strokes.grouped) },
      column("FAULTY", .left) { StyledText($0.rateInWords) },
    ]
    if result.method != .counts {
      columns.append(column("THROUGH NOW") { StyledText($0.comesThrough.inWords) })
    }
    columns.append(column("LINE", .left) { StyledText($0.lineInTable) })
    // A narrow table leaves out what the blocks below have as well.
    if !sheet.isPlain {
      while columns.width > sheet.columns, columns.count > 2 { columns.remove(at: 2) }
    }
    return sheet.table(columns)
  }

  /// Healthy keys, keys with too few strokes, and what machines drive, in a line each.
  private var others: [String] {
    func list(_ words: String, _ styles: [Style], _ names: [String]) -> [String] {
      names.isEmpty
        ? []
        : sheet.wrapped([
          StyledText(words, styles: styles), StyledText(names.joined(separator: ", ")),
        ])
    }
    let shown = Set(rows.map(\.key))
    let rest = result.keys.filter { !shown.contains($0.key) }
    var healthy: [(name: String, bound: Double)] = []
    var unknown: [(name: String, strokes: Int)] = []
    for finding in rest {
      switch finding.verdict {
      case .healthy(let bound): healthy.append((finding.title, bound))
      case .undecided(let strokes): unknown.append((finding.title, strokes))
      default: break
      }
    }
    return list(
      "Healthy (fewer than so many of 1000 strokes are faulty): ", [.green],
      healthy.sorted { $0.bound < $1.bound }.map {
        "\($0.name)\(Sheet.noBreak)\(($0.bound * 1000).short)"
      })
      + list(
        "Undecided (so many more strokes would tell): ", [.yellow],
        unknown.sorted { ($0.strokes, $0.name) < ($1.strokes, $1.name) }.map {
          "\($0.name)\(Sheet.noBreak)\($0.strokes)"
        })
      + list(
        "A machine drives these, and nothing is set for them: ", [.faint],
        rest.filter { $0.verdict == .driven }.map(\.title))
  }

  private func block(_ finding: KeyFinding) -> [String] {
    var lines = [
      sheet.line([
        StyledText(finding.title, .bold), StyledText(" "),
        StyledText(finding.verdict.title, styles: finding.verdict.styles),
      ])
    ]
    for (word, text) in finding.entries(settings: result.settings) {
      lines += sheet.entry(word, text)
    }
    return lines
  }
}

extension KeyFinding {
  /// The line that is to be written, or what else is said there.
  var lineInTable: String {
    switch advice {
    case .nothing: isWorn ? "none needed" : ""
    case .undecided: "undecided"
    case .own: "yours"
    case .name(let text): text
    case .line(let line): line.candidate.text ?? "delete it"
    }
  }

  /// What reports say of the key, by subject.
  func entries(settings: String) -> [(subject: String, text: String)] {
    var entries = [
      ("faults", "\(faultsInWords) in \(strokes.counted("stroke"))"), ("rate", verdictInWords),
    ]
    if let gaps = Percentiles.of(faultGaps) {
      entries.append(
        (
          "gaps",
          "\(gaps[0].short) to \(gaps[4].short) ms within faults, half below \(gaps[2].short) ms"
        ))
    }
    if let gaps = Percentiles.of(fingerGaps) {
      entries.append(
        ("", "\(gaps[0].short) ms and more between your strokes, half below \(gaps[2].short) ms"))
    }
    entries.append(("setting", adviceInWords(settings: settings)))
    return entries
  }
}

extension KeyFinding.Verdict {
  var title: String {
    switch self {
    case .healthy: "healthy"
    case .worn: "worn"
    case .undecided, .twice: "undecided"
    case .driven: "a machine"
    }
  }

  var code: String {
    switch self {
    case .twice: "comes-twice"
    case .driven: "machine"
    default: title
    }
  }

  var styles: [Style] {
    switch self {
    case .healthy: [.green]
    case .worn: [.red]
    case .twice: [.yellow]
    case .undecided, .driven: [.faint]
    }
  }
}

extension KeyFinding {
  var name: String { KeyNames.name(of: key) }

  /// The key for a person: its name, and what stands on it if that is something else, as in KEY_Y (Z).
  var title: String { KeyNames.title(of: key, label) }

  /// The faults by kind: 9 press bounces (A), 1 drop-out (C).
  var faultsInWords: String {
    let words = Chatter.inWords(showingLetters: true) { faults[$0] ?? 0 }
    return words.isEmpty ? "none" : words.joined(separator: ", ")
  }

  /// How many of 1000 strokes are faulty, and between what that is: 75 (39–130) of 1000.
  var rateInWords: String {
    guard rate.faults > 0 else { return "below \((rate.upperBound * 1000).short) of 1000" }
    let (low, high) = (rate.interval.lowerBound * 1000, rate.interval.upperBound * 1000)
    return "\((rate.share * 1000).short) (\((low...high).short)) of 1000"
  }

  var verdictInWords: String {
    switch verdict {
    case .healthy(let bound):
      "Healthy: fewer than \((bound * 1000).short) of 1000 strokes are faulty. That is 95 % sure."
    case .worn:
      "\(rateInWords) strokes are faulty\(isAsked ? "" : ", or more: in typing only what no finger does counts")."
    case .undecided(let strokes):
      "Undecided: \(strokes.counted("more stroke")) would tell."
    case .twice:
      """
      Undecided: nearly every stroke comes twice, and typing does not show whose doing that is. A guided measurement of \
      this key does: it asks for single taps.
      """
    case .driven:
      "A machine drives it (a knob, a scanner, a macro): each of its strokes is meant, and nothing is set for it."
    }
  }

  /// - Parameter settings: The settings in force, as in “the default”.
  func adviceInWords(settings: String) -> String {
    var sentences = [setting(settings)]
    if isBeyondSettings {
      sentences.append("Clean or replace the switch: no setting makes up for it.")
    }
    return sentences.joined(separator: " ")
  }

  private func setting(_ settings: String) -> String {
    let start = settings.prefix(1).uppercased() + settings.dropFirst()
    switch advice {
    case .name(let text):
      return """
        Its counts show that it is worn, and “\(name) = \(text)” tells keydebounce so. What that does and costs, a \
        measurement shows: “sudo keydebounce calibrate --key \(name)”.
        """
    case .own:
      return
        "Your own file sets this key, and stays. With it \(comesThrough.inWords) faults come through."
    case .undecided(let strokes):
      return """
        \(start) lets \(comesThrough.inWords) faults of \(title) through. Another setting looks better, and that is not \
        certain yet: about \(strokes.counted("more stroke")) would tell. Record some hours of ordinary work (“keydebounce \
        record”), and have calibrate judge it (--from).
        """
    case .nothing where comesThrough.strokes == 0:
      return "Nothing to set."
    case .nothing where comesThrough.faults == 0 && taken.faults == 0:
      return """
        \(start) removes all \(comesThrough.strokes.counted("fault")) of \(title) and takes none of your presses: nothing to \
        set.
        """
    case .nothing:
      let taken = taken.faults == 0 ? "none" : taken.inWords
      return """
        \(start) lets \(comesThrough.inWords) faults of \(title) through and takes \(taken) of your presses. No other \
        setting is better.
        """
    case .line(let line):
      return line.inWords(for: name)
    }
  }
}

extension KeyLine {
  private var sureness: String { confidence > 0.99 ? "more than 99 %" : confidence.percent }

  func inWords(for name: String) -> String {
    let now = "Now \(before.inWords) faults come through."
    guard let text = candidate.text else {
      return """
        \(now) Without the line that calibrate wrote earlier \(after.inWords) would, and no more of your presses are \
        taken: the line is to be deleted. That is \(sureness) sure.
        """
    }
    var costs: [String] = []
    if pressDelay >= 0.05 { costs.append("Presses come \(pressDelay.short) ms later on average.") }
    if releaseDelay >= 0.05 {
      costs.append("Releases come \(releaseDelay.short) ms later on average.")
    }
    costs.append(
      takenDoubles.strokes == 0
        ? "You made no doubles that would show what it takes."
        : takenDoubles.faults == 0
          ? "You lose none of your \(takenDoubles.strokes.counted("double"))."
          : "You lose \(takenDoubles.inWords) doubles.")
    return """
      \(now) With “\(name) = \(text)” \(after.inWords) would (\(after.interval.percent)). \(costs.joined(separator: " ")) \
      That it is better is \(sureness) sure\(isPooled ? ", by all worn keys together" : "").
      """
  }
}

extension FaultRate {
  var inWords: String { "\(faults.grouped) of \(strokes.grouped)" }
}

/// Where parts of sorted numbers end.
enum Percentiles {
  /// Those of 1, 5, 50, 95 and 99 %, of sorted numbers; `nil` if there are none.
  static func of(_ sorted: [Double]) -> [Double]? {
    guard let last = sorted.last else { return nil }
    return [0.01, 0.05, 0.5, 0.95, 0.99].map { share in
      let place = Int((share * Double(sorted.count)).rounded(.up)) - 1
      return place < sorted.count ? sorted[max(0, place)] : last
    }
  }
}

extension CalibrationResult {
  /// The finding about the whole device, in a line.
  var headline: String {
    keys.isEmpty
      ? "no key was pressed"
      : worn.isEmpty
        ? "no worn key found"
        : worn.count == 1 ? "one key is worn" : "\(worn.count) keys are worn"
  }
}

extension CalibrationResult.Method {
  /// How it was measured, for the person and for the file.
  var inWords: String {
    switch self {
    case .guided: "a guided calibration (typing, single taps, long holds, doubles)"
    case .passive: "listening to ordinary work"
    case .recording(let file): "the recording \(file.printable)"
    case .counts: "what the service has counted"
    }
  }

  var code: String {
    switch self {
    case .guided: "guided"
    case .passive: "passive"
    case .recording: "recording"
    case .counts: "counts"
    }
  }
}

extension KeyNames {
  /// A key for a person: its name, and what stands on it if that is something else.
  static func title(of key: KeyCode, _ label: String?) -> String {
    name(of: key) + (label.map { " (\($0.printable))" } ?? "")
  }
}

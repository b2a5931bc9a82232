import Configuration
import Debounce
import Reports
import Terminal

public struct CalibrationText {
  private let result: CalibrationResult
  private let sheet: Sheet

  public init(of result: CalibrationResult, on sheet: Sheet) {
    (self.result, self.sheet) = (result, sheet)
  }

  public var text: String {
    let explained = result.keys.filter { $0.isWorn || $0.line != nil || $0.verdict == .twice }
    let parts = [heading, table, others] + explained.map(block)
    return parts.filter { !$0.isEmpty }.map { part in part.map { $0 + "\n" }.joined() }
      .joined(separator: "\n")
  }

  private var heading: [String] {
    let style: Style =
      !result.worn.isEmpty ? .red : result.keys.isEmpty || result.undecided > 0 ? .yellow : .green
    let reason = result.inForce.remedy.map {
      ", as keydebounce leaves this device alone (\($0))"
    }
    let isShown =
      !rows.isEmpty
      && (sheet.isPlain || columns.fitting(sheet.columns).contains { $0.title == Self.through })
    let column = isShown ? "; \(Self.through) tells how many faults come through it" : ""
    let title = [
      StyledText(result.device.identity.title, .bold), StyledText(": "),
      StyledText(result.headline, style),
    ]
    return sheet.wrapped(title)
      + sheet.entry("measured", "\(result.extent), from \(result.method.shown.words)")
      + sheet.entry("in force", "the strategy \(result.strategy.name)\(reason ?? "")\(column)")
  }

  /// The keys that the table shows. Healthy ones, and those of which nothing is known, are listed below it.
  private var rows: [KeyFinding] {
    result.keys.filter {
      $0.verdict != .driven && ($0.isWorn || $0.rate.faults > 0 || $0.verdict == .twice)
    }
  }

  private static let through = "THROUGH NOW"

  private var columns: [TableColumn] {
    let rows = rows
    // The blocks below repeat the columns of high ranks, which therefore go first where there is no room.
    return [
      rows.column("KEY", .left) { StyledText($0.title) },
      rows.column("VERDICT", .left) { StyledText($0.verdict.shown.title, $0.verdict.shown.style) },
      rows.column("STROKES", rank: 3) { StyledText($0.strokes.grouped) },
      rows.column("FAULTY", .left, rank: 1) { StyledText($0.rateInWords) },
      rows.column(Self.through) { StyledText($0.comesThrough.inWords) },
      rows.column("LINE", .left, rank: 2) { StyledText($0.lineInTable) },
    ]
  }

  private var table: [String] { rows.isEmpty ? [] : sheet.table(columns) }

  /// Healthy keys, keys with too few strokes, and what machines drive, in a line each.
  private var others: [String] {
    // The order of a key, its title, and a number behind that.
    typealias Keys = [(Double, String, String)]
    func list(_ words: String, _ style: Style, _ keys: Keys) -> [String] {
      guard !keys.isEmpty else { return [] }
      let names = keys.sorted { $0 < $1 }.map { $0.1 + $0.2 }
      return sheet.wrapped([StyledText(words, style), StyledText(names.joined(separator: ", "))])
    }
    let shown = Set(rows.map(\.key))
    var (healthy, undecided, driven): (Keys, Keys, Keys) = ([], [], [])
    for finding in result.keys {
      switch finding.verdict {
      case .healthy(let bound) where !shown.contains(finding.key):
        healthy.append((bound, finding.title, ""))
      case .undecided(let strokes):
        undecided.append((Double(strokes), finding.title, "\(Sheet.noBreak)\(strokes.grouped)"))
      case .driven: driven.append((Double(finding.key), finding.title, ""))
      case .healthy, .worn, .twice: break
      }
    }
    let most = ((healthy.map(\.0).max() ?? 0) * 1000).short
    return list("Healthy, fewer than \(most) faulty strokes in 1000: ", .green, healthy)
      + list("Undecided; strokes still needed: ", .yellow, undecided)
      + list("A machine drives these, and nothing is set for them: ", .faint, driven)
  }

  private func block(_ finding: KeyFinding) -> [String] {
    func entry(_ subject: String, _ text: String) -> [String] {
      // Numbers stay with their units.
      sheet.entry(subject, text.replacing(" ms", with: "\u{a0}ms").replacing(" %", with: "\u{a0}%"))
    }
    let (verdict, _, style) = finding.verdict.shown
    var lines = [
      sheet.line([StyledText(finding.title, .bold), StyledText(" "), StyledText(verdict, style)])
    ]
    let kinds = Chatter.inWords(showingLetters: true) { finding.faults[$0] ?? 0 }
    let faults = kinds.isEmpty ? "none" : kinds.joined(separator: ", ")
    lines += entry("faults", "\(faults) in \(finding.strokes.counted("stroke"))")
    lines += entry("rate", finding.verdictInWords)
    if let gaps = finding.faultGaps.percentiles {
      let range = (gaps[0]...gaps[4]).short
      lines += entry(
        "gaps", "mostly \(range) ms within faults, half of them up to \(gaps[2].short) ms")
    }
    if let gaps = finding.fingerGaps.percentiles {
      lines += entry(
        finding.faultGaps.isEmpty ? "gaps" : "",
        "mostly \(gaps[0].short) ms or more between your strokes, half of them up to \(gaps[2].short) ms"
      )
    }
    let setting = result.setting(of: finding.key)
    return lines + entry("setting", finding.adviceInWords(settings: setting, by: result.method))
  }
}

// MARK: - In words

extension CalibrationResult {
  /// The finding about the whole device, in a line.
  var headline: String {
    switch worn.count {
    case 0 where keys.isEmpty: "no stroke could be judged"
    case 0 where undecided > 0:
      "no worn key found; \(undecided) of \(keys.count.counted("key")) undecided"
    case 0: "no worn key found"
    case 1: "one key is worn"
    default: "\(worn.count) keys are worn"
    }
  }

  fileprivate var undecided: Int { keys.count { $0.verdict.shown.title == "undecided" } }

  /// How much was measured.
  package var extent: String { "\(strokes.counted("stroke")) of \(keys.count.counted("key"))" }
}

extension KeyFinding.Verdict {
  /// How a verdict is shown: its words, its name in JSON, and its colour on a terminal.
  package var shown: (title: String, code: String, style: Style) {
    switch self {
    case .healthy: ("healthy", "healthy", .green)
    case .worn: ("worn", "worn", .red)
    case .undecided: ("undecided", "undecided", .faint)
    case .twice: ("undecided", "comes-twice", .yellow)
    case .driven: ("a machine", "machine", .faint)
    }
  }
}

extension KeyFinding {
  package var name: String { KeyNames.name(of: key) }

  /// The key for a person: its name, and what stands on it if that is something else, as in KEY_Y (Z).
  var title: String { KeyNames.title(of: key, label) }

  /// The cell of the column LINE: the line to write, or why there is none.
  var lineInTable: String {
    switch advice {
    case .nothing where comesThrough.faults > 0: isWorn ? "none helps" : ""
    case .nothing: isWorn ? "none needed" : ""
    case .undecided: "undecided"
    case .own: "yours"
    case .line(let line): line.candidate.text ?? "delete it"
    }
  }

  /// How many of 1000 strokes are faulty, with the bounds of that: 75 (39–130) of 1000.
  package var rateInWords: String {
    guard rate.faults > 0 else {
      return "below \((highestRate.upperBound * 1000).short) of 1000"
    }
    let (low, high) = (rateInterval.lowerBound * 1000, rateInterval.upperBound * 1000)
    return "\((rate.share * 1000).short) (\((low...high).short)) of 1000"
  }

  fileprivate var verdictInWords: String {
    switch verdict {
    case .healthy(let bound):
      "Fewer than \((bound * 1000).short) of 1000 strokes are faulty. That is 95 % sure."
    case .worn where isAsked: "Of taps and holds that were asked for, \(rateInWords) are faulty."
    case .worn:
      "\(rate.inWords) strokes were faulty (at least \(rateInterval.lowerBound.percent)). Faults that a finger could have "
        + "made are not counted."
    case .undecided(let strokes):
      "\(strokes.counted("more stroke")) would tell."
    case .twice:
      """
      Nearly every stroke comes twice, and typing does not show whose doing that is. A guided measurement of \
      this key does: “sudo keydebounce calibrate --key \(name)” asks for single taps.
      """
    case .driven:
      "A machine drives it (a knob, a scanner, a macro): each of its strokes is meant, and nothing is set for it."
    }
  }

  /// - Parameter settings: What a sentence calls the settings in force, such as “the default”.
  func adviceInWords(
    settings: String, by method: CalibrationResult.Method = .guided
  ) -> String {
    let settings = settings.capitalised
    let advice =
      switch self.advice {
      case .own:
        "Your own file sets this key, and stays. With it \(comesThrough.inWords) faults come through."
          + (comesThrough.faults == 0
            ? ""
            : " To have a better line looked for, delete it there, reload, and calibrate again.")
      case .undecided(let more):
        """
        \(settings) lets \(comesThrough.inWords) faults of \(title) through. Another setting looks better, and that is not \
        certain yet: about \(more.counted("more stroke")) would tell.
        """
          // The measurement is not kept, so that the person has to repeat it.
          + (method == .guided && strokes + more <= GuidedSession.Effort().allMoreTaps
            ? " “sudo keydebounce calibrate --key \(name)” asks for so many taps at its end: do not skip them."
            : """
             Record ordinary work until it has \((strokes + more).grouped) strokes of \(name) (“keydebounce record”), and have \
            calibrate judge that (--from).
            """)
      case .nothing where comesThrough.strokes == 0:
        "Nothing to set."
      case .nothing where comesThrough.faults == 0 && lostPresses.faults == 0:
        """
        \(settings) removes all \(comesThrough.strokes.counted("fault")) of \(title) and takes none of your presses: \
        nothing to set.
        """
      case .nothing:
        """
        \(settings) lets \(comesThrough.inWords) faults of \(title) through and takes \
        \(lostPresses.faults == 0 ? "none" : lostPresses.inWords) of your presses. No other setting is better.
        """
      case .line(let line): line.inWords(for: name)
      }
    return isBeyondSettings
      ? "\(advice) Clean or replace the switch: no setting makes up for it." : advice
  }
}

extension KeyLine {
  /// The faults that come through now and with the line, what the line costs, and how sure that is.
  fileprivate func inWords(for name: String) -> String {
    let sureness = confidence > 0.99 ? "more than 99 %" : confidence.percent
    let now =
      "Now \(before.inWords) faults\(isPooled ? " of all worn keys together" : "") come through."
    guard let text = candidate.text else {
      return """
        \(now) Without the line that calibrate wrote earlier \(after.inWords) would, and no more of your presses are \
        taken: the line is to be deleted. That is \(sureness) sure.
        """
    }
    let delays = [("Presses", pressDelay), ("Releases", releaseDelay)].filter { $0.1 >= 0.05 }
      .map { "\($0.0) come \($0.1.short) ms later on average." }
    let cost = delays.isEmpty ? "Nothing comes later." : delays.joined(separator: " ")
    let doubles =
      lostDoubles.strokes == 0
      ? "You made no doubles that would show what it takes."
      : lostDoubles.faults == 0
        ? "You lose none of your \(lostDoubles.strokes.counted("double"))."
        : "You lose \(lostDoubles.inWords) doubles."
    return """
      \(now) With “\(name) = \(text)” \(after.inWords) would (\(after.interval.percent)). \(cost) \(doubles) \
      That it is better is \(sureness) sure.
      """
  }
}

extension FaultRate {
  package var inWords: String { "\(faults.grouped) of \(strokes.grouped)" }
}

extension [Double] {
  /// The percentiles 1, 5, 50, 95 and 99 of sorted numbers; `nil` if there are none.
  var percentiles: [Double]? {
    isEmpty
      ? nil
      : [0.01, 0.05, 0.5, 0.95, 0.99].map { self[Int(($0 * Double(count)).rounded(.up)) - 1] }
  }
}

extension KeyNames {
  /// A key for a person: its name, and what stands on it if that is something else.
  static func title(of key: KeyCode, _ label: String?) -> String {
    name(of: key) + (label.map { " (\($0.printable))" } ?? "")
  }
}

extension String {
  package var capitalised: String { prefix(1).uppercased() + dropFirst() }
}

import Configuration
import Debounce
import EventDevices
import Terminal

/// The result of a calibration as text.
public struct CalibrationText {
  private let result: CalibrationResult
  private let sheet: Sheet

  public init(of result: CalibrationResult, on sheet: Sheet) {
    self.result = result
    self.sheet = sheet
  }

  /// The text, with a newline after each line.
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
        "in force", "the strategy \(result.strategy.name), by which faults are said to come through"
      )
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
      "Healthy, with faults in fewer of 1000 strokes than: ", [.green],
      healthy.sorted { $0.bound < $1.bound }.map {
        "\($0.name)\(Sheet.noBreak)\(($0.bound * 1000).short)"
      })
      + list(
        "Undecided; so many more strokes would tell: ", [.yellow],
        unknown.sorted { ($0.strokes, $0.name) < ($1.strokes, $1.name) }.map {
          "\($0.name)\(Sheet.noBreak)\($0.strokes)"
        })
      + list(
        "Driven by a machine, and left alone: ", [.faint],
        rest.filter { $0.verdict == .driven }.map(\.title))
  }

  /// Everything that was found out about one key.
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
    if let gaps = Percentiles.inWords(faultGaps) {
      entries.append(("gaps", "within faults, at 1, 5, 50, 95 and 99 %: \(gaps)"))
    }
    if let gaps = Percentiles.inWords(fingerGaps) {
      entries.append(("", "between your strokes that follow within a second: \(gaps)"))
    }
    entries.append(("setting", adviceInWords(settings: settings)))
    return entries
  }
}

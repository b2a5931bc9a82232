import Configuration
import Devices
import Status
import TerminalText

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
    if !rows.isEmpty { parts.append(CalibrationTable(of: rows).lines(on: sheet)) }
    if !others.isEmpty { parts.append(others) }
    if let more { parts.append(more) }
    parts += result.faulty.map { CalibrationBlock(of: $0).lines(on: sheet) }
    return parts.map { part in part.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  /// The keys that the table shows.
  private var rows: [Diagnosis] {
    result.diagnoses.filter { diagnosis in
      switch diagnosis.finding {
      case .healthy, .tooFewData: diagnosis.faults.total > 0
      default: true
      }
    }
  }

  private var heading: [String] {
    let bad = result.faulty.count
    let name = result.device.name.printable
    var lines = sheet.wrapped([
      StyledText(name.isEmpty ? "(no name)" : name, .bold), StyledText(": "),
      result.diagnoses.isEmpty
        ? StyledText("no key was pressed", .yellow)
        : bad == 0
          ? StyledText("no bad key found", .green)
          : StyledText(bad == 1 ? "one key is bad" : "\(bad) keys are bad", .red),
    ])
    lines += entry(
      "measured",
      """
      \(result.strokes.counted("stroke")) of \(result.diagnoses.count.counted("key")), from \
      \(result.method.inWords)
      """)
    if let poll = result.poll {
      lines += entry("polled", "every \(poll) ms: gaps cannot be measured more finely")
    }
    if result.typesLikeAMachine {
      lines += entry(
        "machine",
        """
        \(DeviceStatus.machineInWords); that passes as it is, and its fast strokes may be counted as faults here
        """)
    }
    if result.isBursty {
      lines += entry(
        "receiver",
        "delivers several events at once; gaps and holds in free typing cannot be trusted")
    }
    return lines
  }

  private func entry(_ word: String, _ text: String) -> [String] {
    sheet.entry(word, text)
  }

  /// How much longer it takes to find what so little typing does not show.
  private var more: [String]? {
    guard let missing = result.minutesMissing, let first = missing.first else { return nil }
    let half = missing[(missing.count - 1) / 2].minutes
    var text = """
      A key of which 2 % of the strokes are faulty shows in about \(CalibrationResult.enoughStrokes) of them: in \
      \(first.minutes.counted("more minute")) of typing like this for \(first.name)
      """
    if missing.count > 1 { text += ", in \(half.counted("more minute")) for half of the keys" }
    text += ". “--passive” listens while you work, and “--from-stats” has it after some days."
    return sheet.wrapped([StyledText(text, .faint)])
  }

  /// Healthy keys, and keys with too few strokes, in a line each.
  private var others: [String] {
    var healthy: [(name: String, bound: Double)] = []
    var unknown: [(name: String, strokes: Int)] = []
    for diagnosis in result.diagnoses where diagnosis.faults.total == 0 {
      switch diagnosis.finding {
      case .healthy(let bound): healthy.append((diagnosis.title, bound))
      case .tooFewData: unknown.append((diagnosis.title, diagnosis.strokes))
      default: break
      }
    }
    func list(_ words: String, _ styles: [Style], _ names: [String]) -> [String] {
      names.isEmpty
        ? []
        : sheet.wrapped([
          StyledText(words, styles: styles), StyledText(names.joined(separator: ", ")),
        ])
    }
    return list(
      "Healthy, with faults in fewer strokes than: ", [.green],
      healthy.sorted { $0.bound < $1.bound }.map {
        "\($0.name)\(Sheet.noBreak)\($0.bound.noBreakPercent)"
      })
      + list(
        "Too few strokes: ", [.yellow],
        unknown.sorted { ($1.strokes, $0.name) < ($0.strokes, $1.name) }.map {
          "\($0.name)\(Sheet.noBreak)(\($0.strokes))"
        })
  }
}

extension Double {
  fileprivate var noBreakPercent: String { String(percent.map { $0 == " " ? Sheet.noBreak : $0 }) }
}

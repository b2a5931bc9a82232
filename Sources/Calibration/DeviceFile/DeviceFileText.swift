import Configuration
import Debounce
import Devices
import Status
import TerminalText

/// The device file that a calibration proposes: text for `calibrated.d`.
public struct DeviceFileText {
  /// What the first line of each of our files begins with.
  public static let signature = "# Written by keydebounce calibrate"

  /// The file.
  public let text: String
  /// Bad keys that a file of the person's own names: its settings hold.
  public let yoursStand: [KeyCode]
  /// Bad keys without a name, which no configuration can mention.
  public let nameless: [KeyCode]
  /// Whether any key is set.
  public let hasKeys: Bool

  /// - Parameters:
  ///   - present: The present file, if `calibrate` wrote it: lines of keys without a new diagnosis are kept.
  ///   - written: Keys that the person's own files set for this device.
  public init(_ result: CalibrationResult, present: String? = nil, written: Set<KeyCode> = []) {
    let faulty = result.faulty.filter { $0.proposal != nil }
    yoursStand = faulty.map(\.key).filter(written.contains)
    let rest = faulty.filter { !written.contains($0.key) }
    nameless = rest.map(\.key).filter { KeyNames.code(named: KeyNames.name(of: $0)) == nil }
    let nameless = nameless
    var lines = rest.filter { !nameless.contains($0.key) }.map { diagnosis in
      KeyLines(
        key: diagnosis.key, comments: Self.comments(on: diagnosis),
        line: "\(diagnosis.name) = \(diagnosis.proposal?.setting.text ?? "")")
    }
    let judged = Set(result.diagnoses.filter(\.isJudged).map(\.key))
    let kept = KeyLines.all(in: present ?? "").filter { !judged.contains($0.key) }
    lines += kept.filter { !written.contains($0.key) }
    lines.sort { $0.key < $1.key }
    hasKeys = !lines.isEmpty
    text =
      Self.header(result, keeps: !kept.isEmpty) + Self.device(result.device) + "\n[keys]\n"
      + lines.map(\.text).joined(separator: "\n")
  }

  private static func header(_ result: CalibrationResult, keeps: Bool) -> String {
    let text = """
      \(signature) \(Version.current) on \(result.day), from \(result.strokes.counted("stroke")) of \
      \(result.diagnoses.count.counted("key")): \(result.method.inFile).
      """
    let sureness = """
      Keys are set only where it is certain that the switch is bad: fewer than one in 1000 healthy ones would be \
      taken for it.\(keeps ? " Lines of keys that were not measured this time are from before." : "")
      """
    let manners = """
      What a file in devices.d says of a key takes precedence. Another calibration rewrites this file; to undo \
      it, delete the file and run “keydebounce reload”.
      """
    return [text, sureness, manners].map(commented).joined(separator: "#\n") + "\n"
  }

  /// The lines that say which device the file is about.
  ///
  /// - Parameter more: Lines besides those that every such file has.
  static func device(_ device: DeviceDescription, more: [String] = []) -> String {
    var lines = [
      "[device]", "name    = \(quoted(device.name))", "vendor  = 0x\(device.vendor.hexadecimal())",
      "product = 0x\(device.product.hexadecimal())",
    ]
    if let uniq = device.uniq, !uniq.isEmpty { lines.append("uniq    = \(quoted(uniq))") }
    if device.isVirtual { lines.append("virtual = true") }
    lines += more
    return lines.map { $0 + "\n" }.joined()
  }

  private static func comments(on diagnosis: Diagnosis) -> String {
    var text =
      "\(diagnosis.finding.title): \(diagnosis.faultsInWords) in \(diagnosis.strokes.counted("stroke"))"
    text += "; faulty \(diagnosis.rate.interval.percent) of strokes with 95 % confidence"
    if !diagnosis.isRateLabelled { text += ", at least" }
    if let proposal = diagnosis.proposal {
      text += """
        . Expected: \(proposal.missed.value.percent) of faults come through, \(proposal.lostPerThousand.value.short) of \
        1000 genuine presses are lost
        """
    }
    if diagnosis.finding == .overlap {
      text += ". No threshold parts its chatter from genuine doubles: clean or replace the switch"
    }
    return commented(text.prefix(1).uppercased() + text.dropFirst() + ".")
  }

  /// As lines of a comment.
  static func commented(_ text: String) -> String {
    let text = text.hasPrefix("# ") ? String(text.dropFirst(2)) : text
    return text.wrapped(to: 98).map { "# \($0)\n" }.joined()
  }

  /// As a basic string of TOML.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case _ where scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value):
        quoted += "\\u" + scalar.value.hexadecimal()
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension Diagnosis {
  /// Whether enough is known about the switch for a diagnosis.
  fileprivate var isJudged: Bool {
    switch finding {
    case .healthy, .chatters, .dropsOut, .overlap: true
    case .tooFewData, .receiverBursts: false
    }
  }
}

extension CalibrationResult.Method {
  /// Without private details, such as the path of a recording.
  fileprivate var inFile: String {
    if case .recording = self { "a recording" } else { inWords }
  }
}

/// The lines about one key in a file that `calibrate` wrote: comments and the setting.
private struct KeyLines {
  var key: KeyCode
  /// With a newline after each.
  var comments: String
  var line: String

  var text: String { comments + line + "\n" }

  /// Those of a whole file.
  static func all(in text: String) -> [KeyLines] {
    var lines: [KeyLines] = []
    var comments = ""
    var isInKeys = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("[") {
        isInKeys = line == "[keys]"
        comments = ""
      } else if line.hasPrefix("#") {
        comments += line + "\n"
      } else if isInKeys, let end = line.firstIndex(where: { $0 == " " || $0 == "=" }),
        let key = KeyNames.code(named: String(line[..<end]))
      {
        lines.append(KeyLines(key: key, comments: comments, line: String(line)))
        comments = ""
      } else {
        comments = ""
      }
    }
    return lines
  }
}

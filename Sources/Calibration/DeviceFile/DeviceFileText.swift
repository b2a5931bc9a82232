import Configuration
import Debounce
import EventDevices
import Status
import Terminal

/// The device file that a calibration proposes: text for `calibrated.d`.
public struct DeviceFileText {
  /// What the first line of each of our files begins with.
  public static let signature = "# Written by keydebounce calibrate"

  /// The file.
  public let text: String
  /// Worn keys that a file of the person's own names: its settings hold.
  public let yoursStand: [KeyCode]
  /// Keys with a line to write but without a name, which no configuration can mention.
  public let nameless: [KeyCode]
  /// Whether any key is set.
  public let hasKeys: Bool

  /// - Parameters:
  ///   - present: The present file, if `calibrate` wrote it: lines of keys are kept that nothing better was found for.
  ///   - written: Keys that the person's own files set for this device.
  public init(_ result: CalibrationResult, present: String? = nil, written: Set<KeyCode> = []) {
    yoursStand = result.worn.map(\.key).filter(written.contains)
    let changed = result.keys.filter { !written.contains($0.key) && $0.changesLine }
    nameless = changed.map(\.key).filter { KeyNames.code(named: KeyNames.name(of: $0)) == nil }
    let nameless = nameless
    var lines = changed.filter { !nameless.contains($0.key) }.compactMap { finding in
      finding.lineText.map {
        KeyLines(
          key: finding.key, comments: Self.comments(on: finding), line: "\(finding.name) = \($0)")
      }
    }
    let settled = Set(changed.map(\.key)).union(written)
    let before = KeyLines.all(in: present ?? "")
    let kept = before.filter { !settled.contains($0.key) }
    lines += kept
    lines.sort { $0.key < $1.key }
    hasKeys = !lines.isEmpty
    // Where no line changes, nothing does.
    text =
      present.flatMap { lines.map(\.line) == before.map(\.line) ? $0 : nil }
      ?? Self.header(result, keeps: !kept.isEmpty) + Self.device(result.device) + "\n[keys]\n"
      + lines.map(\.text).joined(separator: "\n")
  }

  private static func header(_ result: CalibrationResult, keeps: Bool) -> String {
    let text = """
      \(signature) \(Version.current) on \(result.day), from \(result.strokes.counted("stroke")) of \
      \(result.keys.count.counted("key")): \(result.method.inFile).
      """
    let sureness = """
      A key is set only where that is better than what was in force, with 95 % confidence.\
      \(keeps ? " Other lines are from before." : "")
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
    var lines = ["[device]"]
    // An empty name matches nothing.
    if !device.name.isEmpty { lines.append("name    = \(quoted(device.name))") }
    lines += [
      "vendor  = 0x\(device.vendor.hexadecimal())", "product = 0x\(device.product.hexadecimal())",
    ]
    if let uniq = device.uniq, !uniq.isEmpty { lines.append("uniq    = \(quoted(uniq))") }
    if device.isVirtual { lines.append("virtual = true") }
    lines += more
    return lines.map { $0 + "\n" }.joined()
  }

  private static func comments(on finding: KeyFinding) -> String {
    var text = "\(finding.verdict.title): \(finding.rateInWords) strokes are faulty"
    if !finding.isAsked { text += ", at least" }
    if let line = finding.line {
      text +=
        ". Of the faults \(line.before.inWords) came through before, with this \(line.after.inWords)"
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

extension KeyFinding {
  /// Whether the file is to say something else about the key than before.
  fileprivate var changesLine: Bool {
    switch advice {
    case .line, .name: true
    case .nothing, .own: false
    }
  }

  /// What the file is to say about it; `nil` for nothing.
  fileprivate var lineText: String? {
    switch advice {
    case .line(let line): line.candidate.text
    case .name(let text): text
    case .nothing, .own: nil
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
struct KeyLines {
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

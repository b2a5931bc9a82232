import Calibration
import Configuration
import Debounce
import EventDevices
import Status
import Terminal

/// The device file in `calibrated.d` that a calibration proposes.
public struct CalibratedFile {
  public let path: String
  /// The whole text; `nil` if there is nothing to set, and no file yet.
  public let text: String?
  public let plan: DeviceFilePlan
  /// Worn keys that a file of the person's own names: its settings hold.
  public let yoursStand: [KeyCode]
  /// Keys that would get a line and have no name. No configuration can mention them.
  public let nameless: [KeyCode]

  /// - Parameter places: Where the configuration is; the file is written into the last folder, which need not exist.
  /// - Throws: ``ConfigurationErrors`` if the present configuration is wrong; ``DeviceFileError``.
  public init(for result: CalibrationResult, in places: ConfigurationPlaces) throws {
    let settings = try LoadedSettings(readingFrom: places).settings
    let folder = places.calibrated
    // A second file about the device would hide what the first says of keys.
    let own = settings.calibrations.about(result.device).first?.file
    path = try DeviceFileChange.path(
      replacing: own, named: result.device.fileName, in: folder, beside: settings.calibrations)
    // The new file keeps the lines of one that it hides.
    let before = try DeviceFileChange.contents(of: own ?? path)
    if let before, !DeviceFilePurpose.calibrate.hasWritten(before) {
      throw DeviceFileError(
        """
        \((own ?? path).printable) was not written by calibrate, and is left as it is: move it to \(ConfigurationPlaces.devicesFolder), where files of your own \
        belong, and calibrate again
        """)
    }
    let inForce = try InForce(for: result.device, by: settings)
    let proposal = CalibratedText(
      result, present: before, written: Set(result.keys.map(\.key).filter(inForce.isOwn)))
    if proposal.hasKeys, result.device.name.isEmpty, result.device.vendor == 0,
      result.device.product == 0
    {
      throw DeviceFileError(
        """
        what was measured has no name and no numbers of a device, so that no file can say which one it is about; nothing was \
        written. Measure the device itself, or record it with “keydebounce record” and calibrate from that
        """)
    }
    (yoursStand, nameless) = (proposal.yoursStand, proposal.nameless)
    text = proposal.hasKeys || before != nil ? proposal.text : nil
    plan =
      text == nil
      ? .nothing(
        "there is nothing to set\(result.keys.isUndecided ? " yet" : ""); no file is written")
      : text == before
        ? .nothing("\((own ?? path).printable) already says this")
        : .change(
          DeviceFileChange(
            purpose: .calibrate, places: places, path: path,
            present: own ?? path == path ? before : nil, proposal: text,
            device: result.device, measured: proposal.measured))
  }

  /// Checks before a long measurement whether its result could be written.
  public static func checkAccess(to places: ConfigurationPlaces) throws(DeviceFileError) {
    try DeviceFileChange.checkAccess(toFolder: places.calibrated, for: places.calibrated)
  }
}

extension ConfigurationPlaces {
  fileprivate var calibrated: String { "\(path)/\(Self.calibrationsFolder)" }
}

/// The result of a calibration as JSON. Times are in milliseconds, shares from 0 to 1, names in snake case.
public struct CalibrationJSON: Encodable {
  private let result: CalibrationResult
  private let file: CalibratedFile?

  public init(_ result: CalibrationResult, _ file: CalibratedFile? = nil) {
    (self.result, self.file) = (result, file)
  }

  public func encode(to encoder: any Encoder) throws {
    var json = encoder.container(keyedBy: FieldName.self)
    try json.encode(Version.current, forKey: "version")
    try json.encode(result.method.shown.code, forKey: "method")
    try json.encode(result.day, forKey: "day")
    try json.encode(result.strategy.name, forKey: "strategy")
    try json.encode(result.strokes, forKey: "strokes")
    try json.encode(result.keys, forKey: "keys")
    var device = json.nestedContainer(keyedBy: FieldName.self, forKey: "device")
    try device.encode(result.device.name.printable, forKey: "name")
    try device.encode(result.device.vendor, forKey: "vendor")
    try device.encode(result.device.product, forKey: "product")
    try device.encodeIfPresent(result.device.uniq?.printable, forKey: "uniq")
    guard let file, let text = file.text else { return }
    var proposal = json.nestedContainer(keyedBy: FieldName.self, forKey: "file")
    try proposal.encode(file.path, forKey: "path")
    try proposal.encode(text, forKey: "text")
    try proposal.encode(file.yoursStand.map { KeyNames.name(of: $0) }, forKey: "yours_stand")
  }
}

extension InForce {
  public init(for device: DeviceDescription, by settings: Settings) throws(DeviceTie) {
    let buttons = DeviceButtons(of: device)
    let isKeyboard = buttons.map { $0.kind == .keyboard } ?? true
    func remedy(_ match: DeviceSettings?) -> String? {
      let isIgnored = match?.isIgnored ?? false
      if !isIgnored, let file = match?.brokenFile {
        return "correct the errors in \(file.printable)"
      }
      if isIgnored, let match, WrittenFile(match) == nil {
        return "delete “ignore = true” in \(match.file.printable)"
      }
      // keydebounce leaves mice, pads and pedals alone unless a file is about them.
      let isLeft = isIgnored || !isKeyboard && match?.pattern.isEmpty ?? true
      return isLeft ? "“sudo keydebounce take” changes that" : nil
    }
    func rules(_ match: DeviceSettings?) -> Rules {
      remedy(match) == nil ? match?.rules ?? settings.rules : Rules(strategy: .none)
    }
    let match = try settings.device(for: device)
    self.init(rules(match))
    self.remedy = remedy(match)
    outer = settings.rules.strategy
    var written = settings
    written.calibrations = []
    let own = try written.device(for: device)
    self.own = own.map { Set($0.rules.keys.keys) } ?? []
    let without = rules(own)
    if without != self.rules { withoutLines = without }
  }
}

/// The text of a device file for `calibrated.d`.
struct CalibratedText {
  let text: String
  let hasKeys: Bool
  let yoursStand: [KeyCode]
  private(set) var nameless: [KeyCode] = []
  /// The strategy that each new line must give its key.
  private(set) var measured: [KeyCode: Strategy] = [:]

  /// - Parameters:
  ///   - present: The present file, if `calibrate` wrote it. Its lines stay for keys of which nothing better was found.
  ///   - written: Keys that the person's own files set for this device.
  init(_ result: CalibrationResult, present: String? = nil, written: Set<KeyCode> = []) {
    yoursStand = result.worn.map(\.key).filter(written.contains)
    let before = KeyLines.all(in: present ?? "")
    var settled = written
    var lines: [KeyLines] = []
    for finding in result.keys where !written.contains(finding.key) {
      guard let candidate = finding.line?.candidate else { continue }
      guard KeyNames.hasName(finding.key) else {
        nameless.append(finding.key)
        continue
      }
      settled.insert(finding.key)
      measured[finding.key] = candidate.strategy
      guard let line = candidate.text else { continue }
      lines.append(
        KeyLines(
          key: finding.key, comments: Self.comments(on: finding), line: "\(finding.name) = \(line)")
      )
    }
    let kept = before.filter { !settled.contains($0.key) }
    lines = (lines + kept).sorted { $0.key < $1.key }
    hasKeys = !lines.isEmpty
    // A file whose lines stay keeps its comments and its date, too.
    if let present, lines.map(\.line) == before.map(\.line) {
      text = present
    } else {
      text =
        Self.header(result, keeps: !kept.isEmpty) + Self.table(of: result.device, in: present)
        + "\n[keys]\n"
        + lines.map { "\($0.comments)\($0.line)\n" }.joined(separator: "\n")
    }
  }

  private static func header(_ result: CalibrationResult, keeps: Bool) -> String {
    // Others may read the file, so that the path of a recording stays out.
    let method =
      if case .recording = result.method { "a recording" } else { result.method.shown.words }
    // The mark is a comment already.
    let origin = """
      \(DeviceFilePurpose.calibrate.mark.dropFirst(2)) \(Version.current) on \(result.day), from \
      \(result.extent): \(method).
      """
    let sureness =
      "A key is set only where that is better than what was in force, with 95 % confidence."
      + (keeps ? " Other lines are from before." : "")
    let manners = """
      What a file in \(ConfigurationPlaces.devicesFolder) says of a key takes precedence. Another calibration rewrites this file; to undo \
      it, delete the file and run “keydebounce reload”.
      """
    return [origin, sureness, manners].map(TOML.comment).joined(separator: "#\n") + "\n"
  }

  /// The lines that say which device the file is about. Those of the present file stay: they match the devices for which its
  /// lines were made.
  private static func table(of device: DeviceDescription, in present: String?) -> String {
    let lines = (present ?? "").split(whereSeparator: \.isNewline)
    guard let start = lines.firstIndex(where: { $0.hasPrefix("[device]") }) else {
      return TOML.table(of: device)
    }
    let rest = lines[(start + 1)...].prefix { !$0.hasPrefix("[") || $0.hasPrefix("[device.") }
    let lacksVirtual = device.isVirtual && !rest.contains { $0.hasPrefix("virtual") }
    return "\(lines[start])\n\(lacksVirtual ? "virtual = true\n" : "")"
      + rest.map { "\($0)\n" }.joined()
  }

  private static func comments(on finding: KeyFinding) -> String {
    var text = "\(finding.verdict.shown.title): \(finding.rateInWords) strokes are faulty"
    if !finding.isAsked { text += ", at least" }
    if let line = finding.line {
      text +=
        ". Of the faults\(line.isPooled ? " of all worn keys" : "") \(line.before.inWords) came through before, with this \(line.after.inWords)"
    }
    return TOML.comment("\(text.capitalised).")
  }
}

/// The lines about one key in a file that `calibrate` wrote: comments, each with a newline, and the setting.
private struct KeyLines {
  var key: KeyCode
  var comments: String
  var line: String

  static func all(in text: String) -> [KeyLines] {
    var lines: [KeyLines] = []
    var comments = ""
    var isInKeys = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("#") {
        comments += line + "\n"
        continue
      }
      if line.hasPrefix("[") { isInKeys = line == "[keys]" }
      if isInKeys, let key = KeyNames.code(named: String(line.prefix { $0 != " " && $0 != "=" })) {
        lines.append(KeyLines(key: key, comments: comments, line: String(line)))
      }
      comments = ""
    }
    return lines
  }
}

import ArgumentParser
import Configuration
import Debounce
import EventDevices
import Recording
import Reports
import Status
import Terminal

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Show what keydebounce would make of a recording.",
    discussion: """
      Debounces a recording. Standard output gets what keydebounce would have passed on, in the form of evemu-record, with the \
      times at which it would have done so. Standard error gets a summary.

      It reads what these write: “keydebounce record”, evemu-record, evtest, libinput record and libinput \
      debug-events --show-keycodes. The file may be packed by gzip, xz or zstd, and hold several recordings of a \
      device, which are taken to follow each other. If a recording lacks something, a sentence says what that costs.

      If something is still undecided when the recording ends, keydebounce decides as if silence followed.
      """)

  @Argument(help: "The recording; “-” for standard input.", completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp(
      "Use this configuration instead of the packaged defaults.",
      discussion: """
        A configuration folder, a keydebounce.toml, or one device file. The recording's device gets the settings that it \
        would get if it were plugged in, by its name and its numbers. A mouse or a pad is debounced here, too, unless a file \
        says “ignore”; the service leaves it alone where no file is about it. A recording does not tell where it was plugged in, nor its \
        serial number: “phys”, “uniq”, “link”, “seat” and “property” match anything.
        """, valueName: "path"), completion: .file())
  var config: String?

  @Flag(
    help: ArgumentHelp(
      "Write a report as JSON instead.",
      discussion: """
        One object: “events_in” (without SYN_REPORTs), “presses_in”, “presses_out”, and “suppressed”, a list of the \
        presses that were not passed on. Each has “time” (of the press, in seconds, as in the recording), “key” and \
        “class”: press-bounce, release-bounce or drop-out for chatter, else throttled, locked-out, too-soon or \
        too-short. It has “gap” (from the key's release before to the press) and “hold” (from the press to the key's next \
        release), in milliseconds or null. If keys have several meanings, there is a list “meanings”. Each has “time” (when \
        the first stroke began) and “decided_at”, both in seconds, “key”, “meaning” (single, double or hold) and \
        “emitted”, the key that was passed on. “wheel_steps_removed” counts steps of a wheel, if there are any.
        """))
  var json = false

  func run() throws {
    let loaded: LoadedSettings = try config.map { try LoadedSettings(readingFrom: $0) } ?? .packaged
    if let config, let lack = loaded.lack(at: config) { report(lack) }
    var reader = try InputFile(file).recording()
    // The head comes before the events, and determines which settings hold.
    var entry = try reader.next()
    let (rules, source) = try loaded.rules(for: DeviceDescription(reader.device.identity))
    var replay = Replay(rules, reader.habits)
    var output = ReplayOutput(isReport: json)
    while let present = entry {
      replay.process(present)
      try output.append(newOf: replay)
      entry = try reader.next()
    }
    replay.finish()
    try output.append(newOf: replay)
    try output.finish(replay)
    for note in reader.notes { report(note) }
    guard !json else { return }
    report(
      "“\(reader.device.identity.title)”, \(source): \(replay.eventsIn.counted("event")) in; "
        + replay.counters.summary)
  }
}

extension LoadedSettings {
  /// The rules that a device gets, and where they are from, in words. They pass everything on if a file leaves the device alone,
  /// or has errors.
  func rules(for device: DeviceDescription) throws -> (Rules, source: String) {
    if let match = try settings.device(for: device) {
      if match.isIgnored { return (Rules(strategy: .none), "left alone by \(match.file)") }
      if let file = match.brokenFile {
        let reason = "left alone: \(file) has errors, which “keydebounce check” shows"
        return (Rules(strategy: .none), reason)
      }
      return (match.rules, "with the settings of \(match.file)")
    }
    let files = defaultsFiles.joined(separator: " and ")
    return (
      settings.rules,
      "with the \(files.isEmpty ? "packaged defaults" : "defaults of \(files)")"
        + (settings.devices.isEmpty ? "" : ", as no device file matches")
    )
  }
}

/// The output of `replay`: clean events as they come, or a report in the end.
struct ReplayOutput {
  private static let portion = 1 << 16

  private let isReport: Bool
  private var text = RecordingText(eventsSince: 0)
  /// The presses that were not passed on. Only a report keeps them: they are few, but nothing bounds their number.
  private var suppressed: [Suppression] = []
  /// The strokes of keys with meanings, for a report.
  private var meant: [Outcome] = []

  init(isReport: Bool) {
    self.isReport = isReport
  }

  /// Takes what the replay made of its last entry: to be called after each entry, and at the end.
  mutating func append(newOf replay: Replay) throws {
    if isReport {
      suppressed += replay.suppressed
      meant += replay.meant
    } else {
      for frame in replay.output.frames { text.append(raw: frame) }
      if text.bytes.count >= Self.portion { try write() }
    }
  }

  mutating func finish(_ replay: Replay) throws {
    guard isReport else { return try write() }
    try TextOutput.standard.write(
      json: ReplayReport(
        eventsIn: replay.eventsIn, pressesIn: replay.counters.pressesIn,
        pressesOut: replay.counters.pressesOut,
        suppressed: suppressed.sorted { ($0.time, $0.key) < ($1.time, $1.key) }
          .map(ReplayReport.Press.init),
        meanings: meant.isEmpty ? nil : meant.compactMap(ReplayReport.Stroke.init),
        wheelStepsRemoved: replay.counters.reversals > 0 ? replay.counters.reversals : nil))
  }

  private mutating func write() throws {
    try TextOutput.standard.write(text.bytes)
    text.removeBytes()
  }
}

/// The output of `replay --json`. Moments are in seconds, as in recordings, and lengths in milliseconds.
private struct ReplayReport: Encodable {
  let eventsIn, pressesIn, pressesOut: UInt64
  let suppressed: [Press]
  let meanings: [Stroke]?
  let wheelStepsRemoved: UInt64?

  struct Press: Encodable {
    let press: Suppression

    func encode(to encoder: any Encoder) throws {
      var json = encoder.container(keyedBy: FieldName.self)
      try json.encode(Double(press.time) / 1_000_000, forKey: "time")
      try json.encode(KeyNames.name(of: press.key), forKey: "key")
      try json.encode(press.kind.description, forKey: "class")
      try json.encode(press.gap.map { Double($0) / 1000 }, forKey: "gap")
      try json.encode(press.hold.map { Double($0) / 1000 }, forKey: "hold")
    }
  }

  /// The meaning of a stroke, or of two.
  struct Stroke: Encodable {
    let time, decidedAt: Double
    let key, meaning, emitted: String

    /// - Returns: `nil` for an outcome that is no meaning.
    init?(_ outcome: Outcome) {
      guard case .meant(let meaning, let emitted) = outcome.kind else { return nil }
      time = Double(outcome.edge) / 1_000_000
      decidedAt = Double(outcome.time) / 1_000_000
      key = KeyNames.name(of: outcome.key)
      self.meaning = meaning.rawValue
      self.emitted = KeyNames.name(of: emitted)
    }
  }
}

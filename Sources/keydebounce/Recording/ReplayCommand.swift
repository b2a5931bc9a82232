import ArgumentParser
import Configuration
import Debounce
import EventDevices
import Recording

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Show what becomes of a recording.",
    discussion: """
      Takes a recording through the strategies and writes the clean events to standard output, as evemu-record \
      does: each with the time at which it would have been passed on, counted as in the recording. A summary \
      follows on standard error.

      It reads what “keydebounce record”, evemu-record, evtest, libinput record, libinput debug-events \
      --show-keycodes, getevent -lt and xev write, also packed by gzip, xz or zstd. Where such a form lacks \
      something, a sentence says what that costs.

      Decisions that are still waiting when the recording ends are made as if it went on in silence.
      """)

  @Argument(help: "The recording; “-” for standard input.", completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp(
      "Use this configuration instead of the packaged defaults.",
      discussion: """
        A configuration folder, or one device file. The device of the recording gets the settings that it \
        would get if it were plugged in, by its name and its numbers. Recordings do not contain where it was \
        plugged in, nor its serial number: “phys”, “uniq”, “link”, “seat” and “property” match anything.
        """, valueName: "path"), completion: .file())
  var config: String?

  @Flag(
    help: ArgumentHelp(
      "Write a report as JSON instead.",
      discussion: """
        One object: “events_in” (without SYN_REPORTs), “presses_in”, “presses_out”, and “suppressed”, a \
        list of the presses that were not passed on. Each has “time” (of the press, in seconds, as in the \
        recording), “key”, “class” (press-bounce, release-bounce or drop-out; throttled, locked-out, too-soon or \
        too-short if it was no chatter), “gap” (from the key's release before to the press) and “hold” (from the press to \
        the key's next release), both in milliseconds or null. Where strokes were taken for single, double or long \
        presses, there is a list “meanings”: of each “time” (when the first stroke began), “decided_at” (both in seconds), \
        “key”, “meaning” (single, double or hold) and “emitted”, the key that is passed on.
        """))
  var json = false

  func run() throws {
    do {
      let settings = try config.map { try Settings(readingFrom: $0) } ?? .packaged
      try replay(with: settings)
    } catch {
      throw ExitCode.reporting(error)
    }
  }

  private func replay(with settings: Settings) throws {
    var reader = try InputFile(file).recording()
    // The head comes before the events, and determines which settings hold.
    var entry = try reader.next()
    let choice = try DeviceChoice(settings, for: reader.device)
    var replay = Replay(choice.rules, reader.habits)
    var output = ReplayOutput(isReport: json)
    while let present = entry {
      replay.process(present)
      try output.append(&replay)
      entry = try reader.next()
    }
    replay.finish()
    try output.append(&replay)
    try output.finish(replay)
    for note in reader.notes { report(note) }
    if !json { report("\(choice.description): \(output.summary(of: replay))") }
  }
}

/// The settings that the device of a recording gets.
private struct DeviceChoice {
  let rules: Rules
  let description: String

  init(_ settings: Settings, for device: RecordedDevice) throws {
    let match = try settings.device(for: DeviceDescription(device.identity))
    let source: String
    if let match {
      rules = match.isIgnored ? Rules(strategy: .none) : match.rules
      source =
        match.isIgnored ? "left alone, says \(match.file)" : "with the settings of \(match.file)"
    } else {
      rules = settings.rules
      source =
        settings.devices.isEmpty
        ? "with the defaults" : "with the defaults, as no device file matches"
    }
    let name = String.UnicodeScalarView(
      device.identity.name.unicodeScalars.map {
        $0.properties.generalCategory == .control ? " " : $0
      })
    description = "“\(String(name))”, \(source)"
  }
}

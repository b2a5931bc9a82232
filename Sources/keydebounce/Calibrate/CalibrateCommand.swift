import ArgumentParser
import Calibration
import Configuration
import Debounce
import DeviceFiles
import EventDevices
import Glibc
import Recording
import Reports
import Terminal

struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract:
      "Find worn keys, and settings that are better for them than those in force.",
    discussion: """
      Asks you to type for two minutes, and then to tap, hold and double each key that looks worn. It tries settings on \
      what you did. Mostly the settings in force are the best, and it says so. If another one is certainly better, it shows \
      a device file, and asks whether to write it. It writes nothing without your yes or --apply, and never changes a file \
      that you wrote.

      If the service holds the device, it goes on debouncing it, and shows root what the device sends: that is judged, not \
      what the service passes on. Ctrl-C ends it, and it shows what it has found so far. Hold Backspace, Escape and Enter \
      together to end it without showing or writing anything; that ends a service that holds the device, too.

        sudo keydebounce calibrate
        keydebounce calibrate --from typing.evemu

      It names keys as the kernel does, by their place on a US keyboard. Only this terminal, and the files that you ask \
      for, show which keys you pressed.
      """)

  @Argument(
    help: .device("The device. Without it: the only one, or the one on which you press a key."),
    completion: NamedDevices.completion)
  var device: String?

  @Flag(help: "Watch you work until Ctrl-C, and judge by that alone.")
  var passive = false

  @Option(
    help: ArgumentHelp(
      "Judge a recording instead of a device. “-” is standard input.",
      discussion: """
        A recording by “keydebounce record” or evemu-record, or the output of evtest, “libinput record” or “libinput \
        debug-events --show-keycodes”.
        """, valueName: "file"),
    completion: .file())
  var from: String?

  @Flag(help: "Write the device file without asking.")
  var apply = false

  @OptionGroup var plain: PlainOption

  @Flag(help: "Write the result as JSON, and ask nothing.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "The configuration folder, if not \(RunCommand.defaultFolder).",
      discussion: "The device file goes into its folder \(ConfigurationPlaces.calibrationsFolder).",
      valueName: "dir"),
    completion: .directory)
  var config: String?

  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      "Look closely at this key, whatever the typing shows; may be given several times.",
      discussion: "Such as KEY_E; “keydebounce keys” lists them all.", valueName: "key"),
    completion: KeyNames.completion)
  var keys: [String] = []

  func validate() throws {
    if passive, from != nil {
      throw ValidationError("--passive listens to a device; leave out --from.")
    }
    if device != nil, from != nil {
      throw ValidationError("Name a device or a recording, not both.")
    }
    if !keys.isEmpty, passive || from != nil {
      throw ValidationError("--from and --passive judge all keys; leave out --key.")
    }
    try keys.forEach(KeyNames.check)
  }

  private var places: ConfigurationPlaces { .chosen(config) }

  func run() throws {
    // A recording is judged even if some device file is wrong: nobody has to measure again.
    let settings = try LoadedSettings(
      readingFrom: places, toleratesBrokenDevices: from != nil
    ).settings
    if let from {
      return try conclude(CalibrationResult(ofRecording: from, by: settings), mayAsk: true)
    }
    if apply { try CalibratedFile.checkAccess(to: places) }
    if let (result, mayAsk) = try measured(by: settings) { try conclude(result, mayAsk: mayAsk) }
  }

  /// Shows what was found, and writes the device file if that is wanted, which the service then adopts.
  private func conclude(_ result: CalibrationResult, mayAsk: Bool) throws {
    // The findings are shown even if no file can be made of them.
    let file = Result { try CalibratedFile(for: result, in: places) }
    let proposal = try? file.get()
    let sheet = plain.sheet
    if json {
      try TextOutput.standard.write(json: CalibrationJSON(result, proposal))
    } else {
      try TextOutput.standard.write(CalibrationText(of: result, on: sheet).text)
    }
    func names(_ keys: [KeyCode]) -> String {
      keys.map { KeyNames.name(of: $0) }.joined(separator: ", ")
    }
    let found = try file.get()
    if !found.yoursStand.isEmpty {
      report("you have set \(names(found.yoursStand)) yourself; calibrate changes nothing there")
    }
    if !found.nameless.isEmpty {
      report("no name is known for \(names(found.nameless)), so that nothing can be set for it")
    }
    var conclusion = DeviceFileConclusion(
      plan: found.plan, chosen: nil, isAgreed: apply, agreement: "--apply", sheet: sheet)
    conclusion.show = { [json = json] in if !json { try TextOutput.standard.write("\n\($0)\n") } }
    if json || !mayAsk { conclusion.ask = nil }
    try conclusion.run()
  }
}

// MARK: - What is measured

extension CalibrateCommand {
  /// What a device that is plugged in shows, and whether there may be a person to ask; `nil` if nothing was measured, or the
  /// person has broken off.
  func measured(by settings: Settings) throws -> (result: CalibrationResult, mayAsk: Bool)? {
    let meant =
      try device.map { try NamedDevices.chosen($0) }
      ?? NamedDevices.pressed { Selection.automatic.takes($0, by: settings) }
    guard let node = meant else { return nil }
    let description = DeviceDescription(node)
    let inForce = try InForce(for: description, by: settings)
    let chord = Settings.panicChord(
      try settings.device(for: description)?.panicChord ?? settings.panicChord, on: node.keys)
    let view = try DeviceView(node.path)
    // Reading the layout takes a while. A Ctrl-C after the next line should find the watch ready.
    let labels = LayoutLabels.ofSystem()
    report("listening to “\(node.identity.title)” (\(node.path)); Ctrl-C ends it")
    view.reportState()
    let watch = DeviceWatch(
      [view.device],
      on: LiveScreen(
        passive ? .line : .screen, least: passive ? (columns: 0, rows: 0) : GuidedScreen.least,
        isPlain: plain.isPlain))
    var session = passive ? nil : GuidedSession(inForce: inForce)
    for key in keys.compactMap({ KeyNames.code(named: $0) }) { session?.add(key) }
    var measurement = Measurement(
      session, title: "\(node.identity.title) (\(node.path))", chord: chord, labels: labels)
    let end = try watch.run(&measurement)
    guard !measurement.isPanic else {
      report("ended by the panic chord; nothing was written")
      throw ExitCode.panicChord
    }
    switch end {
    case .gone: report(view.device.endInWords)
    case .stopped(SIGINT), .stopped(SIGTERM), .finished: break
    case .stopped: return nil
    }
    if view.isStream { report("the daemon meanwhile: \(measurement.counters.summary)") }
    reportLosses(measurement.losses)
    var tape = measurement.tape
    tape.interrupt()
    guard tape.presses > 0 || passive else { return nil }
    var result = CalibrationResult(
      of: tape, device: description, method: passive ? .passive : .guided, inForce: inForce)
    result.labels = labels
    return (result, mayAsk: end != .stopped(SIGTERM))
  }
}

private func reportLosses(_ losses: Int) {
  guard losses > 0 else { return }
  report("events were lost \(losses.times): the strokes around that are left out")
}

extension CalibrationResult {
  /// The findings in a recording, taken for ordinary work.
  init(
    ofRecording file: String, by settings: Settings, upTo longest: Int = Tape.longest
  ) throws {
    var reader = try InputFile(file).recording()
    var measurement = Measurement(nil, title: "", chord: [], labels: [:])
    while let entry = try reader.next() {
      measurement.receive(entry, from: 0)
      guard measurement.tape.length <= longest else {
        throw CommandError(
          "\(file) has more than \((longest / 2).grouped) strokes, which is more than can be judged at once; cut it",
          code: .badRecording)
      }
    }
    var tape = measurement.tape
    tape.interrupt()
    for note in reader.notes { report(note) }
    reportLosses(measurement.losses)
    let pressed = tape.keys
    // Some recordings do not say which keys the device has. If only buttons were pressed, it is no keyboard.
    let isButtons = !pressed.isEmpty && pressed.allSatisfy { (0x100...0x15f).contains($0) }
    let keys = reader.device.capabilities.codes[EventType.key].map { KeySet($0) }
    let device = DeviceDescription(
      reader.device.identity, keys: keys ?? (isButtons ? pressed : nil))
    self.init(
      of: tape, device: device, method: .recording(file == "-" ? "from standard input" : file),
      inForce: try InForce(for: device, by: settings))
  }
}

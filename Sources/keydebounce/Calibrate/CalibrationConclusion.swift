import ArgumentParser
import Bus
import Calibration
import Configuration
import Debounce
import EventDevices
import Recording
import Status
import Terminal

/// What is done with a result: shown, printed as JSON, drawn, written if that is wanted, and adopted by the service.
struct CalibrationConclusion {
  let findings: CalibrationFindings
  /// Where the configuration is.
  let places: ConfigurationPlaces
  /// Whether data is wanted instead of text.
  let isJSON: Bool
  /// Whether text is for a screen reader.
  let isPlain: Bool
  /// Whether to write without asking.
  let applies: Bool
  /// Where to write a page about it.
  let page: String?

  private var result: CalibrationResult { findings.result }

  func run() throws {
    // What was found is shown whatever is wrong with the configuration.
    let file = Result { try CalibratedFile(for: result, in: places) }
    let wanted = try? file.get()
    let text = wanted.flatMap { $0.isWorthWriting ? $0.proposal.text : nil }
    let output = TextOutput.standard
    if isJSON {
      try output.write(json(of: wanted).text)
    } else {
      try output.write(CalibrationText(of: result, on: Sheet(for: output, isPlain: isPlain)).text)
    }
    if let page {
      try ReportPage(of: result, file: text).write(to: page)
      report("the report is in \(page.printable)")
    }
    try conclude(file.get(), output)
  }

  private func json(of file: CalibratedFile?) -> CalibrationJSON {
    guard let file, file.isWorthWriting else { return CalibrationJSON(result) }
    return CalibrationJSON(
      result,
      file: CalibrationJSON.File(
        path: file.path, text: file.proposal.text,
        yoursStand: file.proposal.yoursStand.map { KeyNames.name(of: $0) }))
  }

  private func conclude(_ file: CalibratedFile, _ output: TextOutput) throws {
    let stand = file.proposal.yoursStand.map { KeyNames.name(of: $0) }
    if !stand.isEmpty {
      report(
        "you have set \(stand.joined(separator: ", ")) yourself; calibrate changes nothing there")
    }
    if !file.proposal.nameless.isEmpty {
      let keys = file.proposal.nameless.map { KeyNames.name(of: $0) }
      report(
        "no name is known for \(keys.joined(separator: ", ")), so that nothing can be set for it")
    }
    guard file.isWorthWriting else {
      return report("there is nothing to set; no file is written")
    }
    guard !file.difference.isEmpty else {
      return report("\(file.path.printable) already says this")
    }
    if !isJSON {
      let sheet = Sheet(for: output, isPlain: isPlain)
      try output.write(
        "\n" + file.differenceLines(on: sheet).map { $0 + "\n" }.joined() + "\n")
    }
    try file.validate()
    guard try applies || isWanted(file) else {
      return report("nothing was written; --apply writes \(file.path.printable)")
    }
    try file.write()
    report("written: \(file.path.printable)")
    try Adoption(of: places.path).run()
  }

  /// Asks whether to write. Without a terminal to ask on: no.
  private func isWanted(_ file: CalibratedFile) throws -> Bool {
    guard findings.mayAsk, !isJSON, TextOutput.canAsk else { return false }
    return try ["y", "yes"].contains(TextOutput.ask("Write \(file.path.printable)? [y/N] "))
  }
}

/// What a calibration has found.
struct CalibrationFindings {
  private(set) var result: CalibrationResult
  /// Whether there may be a person to ask.
  var mayAsk = true

  /// What a tape shows, beside the settings that hold for the device. If these cannot be read, beside the packaged ones:
  /// what is wrong with them is told when the file is to be written.
  init(
    of tape: Tape, device: DeviceDescription, method: CalibrationResult.Method,
    places: ConfigurationPlaces,
    mayAsk: Bool = true, labels: [KeyCode: String] = [:]
  ) {
    let inForce = Self.inForce(for: device, in: places)
    result = CalibrationResult(
      device: device, method: method, keys: Findings(of: tape, inForce: inForce).keys)
    result.strategy = inForce.rules.strategy
    result.labels = labels
    self.mayAsk = mayAsk
  }

  private static func inForce(for device: DeviceDescription, in places: ConfigurationPlaces)
    -> InForce
  {
    let settings = try? LoadedSettings(readingFrom: places).settings
    return settings.flatMap { try? InForce(for: device, by: $0) } ?? InForce()
  }

  /// What a recording shows, evaluated as ordinary work.
  init(ofRecording file: String, places: ConfigurationPlaces) throws {
    var reader = try InputFile(file).recording()
    var tape = Tape()
    while let entry = try reader.next() {
      switch entry {
      // What was passed on when the recording was made shows nothing about the switch.
      case .raw(let frame): tape.receive(frame, during: .typing)
      case .lost, .closed: tape.interrupt()
      default: break
      }
    }
    tape.interrupt()
    for note in reader.notes { report(note) }
    self.init(
      of: tape, device: DeviceDescription(reader.device.identity),
      method: .recording(file == "-" ? "from standard input" : file), places: places)
  }

  /// What the service has counted of a device.
  ///
  /// - Parameters:
  ///   - name: The device's node or a part of its name; `nil` for the only one.
  ///   - file: What “keydebounce status --json” has written, or a file of stored counts; `nil` to ask the service.
  init(ofCountsOf name: String?, in file: String?, places: ConfigurationPlaces) throws {
    let devices: [DeviceStatus]
    let labels: [KeyCode: String]
    if let file {
      devices = try DevicesWithCounts.all(in: InputFile(file).contents(), of: file)
      labels = LayoutLabels.ofSystem()
    } else {
      let client = try DaemonClient()
      (devices, labels) = (try client.status().devices, client.labels())
    }
    let device = try DevicesWithCounts.named(
      name, leadingTo: name.map(NamedDevices.path), among: devices)
    guard let keys = device.keys else { throw ControlError.refused(member: "Statistics") }
    var description = DeviceDescription(device.device)
    if file == nil, let node = try? NamedDevices.all().first(where: { $0.path == device.node }) {
      description = DeviceDescription(node)
    }
    let counts = Dictionary(
      keys.map { ($0.code, $0.counts) }, uniquingKeysWith: { first, _ in first })
    let inForce = Self.inForce(for: description, in: places)
    let isDriven = device.counts?.typesLikeAMachine ?? false
    result = CalibrationResult(
      device: description, method: .counts,
      keys: Findings.ofCounts(counts, inForce: inForce, isDriven: isDriven))
    result.labels = labels
  }
}

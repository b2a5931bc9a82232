import ArgumentParser
import Calibration
import Configuration
import EventDevices
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
    let output = Terminal.standardOutput
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

  private func conclude(_ file: CalibratedFile, _ output: Terminal) throws {
    let stand = file.proposal.yoursStand.map { KeyNames.name(of: $0) }
    if !stand.isEmpty {
      report(
        "your own settings hold for \(stand.joined(separator: ", ")); calibrate sets nothing there")
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
    guard findings.mayAsk, !isJSON, Terminal.canAsk else { return false }
    return try ["y", "yes"].contains(Terminal.ask("Write \(file.path.printable)? [y/N] "))
  }
}

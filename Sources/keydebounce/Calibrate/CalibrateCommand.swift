import ArgumentParser
import Calibration
import Configuration
import EventDevices
import Terminal

struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract:
      "Find the keys that are worn, and whether any setting is better for them than what holds now.",
    discussion: """
      Leads you through a measurement: some typing, which finds suspects, then single taps, long holds and quick \
      doubles of each suspect. Settings are tried on what you did. Where one is certainly better than what holds now, it \
      is shown as a device file that you may have written; mostly there is nothing to set. Nothing is written without \
      --apply or your yes, and nothing that was written by hand is touched.

      A device that the running service holds is handed over by it and given back at the end; with --passive, root goes on \
      typing with it debounced. Ctrl-C ends it at any time and shows what was found so far; so that nothing is shown or \
      written, end it with Backspace, Escape and Enter held together.

        sudo keydebounce calibrate
        sudo keydebounce calibrate --from-stats --apply
        keydebounce calibrate --from typing.evemu --report typing.html

      Keys have the kernel's names, which name places. They are shown here and written where you say, and \
      nowhere else.
      """)

  @Argument(
    help: ArgumentHelp(
      "The device; without it, the only one, or that on which you press a key.",
      discussion: NamedDevices.help, valueName: "device"),
    completion: NamedDevices.completion)
  var device: String?

  @Flag(help: "Listen to ordinary work until Ctrl-C, and judge by that alone.")
  var passive = false

  @Option(
    help: ArgumentHelp(
      "Judge a recording instead of a device; “-” for standard input.",
      discussion: """
        Of evemu-record, evtest or “keydebounce record”. With --from-stats: what “keydebounce status --json” has \
        written, or a file in which the service stores counts.
        """, valueName: "file"),
    completion: .file())
  var from: String?

  @Flag(help: "Judge by what the running service has counted.")
  var fromStats = false

  @Flag(help: "Write the device file without asking.")
  var apply = false

  @OptionGroup var plain: PlainOption

  @Flag(help: "Write what was found as JSON instead, and ask nothing.")
  var json = false

  @Option(
    name: .customLong("report"),
    help: ArgumentHelp(
      "Write a page with drawings, for a web browser or to print.",
      discussion: "A file that exists is left alone.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var page: String?

  @Option(
    help: ArgumentHelp(
      "The configuration folder, if not \(RunCommand.defaultFolder).",
      discussion: "The device file goes into its folder calibrated.d.", valueName: "dir"),
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
    if passive, from != nil || fromStats {
      throw ValidationError("--passive listens to a device; leave out --from and --from-stats.")
    }
    if device != nil, from != nil, !fromStats {
      throw ValidationError("Name a device or a recording, not both.")
    }
    if !keys.isEmpty, passive || from != nil || fromStats {
      throw ValidationError("--key goes with a guided measurement alone.")
    }
    for key in keys where KeyNames.code(named: key) == nil {
      throw ValidationError("\(NoSuchKeyName(name: key))")
    }
  }

  func run() throws {
    do {
      // Before anything is measured or shown.
      if let page { try WholeFile.checkPlace(for: page) }
      guard let findings = try findings() else { return }
      try CalibrationConclusion(
        findings: findings, places: .writable(config), isJSON: json, isPlain: plain.isPlain,
        applies: apply, page: page
      ).run()
    } catch let code as ExitCode {
      throw code
    } catch {
      throw ExitCode.reporting(error)
    }
  }

  /// What is found; `nil` if the person has broken off.
  private func findings() throws -> CalibrationFindings? {
    if fromStats {
      return try CalibrationFindings(ofCountsOf: device, in: from, places: .writable(config))
    }
    if let from { return try CalibrationFindings(ofRecording: from, places: .writable(config)) }
    if apply { try CalibratedFile.checkAccess(to: .writable(config)) }
    return try LiveCalibration(
      device: device, isPassive: passive,
      keys: keys.compactMap { KeyNames.code(named: $0) }, places: .writable(config),
      isPlain: plain.isPlain
    ).findings()
  }
}

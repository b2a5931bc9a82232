import ArgumentParser
import Configuration
import Debounce
import EventDevices
import Terminal

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check the configuration for errors.",
    discussion: """
      Shows all errors, with file, line and column, and warns of what is legal but unwise. It warns of keyboards, too, that \
      lack keys of the panic chord. Prints nothing if all is well. It asks udev which devices there are, and opens none. Run \
      it as root: it then reads the files as the service's user, and finds files that the service may not read.

      Ends with 78 if there are errors, or if nothing is read at a place that you name; with 0 if there are only warnings and \
      notes.
      """)

  @Argument(
    help: "Check this file or folder instead; “-” for standard input.", completion: .file())
  var file: String?

  @OptionGroup var source: ConfigurationOption

  @Flag(
    name: .shortAndLong,
    help:
      "Also show which files are read, what waits on which keys, and the panic chord of each keyboard."
  )
  var verbose = false

  func validate() throws {
    if file != nil, source.config != nil {
      throw ValidationError("Name a file or --config, not both.")
    }
  }

  func run() throws {
    do {
      let loaded = try load()
      if let place = file ?? source.config, let lack = loaded.lack(at: place) {
        show(loaded.warnings)
        report(lack)
        throw ExitCode.badConfiguration
      }
      // Where there is no udev, no device is known.
      let devices = ((try? NamedDevices.all()) ?? []).filter { !$0.isClone }
        .map(DeviceDescription.init)
      let ofDevices = devices.isEmpty ? [] : loaded.warnings(forDevices: devices)
      show(loaded.errors + loaded.warnings + loaded.notes + ofDevices)
      if verbose {
        let summary = ConfigurationSummary(of: loaded, chords: loaded.panicChords(of: devices))
        let lines = summary.lines.flatMap(Sheet(forMessagesOn: .standard).indented)
        try TextOutput.standard.write(lines.map { $0 + "\n" }.joined())
      }
      guard loaded.errors.isEmpty else { throw ended() }
    } catch let errors as ConfigurationErrors {
      show(errors.findings)
      throw ended()
    }
  }

  private func load() throws -> LoadedSettings {
    guard file == "-" else { return try ConfigurationOption.load(file ?? source.config) }
    let input = try InputFile("-")
    var places = ConfigurationPlaces(input.title)
    places.labels = { LayoutLabels.ofSystem() }
    return try LoadedSettings(
      readingFrom: places, with: FileChange(of: input.title, to: input.contents()))
  }

  /// Says what follows from errors in what the service reads.
  private func ended() -> ExitCode {
    if source.config == nil, file == nil {
      report(
        "a running service keeps the settings that it has: correct the files, then run “sudo keydebounce reload”, or “sudo "
          + "systemctl start keydebounce” if it does not run. If it starts with an error in a device file, it leaves the "
          + "file's devices alone; with one in keydebounce.toml, it does not start")
    }
    return .badConfiguration
  }

  private func show(_ problems: [Problem]) {
    let sheet = Sheet(forMessagesOn: .errors)
    // Even if it cannot be written, the exit code shows the outcome.
    try? TextOutput.errors.write(
      problems.flatMap { $0.lines(on: sheet) }.map { $0 + "\n" }.joined())
  }
}

extension LoadedSettings {
  /// The message for a named place at which nothing was read; `nil` if something was read.
  func lack(at place: String) -> String? {
    guard files.isEmpty, unread.isEmpty, errors.isEmpty else { return nil }
    return
      "\(place.printable): no settings are read there; expected a device file, or a folder with keydebounce.toml, or with "
      + "device files in its folder \(ConfigurationPlaces.devicesFolder)"
  }
}

extension Problem {
  /// The problem as compilers show one, so that editors find the place.
  ///
  /// ```
  /// /etc/keydebounce/devices.d/10-desk.toml:7:1: error: unknown key “KEY_EE”; …
  ///     KEY_EE = 40
  ///     ^~~~~~
  /// ```
  func lines(on sheet: Sheet) -> [String] {
    let first = [
      StyledText("\(location):", .bold), .blank(1),
      StyledText("\(severity.rawValue):", .bold, severity == .error ? .red : .yellow),
      StyledText(" \(message)"),
    ]
    let lines = sheet.wrapped(first, hang: 2)
    guard let place else { return lines }
    let excerpt = place.lines(in: sheet.characters)
    let mark = sheet.line([StyledText(excerpt[1], .bold, .green)])
    return lines + [sheet.line([StyledText(excerpt[0])]), mark]
  }
}

extension Sheet {
  /// A line broken between words, all of it indented as it is.
  fileprivate func indented(_ line: String) -> [String] {
    if isPlain { return [self.line([StyledText(line)])] }
    let rest = line.drop { $0 == " " }
    return wrapped([StyledText(String(rest))], after: [.blank(line.count - rest.count)], hang: 2)
  }
}

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
      Shows everything that is wrong at once, with its file, line and column, and what is legal but unwise: also \
      keyboards that lack keys of the panic chord that was chosen. Prints nothing if all is well. Root reads the files as \
      the service's user does, and so learns which of them that may not read. udev is asked which devices are there; none is \
      opened.

      Ends with 78 if there are errors; warnings and notes alone do no harm.
      """)

  @Argument(
    help: "A file or folder to check instead; “-” for standard input.", completion: .file())
  var file: String?

  @OptionGroup var source: ConfigurationOption

  @Flag(
    name: .shortAndLong,
    help: "Show on standard output which files are read, and which panic chord holds where.")
  var verbose = false

  func validate() throws {
    if file != nil, source.config != nil {
      throw ValidationError("Name a file or --config, not both.")
    }
  }

  func run() throws {
    do {
      let loaded = try load()
      // Where there is no udev, no device is known.
      let devices = ((try? NamedDevices.all()) ?? []).filter { !$0.isClone }
        .map(DeviceDescription.init)
      let ofDevices = devices.isEmpty ? [] : loaded.warnings(forDevices: devices)
      show(loaded.errors + loaded.warnings + ofDevices)
      if verbose {
        var summary = ConfigurationSummary(of: loaded)
        summary.add(loaded.panicChords(of: devices))
        if loaded.errors.isEmpty { summary.conclude(with: loaded.warnings + ofDevices) }
        try Terminal.standardOutput.write(Characters.ofLocale.spell(summary.text))
      }
      guard loaded.errors.isEmpty else { throw ended() }
    } catch let errors as ConfigurationErrors {
      show(errors.findings)
      throw ended()
    } catch let code as ExitCode {
      throw code
    } catch {
      throw ExitCode.reporting(error)
    }
  }

  private func load() throws -> LoadedSettings {
    let labels: @Sendable () -> [KeyCode: String] = { LayoutLabels.ofSystem(in: .ofLocale) }
    guard file == "-" else {
      return try ConfigurationOption.load(file ?? source.config, labels: labels)
    }
    let input = try InputFile("-")
    var places = ConfigurationPlaces(input.title)
    places.labels = labels
    return try LoadedSettings(
      readingFrom: places, with: FileChange(of: input.title, bytes: input.contents()))
  }

  /// Says what follows from errors in what the service reads.
  private func ended() -> ExitCode {
    if source.config == nil, file == nil {
      report(
        "devices whose files have errors are left alone; with an error in keydebounce.toml the service does not start. "
          + "Mend them, and call “sudo systemctl restart keydebounce”")
    }
    return ExitCode(ExitStatus.badConfiguration.rawValue)
  }

  private func show(_ problems: [Problem]) {
    let terminal = Terminal.standardError
    let sheet = Sheet(for: terminal)
    // Even if it cannot be written, the exit code shows the outcome.
    try? terminal.write(problems.map { ProblemReport.text(of: $0, on: sheet) }.joined())
  }
}

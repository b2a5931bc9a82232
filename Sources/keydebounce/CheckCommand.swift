import ArgumentParser
import Configuration
import EventDevices
import Terminal

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check the configuration for errors.",
    discussion: """
      Shows everything that is wrong at once, with its file, line and column, and what is legal but unwise: also \
      keyboards that lack keys of the panic chord that was chosen. Prints nothing if all is well. Root reads the files as \
      the service's user does, and so learns which of them that may not read.

      Ends with 78 if there are errors; warnings alone do no harm.
      """)

  @OptionGroup var source: ConfigurationOption

  @Flag(
    name: .shortAndLong,
    help: "Show on standard output which files are read, and which panic chord holds where.")
  var verbose = false

  func run() throws {
    do {
      let loaded = try source.load()
      // Where there is no udev, no device is known.
      let devices = ((try? NamedDevices.all()) ?? []).filter { !$0.isClone }
      let chords = loaded.panicChords(of: devices.map(DeviceDescription.init))
      show(loaded.errors + loaded.warnings + chords.compactMap(\.warning))
      if verbose {
        var summary = ConfigurationSummary(of: loaded)
        summary.add(chords)
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

  /// Says what follows from errors in what the service reads.
  private func ended() -> ExitCode {
    if source.config == nil {
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

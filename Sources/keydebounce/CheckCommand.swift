import ArgumentParser
import Configuration
import TerminalText

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check the configuration for errors.",
    discussion: """
      Looks at no device and needs no permission but to read the files. Shows everything that is wrong at \
      once, with its file, line and column, and what is legal but unwise. Prints nothing if all is well.

      Ends with 78 if there are errors; warnings alone do no harm.
      """)

  @OptionGroup var source: ConfigurationOption

  @Flag(name: .shortAndLong, help: "Show on standard output what has been read.")
  var verbose = false

  func run() throws {
    do {
      let loaded = try source.load()
      show(loaded.warnings)
      if verbose {
        let summary = ConfigurationSummary(of: loaded).text
        try Terminal.standardOutput.write(Characters.ofLocale.spell(summary))
      }
    } catch let errors as ConfigurationErrors {
      show(errors.findings)
      throw ExitCode(ExitStatus.badConfiguration.rawValue)
    } catch {
      throw ExitCode.reporting(error)
    }
  }

  private func show(_ problems: [Problem]) {
    let terminal = Terminal.standardError
    let sheet = Sheet(for: terminal)
    // Even if it cannot be written, the exit code shows the outcome.
    try? terminal.write(problems.map { ProblemReport.text(of: $0, on: sheet) }.joined())
  }
}

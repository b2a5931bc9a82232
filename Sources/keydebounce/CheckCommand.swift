import ArgumentParser
import Configuration
import TerminalText

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Read the configuration and say what is wrong with it.",
    discussion: """
      Looks at no device and needs no permission but to read the files. Shows everything that is wrong at \
      once, with its file, line and column, and what is legal but unwise. Says nothing if all is well.

      Ends with 78 if there are errors; warnings alone do no harm.
      """)

  @OptionGroup var source: ConfigurationOption

  @Flag(name: .shortAndLong, help: "Say on standard output what has been read.")
  var verbose = false

  func run() throws {
    do {
      let loaded = try source.load()
      show(loaded.warnings)
      if verbose { try Terminal.standardOutput.write(ConfigurationSummary(of: loaded).text) }
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
    // Where nobody reads it, the exit code still says how it went.
    try? terminal.write(problems.map { ProblemReport.text(of: $0, on: sheet) }.joined())
  }
}

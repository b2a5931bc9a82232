import ArgumentParser
import CLinux
import Configuration
import Glibc
import Status
import Terminal

@main
struct Keydebounce: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keydebounce",
    abstract: "Makes worn keyboards and buttons type right again.",
    discussion: """
      A worn switch sends presses and releases that no finger made: chatter. keydebounce removes them, and \
      passes on the rest.

      See which devices there are, and which keys chatter. This changes nothing:

        keydebounce list
        sudo keydebounce monitor

      Debounce all keyboards until Ctrl-C; or from now on, after every start of the machine, too:

        sudo keydebounce run
        sudo systemctl enable --now keydebounce

      See what keydebounce does now, and which keys wear out:

        sudo keydebounce status
      """,
    version: Version.current,
    subcommands: [
      RunCommand.self, ListCommand.self, CheckCommand.self, MonitorCommand.self,
      TopCommand.self, RecordCommand.self, ReplayCommand.self,
      CalibrateCommand.self,
      TakeCommand.self, LeaveCommand.self, ForgetCommand.self,
      StatusCommand.self, ReloadCommand.self, PauseCommand.self, ResumeCommand.self,
      KeysCommand.self,
    ])

  /// Runs the command that the arguments name. Help and errors are written in the characters of the user's locale.
  static func main() {
    // Most commands know what is typed, or was typed. So no command may leave a core dump.
    _ = clinux_forbid_dumps()
    // A file that may not grow further is an error to be told, and must not end a daemon that holds keyboards.
    signal(SIGXFSZ, SIG_IGN)
    // What is opened first would stand for a standard stream that is closed, and be written to. To write to this fails, as before.
    var file: CInt
    repeat { file = open("/dev/null", O_RDONLY | O_CLOEXEC) } while (0...2).contains(file)
    close(file)
    do {
      try checkName(CommandLine.arguments.dropFirst())
      var command = try parseAsRoot()
      try command.run()
    } catch {
      // ArgumentParser has codes of its own for mistakes in the arguments and for help that was asked for. Whoever throws an
      // exit code has said why. Any other error is a failure for ArgumentParser, and nobody has reported it.
      let isUnreported = exitCode(for: error) == .failure && !(error is ExitCode)
      let error = isUnreported ? reported(error) : error
      let code = exitCode(for: error)
      var message = fullMessage(for: error)
      if message.hasPrefix("Error: "), !isGenerating {
        message = Sheet(forMessagesOn: .errors).message("error: \(message.dropFirst(7))")
      } else if !isGenerating {
        message = Characters.ofLocale.spell(message)
      }
      let output = code.isSuccess ? TextOutput.standard : .errors
      if !message.isEmpty { try? output.write(message + "\n") }
      Glibc.exit(code.rawValue)
    }
  }

  /// Reports on standard error what ended the command, a line for each error. A mistake in the configuration is
  /// followed by the line of its file.
  ///
  /// - Returns: The exit code for it.
  private static func reported(_ error: any Error) -> ExitCode {
    if let errors = error as? ConfigurationErrors {
      for problem in errors.problems { report("error: \(problem.explanation(in: .ofLocale))") }
    } else {
      // An indented line belongs to the line above it.
      for part in "\(error)".split(separator: /\n(?! )/) { report("error: \(part)") }
    }
    return ExitCode(of: error)
  }

  /// Whether the output is a completion script or the source of the manual: their quotes mean something.
  private static let isGenerating = CommandLine.arguments.contains {
    $0.hasPrefix("--generate-completion-script")
      || ["--experimental-dump-help", "---completion"].contains($0)
  }

  /// Checks that the first argument, or the one behind `help`, names a command if it is no option.
  private static func checkName(_ words: ArraySlice<String>) throws {
    let names = configuration.subcommands.map { $0._commandName }
    guard let name = words.first == "help" ? words.dropFirst().first : words.first,
      !name.hasPrefix("-"), !(names + ["help"]).contains(name)
    else { return }
    let nearest = Spelling.nearest(to: name, among: names).map { "; did you mean “\($0)”?" } ?? ""
    throw ValidationError("no command is called “\(name.printable)”\(nearest)")
  }
}

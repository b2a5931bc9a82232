import ArgumentParser
import CLinux
import Glibc
import Status
import Terminal

@main
struct Keydebounce: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keydebounce",
    abstract: "Makes worn keyboards and buttons type right again.",
    discussion: """
      Removes the presses and releases that no finger made (chatter) from what an input device sends, \
      and passes on the rest.

      Which devices are there, and which keys chatter? This changes nothing:

        keydebounce list
        sudo keydebounce monitor

      Debounce all keyboards until Ctrl-C, or from now on and after every start of the machine:

        sudo keydebounce run
        sudo systemctl enable --now keydebounce

      What does it do at present, and which keys wear out?

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
    // Most commands know what is typed, or was: none leaves a core.
    _ = clinux_forbid_dumps()
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      let code = exitCode(for: error)
      var message = fullMessage(for: error)
      if !isGenerating { message = Characters.ofLocale.spell(message) }
      let terminal = code.isSuccess ? Terminal.standardOutput : Terminal.standardError
      if !message.isEmpty { try? terminal.write(message + "\n") }
      Glibc.exit(code.rawValue)
    }
  }

  /// Whether the output is a completion script or the source of the manual: their quotes mean something.
  private static let isGenerating = CommandLine.arguments.contains {
    $0.hasPrefix("--generate-completion-script") || $0 == "--experimental-dump-help"
  }
}

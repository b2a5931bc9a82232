import ArgumentParser
import Status

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
      RunCommand.self, ListCommand.self, CheckCommand.self, Monitor.self, Record.self, Replay.self,
      CalibrateCommand.self,
      StatusCommand.self, ReloadCommand.self, KeysCommand.self,
    ])
}

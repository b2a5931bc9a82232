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
      """,
    version: Release.version,
    subcommands: [
      Run.self, List.self, Check.self, Monitor.self, Record.self, Replay.self,
      StatusCommand.self, Reload.self, Keys.self,
    ])
}

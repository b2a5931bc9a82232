import ArgumentParser

@main
struct Keydebounce: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keydebounce",
    abstract: "Makes worn keyboards and buttons type right again.",
    discussion: """
      Removes the presses and releases that no finger made (chatter) from what an input device sends, \
      and passes on the rest.
      """,
    version: "0.1.0",
    subcommands: [Run.self, Record.self, Replay.self])
}

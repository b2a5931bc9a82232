import ArgumentParser
import Files
import Notices
import TerminalText

struct NotifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notify",
    abstract: "Show a notice on the desktop when a key wears out.",
    discussion: """
      Waits for the daemon's signal that a switch has become bad, and shows one notice of it in the desktop session. \
      “Show” opens a terminal with “keydebounce status”: the one that TERMINAL names, or another that is found. \
      Which key it is, the signal does not say.

      Runs until it is stopped, and is meant for the user's own services:

        systemctl --user enable --now keydebounce-notify
      """)

  func run() throws {
    do {
      let notifier = try Notifier(program: resolvedPath("/proc/self/exe")) { report($0) }
      try notifier.run()
    } catch {
      throw ExitCode.reporting(error)
    }
  }
}

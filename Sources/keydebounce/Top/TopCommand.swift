import ArgumentParser
import Control
import Glibc
import Status
import SystemPackage
import Terminal

struct TopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Show devices, keys and their wear on one screen, live.",
    discussion: """
      Fills the terminal until you press “q”. You see the daemon's devices, the keyboard with each key coloured by its wear, \
      the worst keys, and one key closely. Tab moves between them; arrows select. A letter calibrates the selected key, \
      pauses the device, stops debouncing it, or reloads the settings; “h” shows all letters.

      Only root may see what is typed. top stores nothing.

      With NO_COLOR there are no colours, and signs show the same.
      """)

  func run() throws {
    let output = TextOutput.standard
    guard output.isTerminal, isatty(STDIN_FILENO) == 1 else { throw CommandError.noTerminal }
    // A dumb terminal can only write one line after the other.
    guard !output.isDumb else {
      throw CommandError(
        """
        TERM is “dumb” or not set, so “top” cannot draw here. Set TERM to your terminal's type, or use \
        “keydebounce status --plain”
        """)
    }
    var client = try DaemonClient(toCall: .status)
    let model = TopModel(try client.status(), labels: LayoutLabels.ofSystem())
    try TopSession(model, asking: client).run()
  }
}

extension CommandError {
  static let noTerminal = CommandError(
    "“top” needs a terminal to draw on and to read keys from; “keydebounce status” writes to files and pipes"
  )
}

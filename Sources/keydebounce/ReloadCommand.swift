import ArgumentParser
import Control
import Terminal

struct ReloadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload",
    abstract: "Make the running daemon reload its configuration.",
    discussion: """
      Each key gets its new settings when it is next at rest. If the files have errors, the daemon keeps the settings that it \
      has; the command shows the errors and ends with 78. Root may reload, and the group “keydebounce”.
      """)

  func run() throws {
    var client = try DaemonClient(toCall: .reload)
    try Self.check(client.reload())
  }

  /// Reports what the daemon has found wrong.
  static func check(_ problems: [String]) throws(ExitCode) {
    guard !problems.isEmpty else { return }
    for problem in problems { report("error: \(problem.printable)") }
    report(
      "the daemon keeps the settings that it has; “keydebounce check” shows the places of the errors"
    )
    throw ExitCode.badConfiguration
  }
}

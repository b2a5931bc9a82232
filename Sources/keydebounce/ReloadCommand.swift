import ArgumentParser
import Bus
import Terminal

struct ReloadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload",
    abstract: "Make the running daemon reload its configuration.",
    discussion: """
      The new settings of a key hold from when it is next at rest. If anything is wrong with the files, the \
      daemon goes on with the settings it has; what is wrong is shown, and the exit code is 78.
      """)

  func run() throws {
    let problems: [String]
    do {
      problems = try DaemonClient().reload()
    } catch {
      throw ExitCode.reporting(error)
    }
    guard problems.isEmpty else {
      for problem in problems { report("error: \(problem.printable)") }
      report("the daemon goes on with the settings it has; “keydebounce check” shows the places")
      throw ExitCode(ExitStatus.badConfiguration.rawValue)
    }
  }
}

import ArgumentParser
import Bus
import EventDevices
import Status
import Terminal

struct ReloadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload",
    abstract: "Make the running daemon reload its configuration.",
    discussion: """
      Each key gets its new settings when it is next at rest. If the files have errors, the daemon keeps the settings that it \
      has; the command shows the errors and ends with 78.
      """)

  func run() throws {
    try Self.check(DaemonClient().reload())
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

/// How the service adopts a device file that a command has written or deleted, if one runs with this folder.
struct Adoption {
  /// The configuration folder.
  let folder: String
  /// Whether the file is gone.
  let isDeletion: Bool

  init(of folder: String, isDeletion: Bool = false) {
    self.folder = folder
    self.isDeletion = isDeletion
  }

  /// Makes the service reload its configuration. That none runs is no error.
  func run() throws {
    let problems: [String]
    do {
      let client = try DaemonClient()
      let path = try client.status().configuration.path
      guard resolvedPath(path) == resolvedPath(folder) else {
        return report(
          "the service reads \(path.printable), not \(folder.printable): nothing changes for it"
        )
      }
      problems = try client.reload()
    } catch {
      switch error {
      case .noLibrary:
        return report(
          "without libsystemd, keydebounce cannot tell the service: restart it, or send it SIGHUP")
      case .noBus, .notRunning:
        return report(
          "the service does not run now; it will start \(isDeletion ? "without" : "with") the file")
      default:
        throw error
      }
    }
    try ReloadCommand.check(problems)
    report("the service \(isDeletion ? "no longer uses it" : "uses it from now on")")
  }
}

import ArgumentParser
import Bus
import EventDevices
import Status
import Terminal

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
    let with = isDeletion ? "without" : "by"
    let problems: [String]
    do {
      let client = try DaemonClient()
      let path = try client.status().configuration.path
      guard resolvedPath(path) == resolvedPath(folder) else {
        return report(
          "the service goes by \(path.printable), not by \(folder.printable): nothing changes for it"
        )
      }
      problems = try client.reload()
    } catch {
      switch error {
      case .noLibrary:
        return report(
          "without libsystemd a service cannot be told; it goes \(with) the file from its next start or SIGHUP on"
        )
      case .noBus, .notRunning:
        return report("no service is running now; it goes \(with) the file from its next start on")
      default:
        throw error
      }
    }
    guard problems.isEmpty else {
      for problem in problems { report("error: \(problem.printable)") }
      report("the service goes on with the settings it has; “keydebounce check” shows the places")
      throw ExitCode(ExitStatus.badConfiguration.rawValue)
    }
    report("the service goes \(with) it from now on")
  }
}

import Glibc

/// Why the daemon does not start, where no device is to blame.
public enum StartError: Error, Equatable, CustomStringConvertible {
  /// Another daemon runs, as this process if that is known.
  case isRunning(pid_t?)

  public var description: String {
    switch self {
    case .isRunning(let process):
      """
      keydebounce runs already\(process.map { " (process \($0))" } ?? ""), and two would take keyboards from each \
      other. Stop the other first: the service with “sudo systemctl stop keydebounce”, one in a terminal with Ctrl-C
      """
    }
  }
}

import Glibc

/// Why the daemon does not start, where no device is to blame.
public enum StartError: Error, Equatable, CustomStringConvertible {
  /// A path given with `--device` is no event device.
  case noSuchDevice(String)
  /// Another daemon runs, as this process if that is known.
  case isRunning(pid_t?)

  public var description: String {
    switch self {
    case .noSuchDevice(let path):
      """
      \(path) is no event device. Devices are /dev/input/eventN or a link to one in \
      /dev/input/by-id or by-path
      """
    case .isRunning(let process):
      """
      keydebounce runs already\(process.map { " (process \($0))" } ?? ""), and two would take keyboards from each \
      other. Stop the other first: the service with “sudo systemctl stop keydebounce”, one in a terminal with Ctrl-C
      """
    }
  }
}

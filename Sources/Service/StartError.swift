/// Why the daemon does not start, where no device is to blame.
public enum StartError: Error, Equatable, CustomStringConvertible {
  /// A path given with `--device` is no event device.
  case noSuchDevice(String)

  public var description: String {
    switch self {
    case .noSuchDevice(let path):
      """
      \(path) is no event device. Devices are /dev/input/eventN or a link to one in \
      /dev/input/by-id or by-path
      """
    }
  }
}

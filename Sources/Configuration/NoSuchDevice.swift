/// A path that a person gave for a device, and at which there is none.
public struct NoSuchDevice: Error, Equatable, CustomStringConvertible {
  public let path: String

  public init(path: String) {
    self.path = path
  }

  public var description: String {
    """
    \(path) is no event device, or none that is there now. Devices are /dev/input/eventN or a link to one in \
    /dev/input/by-id or by-path; “keydebounce list --all” shows them
    """
  }
}

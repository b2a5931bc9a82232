import Terminal

/// Several device files match a device equally well.
public struct DeviceTie: Error, Equatable, CustomStringConvertible {
  public let name: String
  public let files: [String]

  public var description: String {
    """
    several files match “\(name.printable)” equally well: \
    \(files.map(\.printable).joined(separator: ", ")); \
    expected one that says more about it in its [device] than the others
    """
  }
}

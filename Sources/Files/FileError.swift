import SystemPackage

/// Why a file or a folder cannot be used.
public struct FileError: Error, CustomStringConvertible {
  /// What was attempted, such as “read”.
  public let operation: String
  public let path: String
  public let reason: Errno

  public init(operation: String, path: String, reason: Errno) {
    self.operation = operation
    self.path = path
    self.reason = reason
  }

  public var description: String {
    reason == .fileExists
      ? "cannot \(operation) \(path): the file exists already; name another, or delete it"
      : "cannot \(operation) \(path): \(reason)"
  }
}

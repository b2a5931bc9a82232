import SystemPackage

/// Why a file cannot be used that was named on the command line.
struct FileError: Error, CustomStringConvertible {
  /// What was tried, as “read”.
  let operation: String
  let path: String
  let reason: Errno

  var description: String {
    reason == .fileExists
      ? "cannot \(operation) \(path): the file exists already; name another, or delete it"
      : "cannot \(operation) \(path): \(reason)"
  }
}

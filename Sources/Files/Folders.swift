import Glibc
import SystemPackage

/// The names of all entries of a folder, hidden ones included, in no particular order.
public func entries(of folder: String) throws(Errno) -> [String] {
  guard let stream = opendir(folder) else { throw .last }
  defer { closedir(stream) }
  var names: [String] = []
  while true {
    // Only errno tells the end from a failure.
    errno = 0
    guard let entry = readdir(stream) else { break }
    let name = withUnsafeBytes(of: entry.pointee.d_name) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name != ".", name != ".." { names.append(name) }
  }
  guard errno == 0 else { throw .last }
  return names
}

/// The path with all links followed; the path itself if it leads nowhere.
public func resolvedPath(_ path: String) -> String {
  guard let target = realpath(path, nil) else { return path }
  defer { free(target) }
  return String(cString: target)
}

/// Makes a folder, and the missing ones above it. A folder that exists stays as it is.
///
/// - Parameter permissions: The permissions of each new folder, whatever the umask.
public func makeFolders(_ folder: String, permissions: FilePermissions) throws(Errno) {
  while mkdir(folder, permissions.rawValue) != 0 {
    if errno == EEXIST { return }
    guard errno == ENOENT, let slash = folder.lastIndex(of: "/"), slash > folder.startIndex else {
      throw .last
    }
    try makeFolders(String(folder[..<slash]), permissions: permissions)
  }
  try Errno.typed {
    // The owner of the folder above may have put a link there meanwhile.
    let made = try FileDescriptor.open(
      folder, .readOnly, options: [.directory, .noFollow, .closeOnExec])
    try made.closeAfter { try Errno.check(fchmod(made.rawValue, permissions.rawValue)) }
  }
}

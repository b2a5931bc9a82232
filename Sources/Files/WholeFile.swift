import Glibc
import SystemPackage

/// Files that are read and written as a whole.
public enum WholeFile {
  /// The longest file that is read, in bytes.
  private static let longest = 1 << 24

  /// All that the file holds.
  ///
  /// - Throws: ``FileError`` if it cannot be read, or has more than 16 MiB.
  public static func read(_ path: String) throws(FileError) -> [UInt8] {
    do {
      let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
      return try file.closeAfter { try read(file) }
    } catch let reason as Errno {
      throw FileError(operation: "read", path: path, reason: reason)
    } catch {
      throw FileError(operation: "read", path: path, reason: .ioError)
    }
  }

  /// All that is left to read from a descriptor, which stays open.
  ///
  /// - Throws: `Errno` if it cannot be read, or there are more than 16 MiB.
  public static func read(_ file: FileDescriptor) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let portion = 1 << 16
    while true {
      let part = try [UInt8](unsafeUninitializedCapacity: portion) { buffer, count in
        count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
      }
      guard !part.isEmpty else { return bytes }
      bytes += part
      guard bytes.count <= longest else { throw Errno.fileTooLarge }
    }
  }

  /// Finds out whether a new file can be put in a place.
  ///
  /// - Throws: ``FileError`` if there is a file already, or the folder is missing or may not be written.
  public static func checkPlace(for path: String) throws(FileError) {
    var status = stat()
    let isThere = stat(path, &status) == 0
    if isThere, status.st_mode & S_IFMT == S_IFREG {
      throw FileError(operation: "write", path: path, reason: .fileExists)
    }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    if !isThere, access(folder, W_OK | X_OK) != 0 {
      throw FileError(operation: "write", path: path, reason: Errno(rawValue: errno))
    }
  }

  /// Puts a file in place. Opening the path finds the whole old file or the whole new one, at any time and also
  /// after a power failure.
  ///
  /// - Parameters:
  ///   - permissions: Those of the new file, whatever the umask.
  ///   - owner: To whom it is to belong; `nil` for who writes it.
  /// - Throws: `Errno`.
  public static func replace(
    _ path: String, with bytes: some Sequence<UInt8>, permissions: FilePermissions,
    owner: Caller? = nil
  ) throws(Errno) {
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let new = "\(path[..<slash]).\(path[slash...]).new"
    // A process that was killed may have left it. A link that someone else has put there is not followed.
    unlink(new)
    do {
      let file = try FileDescriptor.open(
        FilePath(new), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec, .noFollow],
        permissions: permissions)
      try file.closeAfter {
        try file.writeAll(bytes)
        if let owner, fchown(file.rawValue, owner.user, owner.group) != 0 {
          throw Errno(rawValue: errno)
        }
        guard fchmod(file.rawValue, permissions.rawValue) == 0, fsync(file.rawValue) == 0 else {
          throw Errno(rawValue: errno)
        }
      }
      guard rename(new, path) == 0 else { throw Errno(rawValue: errno) }
    } catch {
      unlink(new)
      throw error as? Errno ?? .ioError
    }
  }
}

/// A user and their group, by number.
public struct Caller: Equatable, Sendable {
  public let user: uid_t
  public let group: gid_t

  /// Who called with sudo; `nil` if nobody did.
  public static var beforeSudo: Caller? {
    guard geteuid() == 0, let user = number("SUDO_UID"), let group = number("SUDO_GID") else {
      return nil
    }
    return Caller(user: user, group: group)
  }

  private static func number(_ name: String) -> UInt32? {
    getenv(name).flatMap { UInt32(String(cString: $0)) }
  }
}

/// Where a path leads once all links are followed; the path itself if it leads nowhere.
public func resolvedPath(_ path: String) -> String {
  guard let target = realpath(path, nil) else { return path }
  defer { free(target) }
  return String(cString: target)
}

/// Makes a folder, and those above it that are missing. One that exists is left as it is.
///
/// - Parameter permissions: Those of each new one, whatever the umask.
/// - Throws: `Errno`.
public func makeFolders(_ folder: String, permissions: FilePermissions) throws(Errno) {
  let mode = mode_t(permissions.rawValue)
  while mkdir(folder, mode) != 0 {
    if errno == EEXIST { return }
    guard errno == ENOENT, let slash = folder.lastIndex(of: "/"), slash > folder.startIndex else {
      throw Errno(rawValue: errno)
    }
    try makeFolders(String(folder[..<slash]), permissions: permissions)
  }
  guard chmod(folder, mode) == 0 else { throw Errno(rawValue: errno) }
}

import Glibc
import SystemPackage

/// Files that are read and written as a whole.
public enum WholeFile {
  /// The longest file that is read, in bytes.
  public static let longest = 1 << 24

  /// The bytes of a file. The call does not wait: a pipe is refused, because nobody may ever write to it.
  ///
  /// - Parameters:
  ///   - limit: The most bytes that the file may have.
  ///   - followsLink: Whether the path may be a link.
  /// - Throws: ``FileError``: `EISDIR` for a folder, `ENXIO` for a pipe or a socket, `EFBIG` for a file that is too long.
  public static func read(
    _ path: String, upTo limit: Int = longest, followsLink: Bool = true
  ) throws(FileError) -> [UInt8] {
    do {
      return try Errno.typed {
        let file = try FileDescriptor.open(
          path, .readOnly, options: [.closeOnExec, .nonBlocking, followsLink ? [] : .noFollow])
        return try file.closeAfter {
          switch try status(of: file).st_mode & S_IFMT {
          case S_IFIFO: throw Errno.noSuchAddressOrDevice
          case S_IFDIR: throw Errno.isDirectory
          default: return try read(file, upTo: limit)
          }
        }
      }
    } catch {
      throw FileError(operation: "read", path: path, reason: error)
    }
  }

  /// The bytes that are left to read from a descriptor, which stays open.
  ///
  /// - Throws: `Errno` if it cannot be read, or there are more bytes than `limit`.
  public static func read(_ file: FileDescriptor, upTo limit: Int = longest) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let portion = 1 << 16
    while true {
      let part = try [UInt8](unsafeUninitializedCapacity: portion) { buffer, count in
        count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
      }
      guard !part.isEmpty else { return bytes }
      bytes += part
      guard bytes.count <= limit else { throw Errno.fileTooLarge }
    }
  }

  /// Checks whether a new file can be made at a path.
  ///
  /// - Throws: `Errno.fileExists` if anything has the path already, or the reason why the folder cannot be written.
  public static func checkPlace(for path: String) throws(Errno) {
    var status = stat()
    let isThere = lstat(path, &status) == 0
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    if isThere { throw .fileExists }
    try Errno.check(faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS))
  }

  /// Makes a new file at a path, as ``replace(_:with:permissions:)`` does.
  ///
  /// - Throws: `Errno.fileExists` if anything has the path, even if it has come just now.
  public static func create(
    _ path: String, with bytes: some Sequence<UInt8>, permissions: FilePermissions
  ) throws(Errno) {
    // An empty file keeps the place. Not every file system can rename a file without replacing another.
    try Errno.typed {
      try FileDescriptor.open(
        path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
        permissions: .ownerReadWrite
      ).close()
    }
    do {
      try replace(path, with: bytes, permissions: permissions)
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Makes a file, or replaces it. A program that opens the path finds the whole old file or the whole new one, at any time,
  /// even after a power failure.
  ///
  /// - Parameter permissions: The permissions of the new file, whatever the umask.
  public static func replace(
    _ path: String, with bytes: some Sequence<UInt8>, permissions: FilePermissions
  ) throws(Errno) {
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let new = "\(path[..<slash]).\(path[slash...]).new"
    // A process that was killed may have left a file there. A link that somebody else has put there is not followed.
    unlink(new)
    do {
      try Errno.typed {
        let file = try FileDescriptor.open(
          new, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec, .noFollow],
          permissions: permissions)
        try file.closeAfter {
          try file.writeAll(bytes)
          try Errno.check(fchmod(file.rawValue, permissions.rawValue))
          try Errno.check(fsync(file.rawValue))
        }
      }
      try Errno.check(rename(new, path))
    } catch {
      unlink(new)
      throw error
    }
  }
}

private func status(of file: FileDescriptor) throws(Errno) -> stat {
  var status = stat()
  try Errno.check(fstat(file.rawValue, &status))
  return status
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

/// Files that hold what was typed. Only the caller may read them, and nobody else may have put them there.
public enum PrivateFile {
  /// Opens a file for writing, without waiting.
  ///
  /// A path may be somebody else's trap: a link to a file of the caller's, or a pipe in `/tmp` that somebody reads. So a file is
  /// always made anew, and one that exists is left alone. The path may also name a descriptor that the caller has opened
  /// (`/dev/stdout`, `/dev/fd/N`): a pipe, a terminal, or a file that only the caller may read.
  ///
  /// - Throws: ``FileError``: `EEXIST` if anything has the path, `EACCES` for a descriptor of anything else, `ENXIO` for a pipe
  ///   that nobody reads.
  public static func open(_ path: String) throws(FileError) -> FileDescriptor {
    let descriptor = descriptor(named: path)
    do throws(Errno) {
      if let descriptor { return try reopen(descriptor) }
      return try Errno.typed {
        try FileDescriptor.open(
          path, .writeOnly,
          options: [.create, .exclusiveCreate, .noFollow, .nonBlocking, .closeOnExec],
          permissions: .ownerReadWrite)
      }
    } catch {
      let advice: String? =
        switch error {
        case .fileExists where descriptor == nil && isPipe(path):
          "it is a pipe, which must be open already: name /dev/stdout, and write “> \(path)” behind the command"
        case .noSuchAddressOrDevice:
          descriptor.map {
            isPipe("/proc/self/fd/\($0)", followsLink: true)
              ? "nobody reads the pipe; start what reads it first"
              : "it cannot be opened anew, as a socket cannot; write “| cat” behind the command"
          }
        case .permissionDenied where descriptor != nil:
          "expected a pipe, a terminal, or a file of the user who runs this (with sudo, root) that nobody else may read"
        default: nil
        }
      throw FileError(operation: "record to", path: path, reason: error, advice: advice)
    }
  }

  private static func isPipe(_ path: String, followsLink: Bool = false) -> Bool {
    var status = stat()
    return (followsLink ? stat(path, &status) : lstat(path, &status)) == 0
      && status.st_mode & S_IFMT == S_IFIFO
  }

  /// The descriptor that a path names; `nil` for a path like others.
  private static func descriptor(named path: String) -> CInt? {
    switch path {
    case "-", "/dev/stdout": return STDOUT_FILENO
    case "/dev/stderr": return STDERR_FILENO
    default: break
    }
    for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
      if let number = CInt(path.dropFirst(folder.count)), number >= 0 { return number }
    }
    return nil
  }

  /// Opens a descriptor's file once more. The new descriptor does not wait, and the caller's own stays as it is.
  private static func reopen(_ descriptor: CInt) throws(Errno) -> FileDescriptor {
    try Errno.typed {
      let file = try FileDescriptor.open(
        "/proc/self/fd/\(descriptor)", .writeOnly,
        options: [.append, .nonBlocking, .closeOnExec, .init(rawValue: O_NOCTTY)])
      do {
        let status = try status(of: file)
        let isFit =
          switch status.st_mode & S_IFMT {
          case S_IFIFO: true
          case S_IFCHR: isatty(file.rawValue) == 1
          case S_IFREG: status.st_uid == geteuid() && status.st_mode & 0o077 == 0
          default: false
          }
        guard isFit else { throw Errno.permissionDenied }
      } catch {
        try? file.close()
        throw error
      }
      return file
    }
  }
}

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

/// Why a file or a folder cannot be used.
public struct FileError: Error, CustomStringConvertible {
  /// The attempt that failed, such as “read”.
  public let operation: String
  public let path: String
  public let reason: Errno
  /// Words in place of the reason, if more is known.
  private let advice: String?

  public init(operation: String, path: String, reason: Errno, advice: String? = nil) {
    (self.operation, self.path, self.reason, self.advice) = (operation, path, reason, advice)
  }

  public var description: String {
    let words =
      reason == .fileExists ? "the file exists already; name another, or delete it" : "\(reason)"
    return "cannot \(operation) \(path): \(advice ?? words)"
  }
}

import Glibc
import SystemPackage

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

func status(of file: FileDescriptor) throws(Errno) -> stat {
  var status = stat()
  try Errno.check(fstat(file.rawValue, &status))
  return status
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
    return "cannot \(operation) \(path.isEmpty ? "“”" : path): \(advice ?? words)"
  }
}

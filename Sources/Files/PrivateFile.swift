import Glibc
import SystemPackage

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
        case .fileExists where descriptor == nil && kind(of: path) == S_IFDIR:
          "it is a folder; name a file in it"
        case .fileExists where descriptor == nil && kind(of: path) == S_IFIFO:
          "it is a pipe, which must be open already: name /dev/stdout, and write “> \(path)” behind the command"
        case .noSuchAddressOrDevice:
          descriptor.map {
            kind(of: "/proc/self/fd/\($0)", followsLink: true) == S_IFIFO
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

  private static func kind(of path: String, followsLink: Bool = false) -> mode_t {
    var status = stat()
    let isThere = (followsLink ? stat(path, &status) : lstat(path, &status)) == 0
    return isThere ? status.st_mode & S_IFMT : 0
  }

  /// The descriptor that a path names; `nil` for a path like others.
  private static func descriptor(named path: String) -> CInt? {
    if path == "-" || path == "/dev/stdout" { return STDOUT_FILENO }
    if path == "/dev/stderr" { return STDERR_FILENO }
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

import Glibc
import SystemPackage

/// Files that hold what was typed: nobody but the caller may read them, and nobody else may have put them there.
public enum PrivateFile {
  /// Opens a file for writing, without waiting.
  ///
  /// What a path leads to may be somebody else's trap: a link to a file of the caller's, a pipe in `/tmp` that somebody
  /// reads. So a file is always made anew, and one that exists is left alone. What the caller has opened is passed as a
  /// descriptor, `/dev/stdout` or `/dev/fd/N`: a pipe, a terminal, or a file that only the caller may read.
  ///
  /// - Throws: `Errno.fileExists` if something is there; `Errno.permissionDenied` for a descriptor of anything else.
  public static func open(_ path: String) throws(Errno) -> FileDescriptor {
    if let descriptor = descriptor(named: path) { return try reopen(descriptor) }
    let file = Glibc.open(
      path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Errno(rawValue: errno) }
    return FileDescriptor(rawValue: file)
  }

  /// The descriptor that a path stands for; `nil` if it is a path like others.
  static func descriptor(named path: String) -> CInt? {
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

  /// Opens once more what the caller has opened: whether writing waits is then nobody else's matter.
  private static func reopen(_ descriptor: CInt) throws(Errno) -> FileDescriptor {
    let file = Glibc.open(
      "/proc/self/fd/\(descriptor)", O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else { throw Errno(rawValue: errno) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw Errno(rawValue: errno) }
    let isFit =
      switch status.st_mode & S_IFMT {
      case S_IFIFO: true
      case S_IFCHR: isatty(file) == 1
      case S_IFREG: status.st_uid == geteuid() && status.st_mode & 0o077 == 0
      default: false
      }
    guard isFit else {
      close(file)
      throw .permissionDenied
    }
    return FileDescriptor(rawValue: file)
  }
}

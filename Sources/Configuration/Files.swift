import Glibc

/// What stands at a path.
enum FileKind {
  case missing
  case file
  case folder
  case pipeOrDevice
  /// A link to nothing, or something of which reading alone shows what it is.
  case unknown

  init(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      let reason = errno
      if reason == ENOENT {
        self = lstat(path, &status) == 0 ? .unknown : .missing
      } else {
        self = .unknown
      }
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: self = .file
    case S_IFDIR: self = .folder
    default: self = .pipeOrDevice
    }
  }
}

/// Whether the process may look for files in the folder, and list them.
func mayEnter(_ folder: String) -> Bool {
  faccessat(AT_FDCWD, folder, R_OK | X_OK, AT_EACCESS) == 0
}

/// Whether a folder is root's, and nobody else may write to it.
func isRootsAlone(_ folder: String) -> Bool {
  var status = stat()
  return lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == 0
    && status.st_mode & 0o022 == 0
}

/// Why a file or folder cannot be read, and what can be done about it.
struct UnreadableFile: Error, CustomStringConvertible {
  let description: String
  /// Whether it could be read by somebody else.
  var isDenied = false
}

/// What a file holds, if that is not more than `limit` bytes.
///
/// Never waits: a pipe is refused, as nobody may ever write to it.
func contents(of path: String, upTo limit: Int) throws(UnreadableFile) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
  guard descriptor >= 0, let file = fdopen(descriptor, "r") else {
    throw UnreadableFile(path, reason: errno)
  }
  defer { fclose(file) }
  var status = stat()
  guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
    throw UnreadableFile(path, reason: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : ENXIO)
  }
  var bytes = [UInt8](repeating: 0, count: limit + 1)
  let count = fread(&bytes, 1, bytes.count, file)
  guard ferror(file) == 0 else {
    throw UnreadableFile(path, reason: errno)
  }
  guard count <= limit else {
    throw UnreadableFile(
      description: "has more than \(limit / 1024) KiB; expected a configuration, which is short")
  }
  return Array(bytes[..<count])
}

extension UnreadableFile {
  /// - Parameter expected: What was expected at the path.
  init(_ path: String, reason: CInt, expected: String = "a file") {
    switch reason {
    case ENOENT where FileKind(of: path) == .unknown:
      description = "is a link to something that is not there; expected \(expected)"
    case ELOOP:
      description = "is a link that leads back to itself; expected \(expected)"
    case EISDIR:
      description = "is a folder; expected \(expected)"
    // What the kernel says of a socket, too.
    case ENXIO:
      description = "is a pipe or a device; expected \(expected)"
    case EACCES:
      description = "\(Self.reader) may not read it; \(Self.readers(of: path))"
      isDenied = true
    default:
      description = "cannot be read: \(String(cString: strerror(reason)))"
    }
  }

  /// As whom the process reads.
  private static var reader: String {
    let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) }
    return "the user “\(user ?? String(geteuid()))”"
  }

  /// Who may read the file, and what the others can do about it.
  private static func readers(of path: String) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return "expected permission to enter the folders above it"
    }
    let owner = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) }
    let group = getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) }
    var readers = [owner ?? "the user \(status.st_uid)"]
    if status.st_mode & S_IRGRP != 0 {
      readers.append("the group \(group ?? String(status.st_gid))")
    }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    return
      "only \(readers.joined(separator: " and ")) may: let everybody with “chmod a+r\(isFolder ? "x" : "") "
      + "\(path)”"
  }
}

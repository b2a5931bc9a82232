import Glibc
import SystemPackage

// Sockets of this machine, for the daemon, its clients, the service manager and the journal. An address is a path, or an
// abstract name that begins with “@”. No call waits.

/// Opens a socket that never waits, connected to the one at a path, which may be no link: whoever owns the folder could lead root
/// to a socket of root's.
///
/// - Returns: The socket, which is the caller's to close.
/// - Throws: `EAGAIN` if the listener's queue is full, on which `DaemonClient` relies; `ENOENT` or `ECONNREFUSED` if nobody
///   listens; `EACCES` if the caller may not connect; `ELOOP` for a link.
public func openSocket(connectedTo path: String) throws(Errno) -> CInt {
  let pathAlone: CInt = 0o10_000_000  // O_PATH
  let node = open(path, pathAlone | O_NOFOLLOW | O_CLOEXEC)
  guard node >= 0 else { throw Errno(rawValue: errno) }
  defer { close(node) }
  var status = stat()
  guard fstat(node, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else {
    throw .tooManySymbolicLinkLevels
  }
  return try openSocket(SOCK_STREAM, at: "/proc/self/fd/\(node)", connect)
}

/// Opens a socket that listens at an address, where nothing may be. The process's umask decides who may connect.
///
/// - Returns: The socket, which never waits, and is the caller's to close.
/// - Throws: `EADDRINUSE` if something is there; the other reasons are those of bind(2).
public func openSocket(listeningAt path: String, backlog: CInt) throws(Errno) -> CInt {
  try openSocket(SOCK_STREAM, at: path) { socket, address, length in
    let result = bind(socket, address, length)
    return result == 0 ? listen(socket, backlog) : result
  }
}

/// Sends a message, as a whole and without waiting, to the socket at an address.
///
/// - Throws: `EAGAIN` if the receiver's queue is full, so that trying again may help; `EMSGSIZE` if the message is too long.
public func sendMessage(_ text: String, to address: String) throws(Errno) {
  let socket = try openSocket(SOCK_DGRAM, at: address, connect)
  defer { close(socket) }
  let sent = send(socket, text, text.utf8.count, CInt(MSG_NOSIGNAL))
  if sent < 0 { throw Errno(rawValue: errno) }
}

private func openSocket(
  _ type: __socket_type, at name: String,
  _ use: (CInt, UnsafePointer<sockaddr>?, socklen_t) -> CInt
) throws(Errno) -> CInt {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  let room = MemoryLayout.size(ofValue: address.sun_path)
  guard name.utf8.count < room else { throw .fileNameTooLong }
  withUnsafeMutableBytes(of: &address.sun_path) {
    $0.copyBytes(from: name.utf8)
    if name.hasPrefix("@") { $0[0] = 0 }
  }
  let length = MemoryLayout<sockaddr_un>.size - room + name.utf8.count
  let kind = type.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
  let socket = Glibc.socket(AF_UNIX, CInt(kind), 0)
  guard socket >= 0 else { throw Errno(rawValue: errno) }
  let result = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { use(socket, $0, socklen_t(length)) }
  }
  guard result == 0 else {
    let reason = Errno(rawValue: errno)
    close(socket)
    throw reason
  }
  return socket
}

import Glibc

/// A socket that programs connect to by a path, as they do to a bus. It is gone with its file after the test.
public struct UnixListener: ~Copyable {
  private let folder: Folder
  private let socket: CInt

  public init() throws {
    folder = try Folder()
    socket = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = path.utf8
    precondition(bytes.count < MemoryLayout.size(ofValue: address.sun_path), "\(path) is too long")
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    precondition(result == 0 && listen(socket, 1) == 0, "no socket at \(path)")
  }

  deinit { close(socket) }

  public var path: String { folder.path + "/bus" }

  /// Waits for who connects. The caller closes what is returned.
  public func accept() -> CInt { Glibc.accept(socket, nil, nil) }
}

import Control
import EventDevices
import Foundation
import Glibc
import Status
import SystemPackage

/// A connection to the daemon's socket, which may be another user's: it sends what a test likes, and never waits to send.
public final class ControlConnection {
  /// The user who connects.
  public enum User: String, CaseIterable, Sendable {
    case root
    /// A member of the group `keydebounce`, without any other right.
    case member
    case stranger
  }

  public typealias Answer = ControlAnswer<[String: ControlValue]>

  private let socket: CInt
  private var received: [UInt8] = []

  /// Has the group be there whose members may connect. A daemon that starts afterwards knows it.
  public static func makeGroup() throws {
    guard getgrnam(ControlInterface.group) == nil else { return }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: "/etc/group"))
    try file.seekToEnd()
    try file.write(contentsOf: Data("\(ControlInterface.group):x:950:\n".utf8))
    try file.close()
  }

  /// Connects. The kernel takes the connection for the user's, by the rights of the process at this moment.
  ///
  /// - Throws: `Errno` if the kernel does not let the user connect; ``WaitedInVain``.
  public init(as user: User = .root, at path: String = ControlInterface.socket()) throws {
    let end = monotonicNow() + patience
    while true {
      do {
        socket = try Self.lock.withLock { try Self.connect(as: user, to: path) }
        return
      } catch Errno.resourceTemporarilyUnavailable where monotonicNow() < end {
        // The daemon's queue of connections is full.
        sleep(until: monotonicNow() + 1000)
      }
    }
  }

  /// The process is one user at a time, all its threads together.
  private static let lock = NSLock()

  private static func connect(as user: User, to path: String) throws -> CInt {
    defer { if user != .root { _ = (seteuid(0), setegid(0), setgroups(0, nil)) } }
    if user != .root {
      let member = getgrnam(ControlInterface.group).map { [$0.pointee.gr_gid] } ?? []
      var groups = user == .member ? member : []
      setgroups(groups.count, &groups)
      guard setegid(65534) == 0, seteuid(65534) == 0 else {
        throw WaitedInVain(description: "the test cannot become \(user): root alone can")
      }
    }
    return try openSocket(connectedTo: path)
  }

  deinit { close(socket) }

  /// Sends as much as the socket takes.
  ///
  /// - Returns: How many bytes it took; `nil` if the daemon has closed the connection.
  public func offer(_ bytes: ArraySlice<UInt8>) -> Int? {
    let count = bytes.withUnsafeBytes {
      Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
    }
    return count >= 0 ? count : errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  /// Sends a call, which fits into the socket.
  public func send(
    _ method: String, _ parameters: [String: ControlValue] = [:], upgrade: Bool = false
  ) throws {
    let call = ControlCall(method, parameters, upgrade: upgrade)
    _ = offer(try StatusJSON.encode(call)[...] + [endOfMessage])
  }

  /// The next message, without the byte that ends it; `nil` if the daemon has closed the connection.
  ///
  /// - Throws: ``WaitedInVain`` if nothing comes for `limit` microseconds.
  public func message(limit: Int64 = patience) throws -> [UInt8]? {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let end = received.firstIndex(of: endOfMessage) {
        defer { received.removeFirst(end + 1) }
        return Array(received[..<end])
      }
      guard waitUntilReadable(socket, limit: limit) else {
        throw WaitedInVain(description: "the daemon does not answer")
      }
      let count = recv(socket, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      received += chunk.prefix(count)
    }
  }

  /// Calls a method, and waits for the answer; `nil` if the daemon closes the connection instead.
  public func call(
    _ method: ControlMethod, _ parameters: [String: ControlValue] = [:], upgrade: Bool = false
  ) throws -> Answer? {
    try send(method.fullName, parameters, upgrade: upgrade)
    return try message().map { try StatusJSON.decode(Answer.self, from: $0) }
  }
}

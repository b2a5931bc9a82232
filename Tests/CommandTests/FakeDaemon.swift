import Control
import Foundation
import Glibc
import Samples
import Status
import Synchronization

/// A daemon that does what a test tells it, at a socket in a folder of its own. It is gone with the value.
final class FakeDaemon {
  /// A client's connection.
  struct Connection {
    fileprivate let socket: CInt

    /// Sends bytes, as long as somebody reads.
    ///
    /// - Returns: Whether all were sent.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool { sendAll(bytes, to: socket) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func answer(_ parameters: some Encodable = ControlParameters(), error: String? = nil) {
      let answer = ControlAnswer(parameters, error: error)
      send(((try? StatusJSON.encode(answer)) ?? []) + [endOfMessage])
    }

    /// Answers that it holds this device and no other.
    func answer(device node: String, _ state: ControlledDevice.State = .debounced) {
      answer(
        ControlParameters(devices: [
          ControlledDevice(node: node, name: "Worn", state: state, paused: false)
        ]))
    }

    func refuse(_ refusal: ControlRefusal, _ text: String) {
      answer(ControlParameters(text: text), error: refusal.fullName)
    }

    /// Ends the connection; what was sent is read before.
    func end() { shutdown(socket, CInt(SHUT_RDWR)) }

    /// The next call; `nil` when the client has gone, or has sent something else.
    fileprivate func nextCall() -> ControlCall? {
      var (message, byte): ([UInt8], UInt8) = ([], 0)
      while recv(socket, &byte, 1, 0) == 1 {
        if byte == endOfMessage { return try? StatusJSON.decode(ControlCall.self, from: message) }
        message.append(byte)
      }
      return nil
    }
  }

  /// Where a daemon listens that can be replaced by another.
  final class Place {
    private let folder: Folder
    let socket: String

    init() throws {
      folder = try Folder()
      socket = ControlInterface.socket(in: folder.path)
    }
  }

  /// The connections that are open.
  private final class Connections: Sendable {
    private let sockets = Mutex<Set<CInt>>([])

    func add(_ socket: CInt) { sockets.withLock { _ = $0.insert(socket) } }

    func close(_ socket: CInt) {
      sockets.withLock {
        $0.remove(socket)
        _ = Glibc.close(socket)
      }
    }

    func endAll() { sockets.withLock { for socket in $0 { shutdown(socket, CInt(SHUT_RDWR)) } } }
  }

  private let place: Place
  private let listener: CInt
  private let connections = Connections()
  private let hasEnded = DispatchSemaphore(value: 0)

  var path: String { place.socket }

  /// What a command finds in its environment, so that it asks this daemon.
  var environment: [String: String] { ["KEYDEBOUNCE_SOCKET": path] }

  /// - Parameters:
  ///   - greet: What it does with a connection before anything is read.
  ///   - answer: What it does with a call.
  init(
    at place: Place? = nil, greeting greet: @escaping @Sendable (Connection) -> Void = { _ in },
    answering answer: @escaping @Sendable (ControlCall, Connection) -> Void
  ) throws {
    self.place = try place ?? Place()
    listener = try openSocket(listeningAt: self.place.socket, backlog: 8)
    _ = fcntl(listener, F_SETFL, 0)
    Thread.detachNewThread { [listener, hasEnded, connections] in
      while true {
        let socket = accept(listener, nil, nil)
        guard socket >= 0 else { break }
        connections.add(socket)
        Thread.detachNewThread {
          let connection = Connection(socket: socket)
          greet(connection)
          while let call = connection.nextCall() { answer(call, connection) }
          connections.close(socket)
        }
      }
      hasEnded.signal()
    }
  }

  /// A daemon that tells this status, and holds no device.
  convenience init(showing status: DaemonStatus) throws {
    try self.init { call, connection in
      guard call.method == ControlMethod.status.fullName else {
        return connection.refuse(.notHeld, "it is not held")
      }
      connection.answer(ControlParameters(status: status))
    }
  }

  deinit {
    shutdown(listener, CInt(SHUT_RDWR))
    hasEnded.wait()
    close(listener)
    unlink(place.socket)
    connections.endAll()
  }
}

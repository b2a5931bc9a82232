import Control
import Debounce
import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("A member who floods the daemon's socket")
  struct ControlFloodTests {
    /// How many edges are made beside the flood, at least.
    private static let edges = isEndurance ? 600 : 150

    @Test("makes no key late, loses none, keeps root from nothing, and takes little memory")
    func member() throws {
      try ControlConnection.makeGroup()
      let desk = try Desk()
      let (keyboard, daemon, application) = desk.all
      // The machine has the same to do: others read what these send.
      let usual: [Int64]
      do {
        let bystander = try Bystander()
        let crowd = Mischief.crowd(at: bystander.path)
        usual = try type(on: keyboard, readBy: application) { $0 < Self.edges }
        for client in crowd { client.stop() }
        bystander.stop()
      }
      _ = try DaemonClient.statusNow()
      let memory = try ProcessUse(of: daemon.processIdentifier).peak
      let crowd = Mischief.crowd(at: ControlInterface.socket())
      var asked = 0
      let busy = try type(on: keyboard, readBy: application) { (count: Int) throws -> Bool in
        if count % 20 == 0 {
          let root = try ControlConnection()
          let answer = try #require(try root.call(.status))
          #expect(answer.error == nil)
          asked += 1
        }
        return count < Self.edges || !crowd.allSatisfy(\.isDone)
      }
      for client in crowd { client.stop() }
      let growth = try ProcessUse(of: daemon.processIdentifier).peak - memory
      print(
        """
        \(busy.count) edges beside twelve connections (\(crowd.map { "\($0.kind) \($0.count)" }.joined(separator: ", "))); \
        root was answered \(asked) times; the daemon's memory grew by \(growth) KiB
        """)
      // Beside the bystander, one edge of a thousand is later than this.
      let usually = usual.sorted()[usual.count - 1 - usual.count / 1000]
      let late = busy.count { $0 > usually }
      // If the daemon delays nothing, seven edges are later than the bystander's latest once in 128 runs.
      #expect(
        late <= max(busy.count / 100, 6),
        "\(late) of \(busy.count) edges were later than \(usually) µs")
      #expect(growth < 4000)
      #expect(try application.moves(of: .stroke(30), on: keyboard) == .stroke(30))
    }

    /// Makes strokes for as long as `goesOn` says, and reads them.
    ///
    /// - Parameter goesOn: Is told how many edges there were.
    /// - Returns: How late each edge was read after it had been sent, in microseconds.
    private func type(
      on keyboard: UinputDevice, readBy application: EventReader,
      while goesOn: (Int) throws -> Bool
    ) throws -> [Int64] {
      var delays: [Int64] = []
      while try goesOn(delays.count) {
        let key = KeyCode(30 + delays.count / 2 % 8)
        for down in [true, false] {
          let sent = monotonicNow()
          keyboard.send(key, down: down)
          let frames = try application.frames(upTo: .key(key, down: down))
          delays.append(monotonicNow() - sent)
          #expect(keyMoves(frames) == [.key(key, down: down)])
          // The next edge comes so late that nobody takes it for a bounce.
          sleep(until: sent + 60_000)
        }
      }
      return delays
    }
  }
}

/// A member's connection that does what none should, again and again, on a thread of its own. Where the daemon closes it, it
/// connects anew.
private final class Mischief: @unchecked Sendable {
  enum Kind: String {
    /// Sends half a request, and waits until the connection is closed.
    case half
    /// Sends a megabyte without an end.
    case megabyte
    /// Sends bytes that mean nothing.
    case garbage
    /// Asks, and does not read the answers, until the connection is closed.
    case deaf
    /// Asks many times, as fast as it is answered: what it may, and what it may not.
    case asker

    /// How often it is done before that is enough.
    var enough: Int {
      switch self {
      case .half, .deaf: 1
      case .megabyte, .garbage: isEndurance ? 20 : 5
      case .asker: isEndurance ? 1000 : 100
      }
    }
  }

  let kind: Kind
  private let lock = NSLock()
  private var isStopped = false
  private var done = 0
  private let ended = DispatchSemaphore(value: 0)

  /// Twelve connections, as many as the group may have beside root.
  static func crowd(at path: String) -> [Mischief] {
    let kinds: [Kind] = [
      .half, .half, .megabyte, .megabyte, .megabyte, .garbage, .garbage, .garbage,
    ]
    return (kinds + [.deaf, .deaf, .asker, .asker]).map { Mischief($0, at: path) }
  }

  private init(_ kind: Kind, at path: String) {
    self.kind = kind
    Thread.detachNewThread { [self] in
      var connection: ControlConnection?
      while goesOn {
        if connection == nil { connection = try? ControlConnection(as: .member, at: path) }
        guard let present = connection else {
          sleep(until: monotonicNow() + 10_000)
          continue
        }
        if !act(through: present) { connection = nil }
        lock.withLock { done += 1 }
      }
      ended.signal()
    }
  }

  var count: Int { lock.withLock { done } }
  var isDone: Bool { count >= kind.enough }
  private var goesOn: Bool { lock.withLock { !isStopped } }

  func stop() {
    lock.withLock { isStopped = true }
    ended.wait()
  }

  /// - Returns: Whether the connection is still open.
  private func act(through connection: ControlConnection) -> Bool {
    switch kind {
    case .half:
      return send(Array(#"{"method":"#.utf8), to: connection) && waitForEnd(of: connection)
    case .megabyte:
      return send([UInt8](repeating: UInt8(ascii: "["), count: 1 << 20), to: connection)
    case .garbage:
      let bytes = (0..<512).map { _ in UInt8.random(in: 0...255) }
      return send(bytes, to: connection)
    case .deaf:
      let call = Array(#"{"method":"\#(ControlMethod.devices.fullName)"}"#.utf8) + [endOfMessage]
      while goesOn {
        guard let count = connection.offer(call[...]) else { return false }
        if count < call.count { return send(call, to: connection) }
      }
      return true
    case .asker:
      let method: ControlMethod = count.isMultiple(of: 2) ? .devices : .status
      guard (try? connection.send(method.fullName)) != nil else { return false }
      return (try? connection.message()) ?? nil != nil
    }
  }

  /// Sends all of it, however long that takes.
  ///
  /// - Returns: Whether the connection is still open.
  private func send(_ bytes: [UInt8], to connection: ControlConnection) -> Bool {
    var rest = bytes[...]
    while goesOn, !rest.isEmpty {
      guard let count = connection.offer(rest) else { return false }
      rest = rest.dropFirst(count)
      if count == 0 { sleep(until: monotonicNow() + 10_000) }
    }
    return true
  }

  private func waitForEnd(of connection: ControlConnection) -> Bool {
    while goesOn {
      do {
        if try connection.message(limit: 100_000) == nil { return false }
      } catch {}
    }
    return true
  }
}

/// Somebody else who reads what is sent, answers each message, and closes what has no end.
private final class Bystander: @unchecked Sendable {
  let path = "/tmp/bystander-\(UUID().uuidString)"
  private let lock = NSLock()
  private var isStopped = false
  private let ended = DispatchSemaphore(value: 0)
  private let socket: CInt

  init() throws {
    socket = try openSocket(listeningAt: path, backlog: 16)
    // Members of the group connect to it, as to the daemon.
    chmod(path, 0o666)
    Thread.detachNewThread { [self] in
      serve()
      ended.signal()
    }
  }

  func stop() {
    lock.withLock { isStopped = true }
    ended.wait()
    close(socket)
    unlink(path)
  }

  private func serve() {
    var clients: [CInt] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    let answer = Array("{}".utf8) + [endOfMessage]
    while !lock.withLock({ isStopped }) {
      var states = ([socket] + clients).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      poll(&states, nfds_t(states.count), 100)
      if states[0].revents != 0 {
        let client = accept(socket, nil, nil)
        if client >= 0 { clients.append(client) }
      }
      for state in states.dropFirst() where state.revents != 0 {
        let count = recv(state.fd, &chunk, chunk.count, CInt(MSG_DONTWAIT))
        let ends = count > 0 ? chunk[..<count].count { $0 == endOfMessage } : 0
        for _ in 0..<ends {
          _ = Glibc.send(state.fd, answer, answer.count, CInt(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
        guard count <= 0 || count == chunk.count else { continue }
        close(state.fd)
        clients.removeAll { $0 == state.fd }
      }
    }
    for client in clients { close(client) }
  }
}

import CLinux
import Control
import Debounce
import Glibc
import Status
import SystemPackage

/// The socket's thread: it takes connections, reads calls, checks them, passes them on, and writes the answers.
///
/// Memory that others choose is bounded: each connection has one call at a time, and nothing more is read of it until the answer
/// has been sent. The time that others take is bounded, too: the thread rests after each piece of work.
///
/// Functions for a connection return whether the connection goes on.
final class ControlThread {
  private final class Connection {
    let socket: CInt
    let isRoot: Bool
    /// Whether its user is neither root nor the service's own.
    let isOthers: Bool
    /// When it last sent something; when it was accepted, if it never did.
    var lastHeard: Instant
    /// Bytes that were received and not yet looked at.
    var input: [UInt8] = []
    /// Bytes that are still to be sent.
    var output: ArraySlice<UInt8> = []
    /// The number of the call that waits for its answer, and whether the client wants the answer.
    var (call, wantsAnswer): (UInt64?, Bool) = (nil, true)
    /// Whether the daemon may take the socket over with the answer.
    var isForWatching = false
    /// When a half request or an unread answer ends the connection.
    var limit = Instant.never

    init(_ socket: CInt, isRoot: Bool, isOthers: Bool, at now: Instant) {
      (self.socket, self.isRoot, self.isOthers, lastHeard) = (socket, isRoot, isOthers, now)
    }

    /// Events of poll(2) to wait for; none while the daemon has a call.
    var events: CInt { call != nil ? 0 : output.isEmpty ? POLLIN : POLLOUT }

    /// Whether it has asked nothing that is not answered.
    var isIdle: Bool { call == nil && input.isEmpty && output.isEmpty }

    /// Whether the client has gone, and its call still waits for its answer.
    var isAbandoned: Bool {
      guard call != nil, !isForWatching else { return false }
      var state = pollfd(fd: socket, events: 0, revents: 0)
      return poll(&state, 1, 0) == 1
    }

    /// When there is something to do without any event: at once for a call that came with the one before.
    var due: Instant {
      if call != nil { return .never }
      return output.isEmpty && input.contains(endOfMessage) ? .longAgo : limit
    }
  }

  private let server: ControlServer
  private let limits: ControlServer.Limits
  private let listener: CInt
  private var connections: [Connection] = []
  private var lastNumber: UInt64 = 0
  private var chunk: [UInt8]

  /// An answer for all who ask at about the same time.
  private final class Shared {
    /// The calls that wait for it.
    var waiting: [UInt64] = []
    var message: [UInt8] = []
    var made = Instant.longAgo
  }
  private let (devices, devicesForRoot, status) = (Shared(), Shared(), Shared())
  private var shared: [Shared] { [devices, devicesForRoot, status] }

  init(_ server: ControlServer, _ listener: CInt) {
    (self.server, self.listener, limits) = (server, listener, server.limits)
    chunk = [UInt8](repeating: 0, count: limits.request)
  }

  func run() {
    while true {
      wait()
      let begin = Instant.now
      turn(now: begin)
      let work = Instant.now - begin
      usleep(UInt32(min(work, limits.rest)))
    }
  }

  private func wait() {
    var states = [
      pollfd(fd: server.answers.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
    ]
    // A connection whose call the daemon has is left out: poll(2) would report again and again that the client has gone.
    states += connections.map {
      pollfd(fd: $0.events == 0 ? -1 : $0.socket, events: Int16($0.events), revents: 0)
    }
    let isShared = shared.contains { !$0.message.isEmpty }
    let due = min(
      connections.lazy.map(\.due).min() ?? .never, isShared ? .now + limits.pause : .never)
    let timeout = due == .never ? -1 : CInt(clamping: max(0, (due - .now + 999) / 1000))
    poll(&states, nfds_t(states.count), timeout)
  }

  private func turn(now: Instant) {
    for (call, answer) in server.answers.takeAll() { receive(answer, to: call, now: now) }
    for connection in connections.reversed() where connection.call == nil {
      if connection.limit <= now || !exchange(with: connection, now: now) { end(connection) }
    }
    accept(now: now)
    for shared in shared where shared.made + limits.pause <= now { shared.message = [] }
  }

  private func accept(now: Instant) {
    for _ in 0..<limits.accepted {
      let socket = clinux_accept(listener)
      guard socket >= 0 else {
        // If the process has no descriptors left, the listener stays readable.
        if errno != EAGAIN { usleep(UInt32(limits.rest)) }
        return
      }
      let user = server.user(socket)
      // `systemctl reload` calls as the service's own user. Members must not be able to take its place.
      let isOthers = user != 0 && user != server.ownUser
      guard makeRoom(forOthers: isOthers) else {
        refuse(socket)
        continue
      }
      let connection = Connection(socket, isRoot: user == 0, isOthers: isOthers, at: now)
      connections.append(connection)
      // A client that has asked already is not idle when the next one comes.
      if !exchange(with: connection, now: now) { end(connection) }
    }
  }

  private func end(_ connection: Connection) {
    connections.removeAll { $0 === connection }
    close(connection.socket)
  }

  /// Makes room for one more connection, and returns whether there is some. The one that has been idle for longest gives way if it
  /// and the new one are others'. Connections whose clients have gone give way to root and the service's own user alone. So others
  /// cannot have more calls wait for a disk that hangs than there are places.
  private func makeRoom(forOthers isOthers: Bool) -> Bool {
    let others = connections.filter(\.isOthers)
    let hasRoom =
      connections.count < limits.connections.all
      && (!isOthers || others.count < limits.connections.others)
    if hasRoom { return true }
    if !isOthers, let abandoned = connections.first(where: \.isAbandoned) {
      end(abandoned)
      return true
    }
    let idle = others.filter(\.isIdle).min { $0.lastHeard < $1.lastHeard }
    guard isOthers, let idle else { return false }
    connections.removeAll { $0 === idle }
    refuse(idle.socket)
    return true
  }

  /// Says that there are too many connections, and closes this one.
  private func refuse(_ socket: CInt) {
    let refusal = Self.message(.refused(.tooMany, "too many clients are connected"))
    _ = send(socket, refusal, refusal.count, CInt(MSG_NOSIGNAL))
    close(socket)
  }

  /// Sends what is to be sent, or reads a call.
  private func exchange(with connection: Connection, now: Instant) -> Bool {
    if !connection.output.isEmpty { return sendRest(to: connection, now: now) }
    if !connection.input.contains(endOfMessage) {
      let room = limits.request - connection.input.count
      let count = recv(connection.socket, &chunk, room, 0)
      guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
      connection.lastHeard = now
      if connection.input.isEmpty { connection.limit = now + limits.patience }
      connection.input += chunk.prefix(count)
    }
    guard let end = connection.input.firstIndex(of: endOfMessage) else {
      return connection.input.count < limits.request
    }
    let message = Array(connection.input[..<end])
    connection.input.removeFirst(end + 1)
    connection.limit = connection.input.isEmpty ? .never : now + limits.patience
    guard let call = try? StatusJSON.decode(ControlCall.self, from: message) else { return false }
    lastNumber += 1
    (connection.call, connection.wantsAnswer) = (lastNumber, call.oneway != true)
    connection.isForWatching = false
    return pass(call, of: connection, now: now)
  }

  private func sendRest(to connection: Connection, now: Instant) -> Bool {
    while !connection.output.isEmpty {
      let count = connection.output.withUnsafeBytes {
        send(connection.socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { return errno == EAGAIN || errno == EINTR }
      connection.output = connection.output.dropFirst(count)
      connection.limit = now + limits.patience
    }
    connection.output = []
    connection.limit = connection.input.isEmpty ? .never : now + limits.patience
    return true
  }
}

// MARK: - Calls

extension ControlThread {
  /// Answers a call, or passes it on to the daemon.
  private func pass(_ call: ControlCall, of connection: Connection, now: Instant) -> Bool {
    let parameters = (call.parameters ?? [:]).filter { $0.value != .null }
    func answer(_ message: [UInt8]) -> Bool { put(message, to: connection, now: now) }
    guard let method = ControlMethod.allCases.first(where: { $0.fullName == call.method }) else {
      return answer(VarlinkService.answer(to: call.method, parameters))
    }
    guard connection.isRoot || method.isForGroup else {
      return answer(Self.message(.refused(.notAllowed, "only root may call this")))
    }
    let known = method.parameters
    if let unknown = parameters.keys.first(where: { name in !known.contains { $0.name == name } }) {
      return answer(VarlinkService.invalidParameter(unknown))
    }
    if let missing = known.first(where: { $0.isNeeded && parameters[$0.name] == nil }) {
      return answer(VarlinkService.invalidParameter(missing.name))
    }
    var (texts, numbers): ([String: String], [String: UInt32]) = ([:], [:])
    for (name, value) in parameters {
      switch value {
      case .text(let text) where name != "seconds": texts[name] = text
      case .number(let number) where name == "seconds" && number > 0:
        numbers[name] = UInt32(clamping: number)
      default: return answer(VarlinkService.invalidParameter(name))
      }
    }
    let device = texts["device"]
    switch method {
    case .devices:
      let isRoot = connection.isRoot
      return share(
        isRoot ? devicesForRoot : devices, .devices(isRoot: isRoot), connection, now: now)
    case .status: return share(status, .status, connection, now: now)
    case .history: request(.history(device: device ?? ""))
    case .reload: request(.reload(forOthers: connection.isOthers))
    case .pause: request(.pause(device: device, seconds: numbers["seconds"]))
    case .resume: request(.resume(device: device))
    case .reset: request(.reset(device: device ?? "", key: texts["key"]))
    case .watch:
      guard call.upgrade == true, call.oneway != true else {
        return answer(VarlinkService.invalidParameter("upgrade"))
      }
      let socket = FileDescriptor(rawValue: connection.socket)
      connection.isForWatching = true
      request(.watch(device: device ?? "", socket))
    }
    return true
  }

  /// Passes the request of the newest call on to the daemon.
  private func request(_ kind: ControlRequest) {
    server.requests.put((kind, ControlledCall(number: lastNumber, server: server)))
  }

  /// Answers with what was made just now, or has it made for all who ask meanwhile.
  private func share(
    _ shared: Shared, _ kind: ControlRequest, _ connection: Connection, now: Instant
  ) -> Bool {
    if !shared.message.isEmpty, shared.made + limits.pause > now {
      return put(shared.message, to: connection, now: now)
    }
    if shared.waiting.isEmpty { request(kind) }
    shared.waiting.append(lastNumber)
    return true
  }

  // MARK: - Answers

  private func receive(_ answer: ControlServer.Answer, to call: UInt64, now: Instant) {
    let message = Self.message(answer)
    if let shared = shared.first(where: { $0.waiting.contains(call) }) {
      for call in shared.waiting { put(message, to: call, now: now) }
      (shared.waiting, shared.message, shared.made) = ([], message, now)
      return
    }
    switch answer {
    case .watching:
      // The socket is the daemon's now.
      connections.removeAll { $0.call == call }
    case .done, .problems:
      // Answers that were made before do not show the change.
      for shared in shared { shared.message = [] }
      put(message, to: call, now: now)
    case .devices, .status, .days, .refused: put(message, to: call, now: now)
    }
  }

  private func put(_ message: [UInt8], to call: UInt64, now: Instant) {
    guard let connection = connections.first(where: { $0.call == call }) else { return }
    if !put(message, to: connection, now: now) { end(connection) }
  }

  private func put(_ message: [UInt8], to connection: Connection, now: Instant) -> Bool {
    connection.call = nil
    if connection.wantsAnswer { connection.output = message[...] }
    // A client that has sent its next call meanwhile is not to blame for how long this one took.
    connection.limit = now + limits.patience
    return sendRest(to: connection, now: now)
      && (connection.isRoot || connection.output.count <= limits.unread)
  }

  private static func message(_ answer: ControlServer.Answer) -> [UInt8] {
    switch answer {
    case .done, .watching: VarlinkService.done
    case .devices(let devices): ControlAnswer(ControlParameters(devices: devices)).message
    case .status(let status): ControlAnswer(ControlParameters(status: status)).message
    case .days(let text): ControlAnswer(ControlParameters(days: text)).message
    case .problems(let texts): ControlAnswer(ControlParameters(problems: texts)).message
    case .refused(let refusal, let text):
      ControlAnswer(ControlParameters(text: text), error: refusal.fullName).message
    }
  }
}

import Glibc
import Status
import SystemPackage

/// A command's connection to the running daemon. Every call waits for its answer.
///
/// The socket belongs to the service's user. A daemon that was taken over can answer whatever it likes, to root too: answers are
/// limited in time, length and number, and name no files but event nodes. A device is named by its node, such as
/// `/dev/input/event3`.
///
/// Owns the connection.
public struct DaemonClient: ~Copyable {
  /// How long an answer may take, in milliseconds.
  fileprivate static let patience: Int64 = 10_000
  /// The longest answer, in bytes. That of 64 keyboards with all their keys has a third of it.
  private static let longest = 1 << 24
  /// The longest answer that is read byte by byte.
  private static let longestByBytes = 1 << 12

  /// A descriptor that ends each wait, with `ECANCELED`, when it becomes readable; -1 for none.
  public var interruption: CInt

  private let socket: FileDescriptor
  /// Bytes behind the last answer: a refusal, if the connection had to give way to another.
  private var unread: [UInt8]

  /// The daemon's socket: the one that `KEYDEBOUNCE_SOCKET` names, for daemons in other folders and for tests, or the service's.
  public static var socketPath: String {
    getenv("KEYDEBOUNCE_SOCKET").map { String(cString: $0) } ?? ControlInterface.socket()
  }

  /// Connects to the daemon.
  ///
  /// - Parameters:
  ///   - method: The method that is to be called. A user who may not connect is told who may call it.
  ///   - patience: How long to try, while so many programs want to connect that the kernel has no room for one more.
  ///   - interruption: See ``interruption``.
  /// - Throws: ``ControlError/notRunning``, ``ControlError/noPermission``, ``ControlError/refused(_:)``, or
  ///   ``ControlError/unreachable(_:)``.
  public init(
    toCall method: ControlMethod = .devices, at path: String = socketPath,
    patience: Duration = .seconds(5), interruptedBy interruption: CInt = -1
  ) throws(ControlError) {
    // Swift 6.2 does not compile an initialiser that throws once some of its properties have values.
    let connection: CInt
    do {
      connection = try Self.connect(to: path, patience, interruption)
    } catch {
      switch error {
      case .noSuchFileOrDirectory, .connectionRefused: throw .notRunning
      case .permissionDenied, .notPermitted:
        throw method.isForGroup ? .noPermission : .refused(method)
      default: throw .unreachable(error)
      }
    }
    (socket, unread, self.interruption) = (FileDescriptor(rawValue: connection), [], interruption)
  }

  private static func connect(
    to path: String, _ patience: Duration, _ interruption: CInt
  ) throws(Errno) -> CInt {
    let limit = ContinuousClock.now + patience
    var state = pollfd(fd: interruption, events: Int16(POLLIN), revents: 0)
    var pause: CInt = 1
    while true {
      do {
        return try openSocket(connectedTo: path)
      } catch {
        guard error == .resourceTemporarilyUnavailable, ContinuousClock.now < limit else {
          throw error
        }
      }
      // poll(2) cannot wait for room in the daemon's line. There is some again and again, for a moment.
      if poll(&state, 1, pause) > 0 { throw .canceled }
      pause = min(2 * pause, 10)
    }
  }

  deinit {
    try? socket.close()
  }

  /// The daemon's status. For root alone.
  public mutating func status() throws(ControlError) -> DaemonStatus {
    // Commands open the devices that it names, as root: a daemon that was taken over names no other files.
    guard let status = try call(.status).status, status.isPlausible,
      status.devices.allSatisfy({ Self.isEventNode($0.node) })
    else { throw .unexpected(.status) }
    return status
  }

  /// The devices that the daemon has taken.
  public mutating func devices() throws(ControlError) -> [ControlledDevice] {
    guard let devices = try call(.devices).devices,
      devices.allSatisfy({ Self.isEventNode($0.node) })
    else { throw .unexpected(.devices) }
    return devices
  }

  private static func isEventNode(_ path: String) -> Bool {
    let (folder, digits) = ("/dev/input/event", path.utf8.dropFirst(16))
    return path.hasPrefix(folder) && (1...10).contains(digits.count)
      && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  /// The counts of a device on each day. For root alone.
  public mutating func history(of device: String) throws(ControlError) -> [Day: KeyDays] {
    guard let text = try call(.history, ["device": .text(device)]).days,
      let stored = try? StoredDays(text)
    else { throw .unexpected(.history) }
    return stored.days
  }

  /// Makes the daemon reload its configuration.
  ///
  /// - Returns: What is wrong with it, one line for each error; the daemon then keeps the settings that it has. Empty
  ///   if nothing is wrong.
  public mutating func reload() throws(ControlError) -> [String] {
    guard let problems = try call(.reload).problems else { throw .unexpected(.reload) }
    return problems
  }

  /// Drops what was counted and learned of a device, or of one of its keys. For root alone.
  ///
  /// - Parameter key: The key's name; `nil` for all.
  public mutating func reset(_ device: String, key: String? = nil) throws(ControlError) {
    try call(.reset, ["device": .text(device), "key": key.map { .text($0) }])
  }

  /// Has everything that a device sends pass as it is, for each key from when it is idle.
  ///
  /// - Parameters:
  ///   - device: `nil` for all, also those that come meanwhile.
  ///   - seconds: For how long; `nil` until it is resumed, or the daemon starts anew.
  public mutating func pause(
    _ device: String? = nil, for seconds: UInt32? = nil
  ) throws(ControlError) {
    try call(
      .pause,
      ["device": device.map { .text($0) }, "seconds": seconds.map { .number(Int($0)) }])
  }

  /// Has a device debounced again, for each key from when it is idle.
  ///
  /// - Parameter device: `nil` for all.
  public mutating func resume(_ device: String? = nil) throws(ControlError) {
    try call(.resume, ["device": device.map { .text($0) }])
  }

  /// Watches what the daemon does with a device, which is debounced meanwhile as before. For root alone.
  ///
  /// The descriptor gives a recording, for a `RecordingReader`: the head of the device, and from now on each
  /// raw frame (`.raw`), what becomes of each edge (`.outcome`) and each frame that is passed on (`.clean`). It begins with
  /// `.lost`, with nothing missing and the keys that are down now. Times are those of the kernel's monotonic clock.
  ///
  /// Lines for which the socket has no room are lost, and `.lost` says how many, and which keys are down then. The recording
  /// ends, after `.closed`, when the device goes or is given back; without `.closed` where the daemon has ended.
  ///
  /// - Parameter interruption: See ``interruption``.
  /// - Returns: The connection, which blocks unless the caller changes that. The caller closes it, which ends the watching.
  ///   `nil` if the daemon does not hold the device.
  /// - Throws: ``ControlError/refused(_:)`` for others than root.
  public static func watch(
    _ device: String, at path: String = socketPath, interruptedBy interruption: CInt = -1
  ) throws(ControlError) -> FileDescriptor? {
    var client = try DaemonClient(toCall: .watch, at: path, interruptedBy: interruption)
    do {
      try client.call(.watch, ["device": .text(device)], upgrade: true)
    } catch .notHeld {
      return nil
    }
    // The client closes its own descriptor.
    let copy = fcntl(client.socket.rawValue, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { throw .unreachable(Errno(rawValue: errno)) }
    _ = fcntl(copy, F_SETFL, 0)
    return FileDescriptor(rawValue: copy)
  }
}

// MARK: - Calls

extension DaemonClient {
  /// - Parameter parameters: The method's parameters. Those that are `nil` are not sent.
  @discardableResult
  private mutating func call(
    _ method: ControlMethod, _ parameters: [String: ControlValue?] = [:], upgrade: Bool = false
  ) throws(ControlError) -> ControlParameters {
    let parameters = parameters.compactMapValues(\.self)
    let call = ControlCall(method.fullName, parameters, upgrade: upgrade)
    let message: [UInt8]
    do {
      let request = try StatusJSON.encode(call) + [endOfMessage]
      let limit = ContinuousClock.now + .milliseconds(Self.patience)
      do {
        try send(request, by: limit)
      } catch Errno.brokenPipe {
        // The daemon may have said why before it closed the connection.
      }
      // The recording begins right behind the answer to an upgrade, and its reader must get all of it.
      message = try receive(byBytes: upgrade, by: limit)
    } catch let error as Errno {
      throw error == .connectionReset ? .ended : .unreachable(error)
    } catch {
      throw .unexpected(method)
    }
    guard
      let answer = try? StatusJSON.decode(ControlAnswer<ControlParameters>.self, from: message)
    else { throw .unexpected(method) }
    if let name = answer.error {
      throw Self.error(name, answer.parameters?.text, of: method, parameters)
    }
    return answer.parameters ?? ControlParameters()
  }

  private static func error(
    _ name: String, _ text: String?, of method: ControlMethod, _ parameters: [String: ControlValue]
  ) -> ControlError {
    func given(_ parameter: String) -> String {
      if case .text(let text)? = parameters[parameter] { text } else { "" }
    }
    // An older daemon does not know the method.
    guard name != "org.varlink.service.MethodNotFound" else { return .unexpected(method) }
    let refusal = ControlRefusal.allCases.first { $0.fullName == name }
    return switch refusal {
    case .notHeld: .notHeld(given("device"))
    case .noSuchKey: .noSuchKey(given("key"), device: given("device"))
    case .notAllowed: .refused(method)
    case .notStored: .notStored(inOneLine(text ?? name))
    case .tooMany, .busy, nil: .failed(method, text: inOneLine(text ?? name))
    }
  }

  /// The beginning of a text of the daemon's. Lines of its own would look like a command's. One character may have millions of
  /// scalars.
  private static func inOneLine(_ text: String) -> String {
    String(text.unicodeScalars.prefix(200)).split(whereSeparator: \.isNewline)
      .joined(separator: " ")
  }

  private func send(_ bytes: [UInt8], by limit: ContinuousClock.Instant) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = try rest.withUnsafeBytes { bytes in
        try waiting(for: POLLOUT, by: limit) {
          Glibc.send(socket.rawValue, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
        }
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads a message up to its end, which is not returned.
  private mutating func receive(
    byBytes: Bool, by limit: ContinuousClock.Instant
  ) throws -> [UInt8] {
    var (message, part) = ([UInt8](), unread)
    unread = []
    while true {
      if let end = part.firstIndex(of: endOfMessage) {
        unread = Array(part[(end + 1)...])
        return message + part[..<end]
      }
      message += part
      guard message.count <= (byBytes ? Self.longestByBytes : Self.longest) else {
        throw Errno.messageTooLong
      }
      part = try read(atMost: byBytes ? 1 : 1 << 16, by: limit)
      guard !part.isEmpty else { throw Errno.connectionReset }
    }
  }

  /// Reads what has come; nothing at the end of the connection.
  private func read(atMost most: Int, by limit: ContinuousClock.Instant) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: most) { [socket] buffer, count in
      count = try waiting(for: POLLIN, by: limit) {
        recv(socket.rawValue, buffer.baseAddress, buffer.count, 0)
      }
    }
  }

  /// Makes a call until it need not wait, and returns its result.
  private func waiting(
    for events: CInt, by limit: ContinuousClock.Instant, _ call: () -> Int
  ) throws -> Int {
    while true {
      let result = call()
      if result >= 0 { return result }
      let reason = Errno(rawValue: errno)
      guard [.resourceTemporarilyUnavailable, .interrupted].contains(reason) else { throw reason }
      let milliseconds = ContinuousClock.now.duration(to: limit) / Duration.milliseconds(1)
      guard milliseconds >= 1 else { throw Errno.timedOut }
      var states = [
        pollfd(fd: socket.rawValue, events: Int16(events), revents: 0),
        pollfd(fd: interruption, events: Int16(POLLIN), revents: 0),
      ]
      poll(&states, nfds_t(states.count), CInt(milliseconds))
      if states[1].revents != 0 { throw Errno.canceled }
    }
  }
}

/// Why a call to the daemon failed.
public enum ControlError: Error, Equatable, CustomStringConvertible {
  /// Nobody listens at the socket, or there is none.
  case notRunning
  /// The kernel does not let this user connect, who is neither root nor in the group.
  case noPermission
  /// The socket cannot be reached or used.
  case unreachable(Errno)
  /// The daemon has ended, or closed the connection, before it answered.
  case ended
  /// Only root may call this.
  case refused(ControlMethod)
  /// The daemon does not hold the device.
  case notHeld(String)
  /// The device has no such key.
  case noSuchKey(String, device: String)
  /// The daemon has dropped its counts, but not on disk, for this reason.
  case notStored(String)
  /// The daemon answered with another error.
  case failed(ControlMethod, text: String)
  /// The daemon answered with something that this version does not know.
  case unexpected(ControlMethod)

  public var description: String {
    switch self {
    case .notRunning:
      """
      the daemon is not running. “systemctl status keydebounce” says why (without systemd: its log), and \
      “sudo systemctl start keydebounce” starts it
      """
    case .noPermission:
      """
      only root and members of the group “\(ControlInterface.group)” may pause, resume and reload. Try sudo, or join the \
      group with “sudo usermod -aG \(ControlInterface.group) $USER”, and log in again
      """
    case .unreachable(.resourceTemporarilyUnavailable):
      """
      too many programs call the daemon at once. Try again. If that does not help, a program of a member of the group \
      “\(ControlInterface.group)” calls without end: “getent group \(ControlInterface.group)” shows the members
      """
    case .unreachable(.timedOut):
      """
      the daemon has not answered within \(DaemonClient.patience / 1000) s, but may still do what it was asked for. Wait a \
      little, and look with “sudo keydebounce status”. If that gets no answer either, see “systemctl status keydebounce”
      """
    case .unreachable(let reason):
      "cannot talk to the daemon through \(DaemonClient.socketPath): \(reason)"
    case .ended:
      """
      the daemon ended the connection before it answered. Was it stopped just now? See “systemctl status keydebounce”
      """
    case .refused(.watch):
      "only root may watch what the daemon does: it shows what is typed. Try sudo"
    case .refused(let method):
      """
      only root may ask the daemon for \(method.isForGroup ? "what it does" : "counts of keys"): that would tell what is typed. \
      Try sudo
      """
    case .notHeld(let device):
      "the daemon holds no device “\(device)”. “keydebounce list” shows which devices are debounced"
    case .noSuchKey(let key, let device):
      "\(device) has no key \(key). “keydebounce keys” shows the names of keys"
    case .notStored(let text):
      """
      the daemon has dropped its counts, but not on disk: \(text). They may come back when the device is plugged in again, or \
      the daemon starts anew. Mend the disk, and reset them once more
      """
    case .failed(let method, let text):
      "the daemon refused “\(method.rawValue)”: \(text)"
    case .unexpected(let method):
      """
      the daemon's answer to “\(method.rawValue)” is none that this version knows: the daemon may be of another version. \
      “sudo systemctl restart keydebounce” starts the one that is installed
      """
    }
  }
}

import Bus
import CLinux
import CSystemd
import Debounce
import Glibc
import Logging
import Status
import SystemPackage
import Terminal

/// What a client that may do so asks of the daemon, and what the bus itself reports.
struct BusRequest: Sendable {
  enum Kind: Sendable {
    /// The status that these may know: whoever waits for it is answered with ``BusServer/Answer/status(_:_:)``.
    case status(AccessLevel)
    case history(device: String, isRoot: Bool)
    case reload
    case handOver(device: String, seconds: UInt32)
    case giveBack(device: String)
    case reset(device: String, key: String)
    case watch(device: String)
    /// For so many seconds; 0 without an end. An empty name stands for all devices, here and below. With a session, it
    /// also ends with that.
    case pause(device: String, seconds: UInt32, session: String?)
    case resume(device: String)
    /// A client that has called ``handOver(device:seconds:)`` is gone, or the bus.
    case vanished
    case sessionEnded(String)
  }

  let kind: Kind
  let call: BusCall
}

/// A call that waits for its answer. Any thread may answer it.
struct BusCall: Sendable {
  /// The caller's own name on the bus, such as `:1.42`.
  let sender: String
  fileprivate let number: UInt64
  fileprivate let bus: BusServer

  func answer(_ answer: BusServer.Answer = .done) {
    bus.send(answer, to: number)
  }

  func refuse(_ name: String, _ text: String) {
    bus.send(.refused(name, text), to: number)
  }
}

/// The daemon's side of the bus.
///
/// The bus is read on a thread of its own. What clients send may be much, and of any size: the daemon's own thread
/// gets what was decided, a few small values, and a descriptor that becomes readable with them.
final class BusServer: Sendable {
  enum Answer: Sendable {
    case done
    case number(UInt32)
    case text(String)
    case texts([String])
    /// Closed when it has been sent.
    case descriptor(FileDescriptor)
    case refused(String, String)
    case status(DaemonStatus, AccessLevel)
    /// The clients to whom a device is handed over: they are watched, and no others.
    case recipients(Set<String>)
    /// `Status` has another answer, which is announced, so that nobody has to ask again and again.
    case news(revision: UInt64, Properties)
  }

  /// What anybody may read of the daemon at any time. Nothing of it is decided by a key.
  struct Properties: Equatable, Sendable {
    /// The nodes of the devices that it has taken.
    var devices: [String] = []
    /// Whether it has devices, and all are paused.
    var isPaused = false
  }

  /// For the daemon's thread.
  let requests: Mailbox<BusRequest>
  /// For the bus's thread; calls are numbered from 1.
  fileprivate let answers: Mailbox<(call: UInt64, answer: Answer)>

  init() throws(Errno) {
    (requests, answers) = (try Mailbox(), try Mailbox())
  }

  /// Starts the thread.
  ///
  /// - Parameter address: The path of the bus's socket.
  func start(at address: String = BusServer.address, log: Logger) {
    let hasStarted = Worker.startThread { [self] in BusObject(self, address, log).run() }
    if !hasStarted { log.warning("not on the system bus: the system gives no thread for it") }
  }

  static var address: String {
    let address = getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) } ?? ""
    let isPath = address.hasPrefix("unix:path=")
    return isPath
      ? String(address.dropFirst(10).prefix { $0 != "," }) : "/run/dbus/system_bus_socket"
  }

  /// Hands something to the bus's thread.
  func send(_ answer: Answer, to call: UInt64 = 0) {
    answers.put((call, answer))
  }

  fileprivate func request(_ kind: BusRequest.Kind, from sender: String = "", as number: UInt64 = 0)
  {
    requests.put(
      BusRequest(kind: kind, call: BusCall(sender: sender, number: number, bus: self)))
  }
}

// MARK: - The bus's thread

/// The daemon's object on the bus, as the thread that reads the bus has it: connects, keeps the name, finds out who calls, and
/// refuses or passes on.
///
/// Memory that somebody else chooses is bounded: ``BusIntake`` passes on small messages alone, few calls wait, and nothing more
/// is read while the bus does not take what is to be sent. So is time: after each piece of work the thread sleeps as long.
private final class BusObject {
  /// How long to wait after the bus went away or refused: at first, and at most.
  private static let pause: ClosedRange<Microseconds> = 1_000_000...60_000_000
  /// How long the thread sleeps after a piece of work, at most.
  private static let longestRest: Microseconds = 20_000
  /// How many calls may wait: in all, of all but root, of one user, and of one client.
  private static let room = (all: 64, others: 48, user: 8, client: 4)
  /// How many bytes a device's name and a key's may have.
  private static let longest = (device: 4096, key: 64)
  /// How many clients are known, and how many are watched because a device is handed over to them, and how many sessions.
  private static let most = (known: 64, watched: 32, sessions: 16)

  private enum Right {
    case everyone, group, root
    /// The group, and those to whom polkit grants this action of ours.
    case granted(String)
  }

  private static let rights: [String: Right] = [
    "Status": .everyone, "Statistics": .group, "History": .group, "Reload": .granted("reload"),
    "Borrow": .group, "Return": .group, "Reset": .group, "Pause": .granted("pause"),
    "Resume": .granted("pause"), "Watch": .root,
  ]

  private struct Call {
    let message: BusMessage
    let sender: String
    /// `nil` until the bus has said who calls.
    var caller: BusCaller?
    /// What polkit was asked for it.
    var question: BusListener?
    /// Whether polkit was asked, or logind.
    var waits = false
  }

  private typealias StatusAnswer = SharedAnswer<UInt64, StatusVersion>
  private struct StatusVersion: Equatable {
    let moment: Instant
    let revision: UInt64
  }

  private let daemon: BusServer
  private let address: String
  private let log: Logger
  /// The group whose members may call everything except what shows what is typed. Looked up once: that takes a while.
  private let group = getgrnam("keydebounce")?.pointee.gr_gid

  private var bus: OpaquePointer?
  private var object: OpaquePointer?
  /// The socket to the bus, from which this thread reads, and what the library gets of it.
  private var (socket, feed): (CInt, CInt) = (-1, -1)
  private var intake = BusIntake()
  private let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
  private var passedOn: [UInt8] = []
  private var retryAt = Instant.longAgo
  private var nextPause = BusObject.pause.lowerBound
  /// Whether it has been logged why there is no connection.
  private var hasReported = false

  private var calls: [UInt64: Call] = [:]
  private var lastNumber: UInt64 = 0
  /// By the client's own name: what the bus is asked about it, and what it has said. Names are never given twice.
  private var questions: [String: BusListener] = [:]
  private var callers: [String: BusCaller] = [:]
  private var recipients: [String: ClientWatch] = [:]
  /// By user, the session with which what that user pauses ends.
  private var sessions: [uid_t: SessionWatch] = [:]
  private var statuses: [AccessLevel: StatusAnswer] = [:]
  /// Another number whenever `Status` has another answer.
  private var revision: UInt64 = 0
  private var properties = BusServer.Properties()

  init(_ daemon: BusServer, _ address: String, _ log: Logger) {
    (self.daemon, self.address, self.log) = (daemon, address, log)
    for level in AccessLevel.allCases { statuses[level] = StatusAnswer() }
  }

  deinit {
    chunk.deallocate()
  }

  /// Runs for as long as the process, unless there is no library.
  func run() {
    if let missing = csystemd_missing() {
      // Nothing changes that while this process lives.
      return log.notice(
        """
        no libsystemd (\(String(cString: missing))), so not on the system bus: “status” and “monitor” cannot \
        reach the daemon; a SIGHUP makes it reload
        """)
    }
    while true {
      if bus == nil, retryAt <= .now { connect() }
      let isReadable = wait()
      let start = Instant.now
      for (number, answer) in daemon.answers.takeAll() { receive(answer, to: number) }
      if isReadable { read() }
      process()
      askForStatus()
      // Keys come first, and then whoever else has work for this machine.
      if isReadable { usleep(UInt32(min(Instant.now - start, Self.longestRest))) }
    }
  }

  /// Waits for something to do.
  ///
  /// - Returns: Whether the bus has something to read.
  private func wait() -> Bool {
    var ready = [pollfd(fd: daemon.answers.descriptor, events: Int16(POLLIN), revents: 0)]
    var deadline = bus == nil ? retryAt : Instant.never
    if let bus {
      let hasUnsent = csystemd_bus_get_events(bus) & CInt(POLLOUT) != 0
      let events = Int16(hasUnsent ? POLLOUT : POLLIN)
      ready.append(pollfd(fd: socket, events: events, revents: 0))
      var time = UInt64.max
      if csystemd_bus_get_timeout(bus, &time) >= 0 {
        deadline = Instant(Microseconds(clamping: time))
      }
    }
    for status in statuses.values { deadline = min(deadline, status.deadline) }
    let rest = deadline == .never ? -1 : max(0, (deadline - Instant.now) / 1000 + 1)
    let count = ready.count
    poll(&ready, nfds_t(count), CInt(clamping: rest))
    return count > 1 && CInt(ready[1].revents) & ~CInt(POLLOUT) != 0
  }
}

// MARK: - The connection

extension BusObject {
  private func connect() {
    retryAt = .never
    do {
      try openBus()
    } catch {
      lose(because: error.rawValue)
    }
  }

  private func openBus() throws(Errno) {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    guard address.utf8.count < MemoryLayout.size(ofValue: name.sun_path) else {
      throw .fileNameTooLong
    }
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address.utf8) }
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    socket = Glibc.socket(AF_UNIX, kind, 0)
    guard socket >= 0 else { throw Errno(rawValue: errno) }
    let connected = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    var ends: [CInt] = [-1, -1]
    guard connected == 0, socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw Errno(rawValue: errno)
    }
    feed = ends[0]
    let sending = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    var result = sending < 0 ? -errno : csystemd_bus_new(&bus)
    if result >= 0, let bus { result = csystemd_bus_set_fd(bus, ends[1], sending) }
    guard result >= 0, let bus else {
      // The library closes what it has been given, and has not been given these.
      for end in [ends[1], sending] where end >= 0 { close(end) }
      throw Errno(rawValue: -result)
    }
    let context = Unmanaged.passUnretained(self).toOpaque()
    try Self.check(csystemd_bus_set_bus_client(bus, 1))
    try Self.check(
      csystemd_add_object(
        bus, &object, BusNames.object, BusNames.interface,
        { message, context, _ in
          BusObject.from(context)?.receive(message)
          // The answer comes later.
          return 1
        },
        { _, _, _, name, answer, context, _ in
          guard let name, let object = BusObject.from(context),
            let answer = BusMessage(sharing: answer)
          else { return -EINVAL }
          object.append(String(cString: name), to: answer)
          return answer.isWhole ? 1 : -ENOMEM
        }, context))
    try Self.check(csystemd_bus_start(bus))
    try Self.check(
      csystemd_bus_request_name_async(
        bus, nil, BusNames.service, 0,
        { answer, context, _ in
          if let answer = BusMessage(sharing: answer) {
            BusObject.from(context)?.nameAnswered(answer)
          }
          return 0
        }, context))
  }

  private static func check(_ result: CInt) throws(Errno) {
    if result < 0 { throw Errno(rawValue: -result) }
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> BusObject? {
    context.map { Unmanaged<BusObject>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Gives the connection up, and tries again later.
  private func lose(because reason: CInt) {
    // Where there is no bus yet, or none at all, there is nothing to be said.
    if reason != ENOENT {
      reportOnce("not on the system bus (\(String(cString: strerror(reason))))")
    }
    for client in recipients.keys { daemon.request(.vanished, from: client) }
    for session in sessions.values.compactMap(\.session) { daemon.request(.sessionEnded(session)) }
    (questions, callers, recipients, sessions, calls) = ([:], [:], [:], [:], [:])
    for level in AccessLevel.allCases { statuses[level]?.forgetCalls() }
    csystemd_bus_slot_unref(object)
    // Without flushing: that would wait for a bus that may never answer.
    csystemd_bus_close(bus)
    csystemd_bus_unref(bus)
    for descriptor in [socket, feed] where descriptor >= 0 { close(descriptor) }
    (bus, object, socket, feed, intake) = (nil, nil, -1, -1, BusIntake())
    retryAt = Instant.now + nextPause
    nextPause = min(2 * nextPause, Self.pause.upperBound)
  }

  private func nameAnswered(_ answer: BusMessage) {
    guard !answer.isError else {
      return reportOnce(
        """
        cannot take the name \(BusNames.service) on the system bus \
        (\(answer.errorText ?? "refused"))
        """)
    }
    // DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER
    guard answer.readNumber() == 1 else {
      return reportOnce(
        "cannot take the name \(BusNames.service) on the system bus (another daemon has it)")
    }
    nextPause = Self.pause.lowerBound
    hasReported = false
    log.info("on the system bus as \(BusNames.service)")
  }

  private func reportOnce(_ what: String) {
    if !hasReported {
      log.notice("\(what); “status”, “reload” and “monitor” cannot reach the daemon until it is")
    }
    hasReported = true
  }

  /// Reads once, and passes what is small enough on to the library. Descriptors that come with it are dropped: they would have
  /// to be asked for.
  private func read() {
    let count = recv(socket, chunk.baseAddress, chunk.count, 0)
    guard count > 0 else {
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      return lose(because: count == 0 ? ECONNRESET : errno)
    }
    passedOn.removeAll(keepingCapacity: true)
    guard intake.receive(UnsafeRawBufferPointer(rebasing: chunk[..<count]), passingOn: &passedOn)
    else { return lose(because: EBADMSG) }
    var start = 0
    while bus != nil, start < passedOn.count {
      let written = passedOn.withUnsafeBytes {
        write(feed, $0.baseAddress?.advanced(by: start), $0.count - start)
      }
      if written > 0 { start += written } else if errno != EAGAIN { return lose(because: errno) }
      // Makes room for the rest.
      process()
    }
  }

  private func process() {
    while let bus {
      let result = csystemd_bus_process(bus, nil)
      if result < 0 { lose(because: -result) }
      if result <= 0 { return }
    }
  }

  /// Announces that `Status` has another answer, and properties that are new.
  private func announce(_ now: BusServer.Properties) {
    let before = properties
    properties = now
    // Whoever comes to a bus that is not there yet asks anyway.
    guard let bus else { return }
    BusMessage.signal(BusNames.changed, of: BusNames.daemon, on: bus)?.send()
    let names = [
      now.devices == before.devices ? nil : "Devices",
      now.isPaused == before.isPaused ? nil : "Paused",
    ].compactMap(\.self)
    guard !names.isEmpty else { return }
    var list = names.map { strdup($0) } + [nil]
    csystemd_bus_emit_properties_changed_strv(bus, BusNames.object, BusNames.interface, &list)
    for name in list { free(name) }
  }

  private func append(_ name: String, to message: BusMessage) {
    switch name {
    case "Version": message.append(Version.current)
    case "Devices": message.append(properties.devices)
    default: message.append(properties.isPaused)
    }
  }
}

// MARK: - Calls

extension BusObject {
  /// Receives a call. Only the name of its method was read: first the bus is asked who calls.
  private func receive(_ pointer: OpaquePointer?) {
    guard let message = BusMessage(sharing: pointer) else { return }
    let sender = message.sender
    guard calls.count < Self.room.all,
      calls.values.count(where: { $0.sender == sender }) < Self.room.client
    else { return Self.refuseBusy(message) }
    lastNumber += 1
    calls[lastNumber] = Call(message: message, sender: sender)
    if case .everyone = Self.rights[message.member] {
      // Nobody asks who calls. So that root is heard all the same, these take no place that is root's.
      guard calls.count <= Self.room.others else {
        return refuse(
          lastNumber, BusNames.Error.limitsExceeded, "too many calls wait for their answers")
      }
      pass(lastNumber, as: BusCaller())
    } else if let caller = callers[sender] {
      judge(lastNumber, caller)
    } else if !ask(about: sender) {
      learn(sender, BusCaller())
    }
  }

  private static func refuseBusy(_ message: BusMessage) {
    message.refuse(BusNames.Error.limitsExceeded, "too many calls wait for their answers")
  }

  private func refuse(_ number: UInt64, _ name: String, _ text: String) {
    receive(.refused(name, text), to: number)
  }

  /// Asks the bus who a client is, unless that has been asked.
  ///
  /// - Returns: Whether the bus can be asked.
  private func ask(about client: String) -> Bool {
    guard questions[client] == nil else { return true }
    guard let bus, let question = BusMessage.call("GetConnectionCredentials", of: .bus, on: bus)
    else { return false }
    question.append(client)
    questions[client] = BusListener(to: question, on: bus) { [unowned self] answer in
      learn(client, answer.isError ? BusCaller() : BusCaller(readingFrom: answer))
    }
    return questions[client] != nil
  }

  private func learn(_ client: String, _ caller: BusCaller) {
    questions[client] = nil
    if callers.count >= Self.most.known { callers.removeAll() }
    callers[client] = caller
    for (number, call) in calls.sorted(by: { $0.key < $1.key })
    where call.sender == client && call.caller == nil {
      judge(number, caller)
    }
  }

  /// Passes a call on, refuses it, or asks polkit about it.
  private func judge(_ number: UInt64, _ caller: BusCaller) {
    guard let call = calls[number] else { return }
    calls[number]?.caller = caller
    let ofUser = calls.values.count { $0.caller.map { $0.user == caller.user } ?? false }
    guard caller.isRoot || calls.count <= Self.room.others && ofUser <= Self.room.user else {
      return refuse(
        number, BusNames.Error.limitsExceeded, "too many calls wait for their answers")
    }
    switch Self.rights[call.message.member] {
    case .everyone: pass(number, as: caller)
    case .group where caller.isMember(of: group): pass(number, as: caller)
    case .granted where caller.isMember(of: group): pass(number, as: caller)
    case .root where caller.isRoot: pass(number, as: caller)
    case .granted(let action): askPolkit(number, caller, about: action)
    case .root:
      refuse(number, BusNames.Error.accessDenied, "only root may watch what is typed")
    case .group, nil:
      refuse(
        number, BusNames.Error.accessDenied,
        "only root and members of the group “keydebounce” may call this")
    }
  }

  /// Asks polkit about a client that is neither root nor in the group, about one call of a user at a time.
  private func askPolkit(_ number: UInt64, _ caller: BusCaller, about action: String) {
    let isWaiting = calls.values.contains { $0.waits && $0.caller?.user == caller.user }
    guard !isWaiting else {
      return refuse(number, BusNames.Error.limitsExceeded, "an earlier call waits for polkit")
    }
    guard let call = calls[number], let bus, caller.user != nil,
      let message = BusMessage.polkitQuestion(
        about: call.sender, action: "\(BusNames.service).\(action)", on: bus)
    else { return refuseUngranted(number) }
    let question = BusListener(to: message, on: bus) { [unowned self] answer in
      calls[number]?.question = nil
      let isAllowed =
        !answer.isError
        && answer.read(.structure, of: "bba{ss}", { answer.readFlag() }) == true
      isAllowed ? passOnOfSeat(number, caller) : refuseUngranted(number)
    }
    calls[number]?.question = question
    calls[number]?.waits = true
    if question == nil { refuseUngranted(number) }
  }

  private func refuseUngranted(_ number: UInt64) {
    refuse(
      number, BusNames.Error.accessDenied,
      "only root, the group “keydebounce” and, where polkit runs, whoever sits at the machine may call this"
    )
  }

  /// Passes a call on for which polkit has said yes: a pause then ends with the caller's session.
  private func passOnOfSeat(_ number: UInt64, _ caller: BusCaller) {
    guard let user = caller.user, let bus, calls[number]?.message.member == "Pause" else {
      return pass(number, as: caller)
    }
    if let session = sessions[user]?.session { return pass(number, as: caller, session: session) }
    guard sessions.count < Self.most.sessions else { return refuseUngranted(number) }
    sessions[user] = SessionWatch(of: user, on: bus) { [unowned self] happening in
      switch happening {
      case .found(let session): pass(number, as: caller, session: session)
      case .unknown:
        sessions[user] = nil
        pass(number, as: caller)
      case .missing:
        sessions[user] = nil
        refuseUngranted(number)
      case .ended(let session):
        sessions[user] = nil
        daemon.request(.sessionEnded(session))
      }
    }
    if sessions[user] == nil { refuseUngranted(number) }
  }

  /// Reads what a call that is allowed asks for, and hands that over.
  private func pass(_ number: UInt64, as caller: BusCaller, session: String? = nil) {
    guard let call = calls[number] else { return }
    calls[number]?.waits = false
    let message = call.message
    guard let kind = request(of: message, as: caller, session) else {
      return refuse(
        number, BusNames.Error.invalidArguments,
        "a device's name has \(Self.longest.device) bytes at most, and a key's \(Self.longest.key)")
    }
    switch kind {
    case .status(let level):
      if message.wantsAnswer { statuses[level]?.add(number) } else { calls[number] = nil }
    case .history where !message.wantsAnswer:
      calls[number] = nil
    case .handOver where !watch(call.sender):
      refuse(number, BusNames.Error.limitsExceeded, "too many clients have devices handed over")
    default:
      daemon.request(kind, from: call.sender, as: number)
    }
  }

  /// What a call asks for; `nil` if an argument is too long.
  private func request(
    of message: BusMessage, as caller: BusCaller, _ session: String?
  ) -> BusRequest.Kind? {
    switch message.member {
    case "Status": return .status(.everyone)
    case "Statistics": return .status(caller.isRoot ? .root : .group)
    case "Reload": return .reload
    default: break
    }
    guard let device = message.readString(upTo: Self.longest.device) else { return nil }
    switch message.member {
    case "History": return .history(device: device, isRoot: caller.isRoot)
    case "Borrow":
      return .handOver(device: device, seconds: message.readNumber() ?? 0)
    case "Return": return .giveBack(device: device)
    case "Watch": return .watch(device: device)
    case "Resume": return .resume(device: device)
    case "Pause":
      return .pause(device: device, seconds: message.readNumber() ?? 0, session: session)
    case "Reset":
      return message.readString(upTo: Self.longest.key).map { .reset(device: device, key: $0) }
    default: return nil
    }
  }

  /// Watches a client to whom a device is handed over.
  ///
  /// - Returns: Whether it is watched.
  private func watch(_ client: String) -> Bool {
    guard recipients[client] == nil else { return true }
    guard let bus, recipients.count < Self.most.watched else { return false }
    recipients[client] = ClientWatch(client, on: bus) { [unowned self] in
      guard recipients.removeValue(forKey: client) != nil else { return }
      daemon.request(.vanished, from: client)
    }
    return recipients[client] != nil
  }
}

// MARK: - Answers

extension BusObject {
  /// Receives what the daemon has for the bus.
  private func receive(_ answer: BusServer.Answer, to number: UInt64) {
    switch answer {
    case .recipients(let now):
      recipients = recipients.filter { client, _ in
        now.contains(client)
          || calls.values.contains { $0.sender == client && $0.message.member == "Borrow" }
      }
    case .news(let revision, let properties):
      self.revision = revision
      announce(properties)
    case .status(let status, let level):
      let text = (try? StatusJSON.encode(status)).map { String(decoding: $0, as: UTF8.self) }
      let waiting = statuses[level]?.put(text) ?? []
      for call in waiting { answerStatus(call, text) }
    case .descriptor(let descriptor):
      send(answer, to: number)
      try? descriptor.close()
    default:
      send(answer, to: number)
    }
  }

  private func answerStatus(_ number: UInt64, _ text: String?) {
    let answer =
      text.map { BusServer.Answer.text($0) }
      ?? .refused(BusNames.Error.failed, "it cannot be written")
    receive(answer, to: number)
  }

  /// Answers those who ask for a status, or asks the daemon for a new one: for each level once a second at most.
  private func askForStatus() {
    let now = Instant.now
    for level in AccessLevel.allCases {
      // For others than root, nothing that a key decides: not even when the answer is made tells of keys then.
      let moment = level == .root ? now : SnapshotTimer.lastMoment(at: now)
      let version = StatusVersion(moment: moment, revision: revision)
      guard let turn = statuses[level]?.take(at: now, version: version) else { continue }
      switch turn {
      case .make: daemon.request(.status(level))
      case .answer(let waiting, let text): for call in waiting { answerStatus(call, text) }
      }
    }
  }

  private func send(_ answer: BusServer.Answer, to number: UInt64) {
    guard let message = calls.removeValue(forKey: number)?.message else { return }
    if case .refused(let name, let text) = answer { return message.refuse(name, text.printable) }
    guard message.wantsAnswer, let reply = message.makeAnswer() else { return }
    switch answer {
    case .number(let number): reply.append(number)
    case .text(let text): reply.append(text)
    case .texts(let texts): reply.append(texts.map(\.printable))
    case .descriptor(let descriptor): reply.append(descriptor)
    case .done, .refused, .status, .recipients, .news: break
    }
    if reply.isWhole {
      reply.send()
    } else {
      message.refuse(BusNames.Error.failed, "no answer can be made")
    }
  }
}

/// One answer for all who ask the same: made at most once a second, however often they ask.
///
/// Making it takes the daemon longer than a frame does. Who asks too early waits until the second is over, instead of
/// getting an answer that is no longer true.
struct SharedAnswer<Call, Version: Equatable> {
  /// Between two times that the answer is made.
  static var pause: Microseconds { 1_000_000 }

  enum Turn {
    /// To make the answer, for ``put(_:)``.
    case make
    case answer([Call], String?)
  }

  private var present: (text: String?, version: Version)?
  private var madeAt = Instant.longAgo
  /// The version of the answer that is being made.
  private var making: Version?
  private var waiting: [Call] = []

  /// When ``take(at:version:)`` must be called at the latest.
  var deadline: Instant { waiting.isEmpty || making != nil ? .never : madeAt + Self.pause }

  mutating func add(_ call: Call) {
    waiting.append(call)
  }

  /// What is to be done now, if anything.
  ///
  /// - Parameter version: Another one whenever the answer may be another one.
  mutating func take(at now: Instant, version: Version) -> Turn? {
    guard !waiting.isEmpty, making == nil else { return nil }
    if let present, present.version == version {
      defer { waiting.removeAll() }
      return .answer(waiting, present.text)
    }
    guard madeAt + Self.pause <= now else { return nil }
    (making, madeAt) = (version, now)
    return .make
  }

  /// Receives the answer that was made.
  ///
  /// - Returns: Those who wait for it.
  mutating func put(_ text: String?) -> [Call] {
    if let making { present = (text, making) }
    making = nil
    defer { waiting.removeAll() }
    return waiting
  }

  mutating func forgetCalls() {
    waiting = []
  }
}

// MARK: - What is asked of others on the bus

/// Who calls over the bus, by the bus's own word.
private struct BusCaller {
  /// The user, as the kernel told the bus when the client connected; `nil` if the bus does not know.
  var user: uid_t?
  /// The groups, the user's own among them.
  var groups: Set<gid_t> = []

  var isRoot: Bool { user == 0 }

  /// Whether it is root, or in the group of that number.
  func isMember(of group: gid_t?) -> Bool {
    isRoot || group.map { groups.contains($0) } ?? false
  }

  init() {}

  /// Reads the bus's answer, a dictionary of names and variants (`a{sv}`). What it does not tell stays unknown.
  init(readingFrom answer: BusMessage) {
    _ = answer.read(.array, of: "{sv}") {
      while readEntry(answer) {}
    }
  }

  /// - Returns: Whether there was one more.
  private mutating func readEntry(_ answer: BusMessage) -> Bool {
    answer.read(.entry, of: "sv") {
      switch answer.readString() {
      case "UnixUserID":
        user = answer.read(.variant, of: "u") { answer.readNumber() } ?? nil
      case "UnixGroupIDs":
        _ = answer.read(.variant, of: "au") {
          answer.read(.array, of: "u") {
            while let group = answer.readNumber() { groups.insert(group) }
          }
        }
      default:
        answer.skip("v")
      }
    } != nil
  }
}

/// A question to somebody on the bus, or signals of one kind. Whoever drops it receives no more.
private final class BusListener {
  private let received: (BusMessage) -> Void
  private var slot: OpaquePointer?

  /// - Parameter answered: Called with the answer, once.
  init?(to call: BusMessage, on bus: OpaquePointer, answered: @escaping (BusMessage) -> Void) {
    received = answered
    guard call.isWhole,
      csystemd_bus_call_async(bus, &slot, call.pointer, receiveForListener, context, 0) >= 0
    else { return nil }
  }

  /// - Parameter received: Called with each signal.
  init?(for rule: String, on bus: OpaquePointer, received: @escaping (BusMessage) -> Void) {
    self.received = received
    guard csystemd_bus_add_match_async(bus, &slot, rule, receiveForListener, nil, context) >= 0
    else { return nil }
  }

  deinit {
    csystemd_bus_slot_unref(slot)
  }

  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  fileprivate func receive(_ message: BusMessage) {
    received(message)
  }
}

private func receiveForListener(
  _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
  _: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  guard let context, let message = BusMessage(sharing: message) else { return 0 }
  // It may be dropped meanwhile.
  let listener = Unmanaged<BusListener>.fromOpaque(context).takeUnretainedValue()
  withExtendedLifetime(listener) { listener.receive(message) }
  return 0
}

/// Watches one client of the bus.
///
/// libsystemd's own `sd_bus_track` asks the bus whether the client is there, and waits for the answer: here nothing
/// waits.
private final class ClientWatch {
  private var signals: BusListener?
  private var question: BusListener?

  /// - Parameters:
  ///   - client: Its own name, such as `:1.42`.
  ///   - hasVanished: Called when it is gone, even if that was so from the beginning; once or more.
  init?(_ client: String, on bus: OpaquePointer, hasVanished: @escaping () -> Void) {
    // Only that it has none.
    let rule = RemoteObject.ownerRule(of: client) + ",arg2=''"
    signals = BusListener(for: rule, on: bus) { signal in
      // A signal can be sent to one receiver, whatever that listens for, and by anybody.
      if signal.sender == RemoteObject.bus.service { hasVanished() }
    }
    // It may have vanished before the bus was asked to report that.
    guard signals != nil, let call = BusMessage.call("GetNameOwner", of: .bus, on: bus) else {
      return nil
    }
    call.append(client)
    question = BusListener(to: call, on: bus) { if $0.isError { hasVanished() } }
    guard question != nil else { return nil }
  }
}

/// Watches the session at the machine of a user, which logind knows.
private final class SessionWatch {
  enum Happening {
    /// The session, for ``ended(_:)``.
    case found(String)
    /// There is no logind.
    case unknown
    /// The user has no session.
    case missing
    case ended(String)
  }

  /// The session, once it is known.
  private(set) var session: String?
  private let bus: OpaquePointer
  private let happened: (Happening) -> Void
  private var signals: BusListener?
  private var question: BusListener?
  /// Whether something has changed since logind was asked.
  private var mayHaveEnded = false

  init?(of user: uid_t, on bus: OpaquePointer, happened: @escaping (Happening) -> Void) {
    (self.bus, self.happened) = (bus, happened)
    let rule = """
      type='signal',sender='org.freedesktop.login1',path_namespace='/org/freedesktop/login1'
      """
    // Anybody can send such a signal: it is taken as a reason to ask, and for no more.
    signals = BusListener(for: rule, on: bus) { [unowned self] _ in
      mayHaveEnded = true
      check()
    }
    let call = BusMessage.logindQuestion(
      "Display", of: "User", at: "/org/freedesktop/login1/user/_\(user)", on: bus)
    guard signals != nil, let call else { return nil }
    question = BusListener(to: call, on: bus) { [unowned self] in receive($0) }
    guard question != nil else { return nil }
  }

  private func receive(_ answer: BusMessage) {
    question = nil
    if let error = answer.errorName {
      let isUnknown = ["ServiceUnknown", "NameHasNoOwner"].contains {
        error == "org.freedesktop.DBus.Error.\($0)"
      }
      return happened(isUnknown ? .unknown : .missing)
    }
    let display = answer.read(.variant, of: "(so)") {
      answer.read(.structure, of: "so") { (answer.readString(), answer.readString(path: true)) }
    }
    guard case (let name?, let path?)?? = display, !name.isEmpty else { return happened(.missing) }
    session = path
    happened(.found(path))
    check()
  }

  /// Asks logind whether the session goes on, if something has changed.
  private func check() {
    guard mayHaveEnded, question == nil, let session else { return }
    mayHaveEnded = false
    let call = BusMessage.logindQuestion("State", of: "Session", at: session, on: bus)
    question = call.flatMap {
      BusListener(to: $0, on: bus) { [unowned self] answer in
        question = nil
        // It is “closing” for as long as it has left a process behind.
        guard let state = answer.readProperty(), state != "closing" else {
          return happened(.ended(session))
        }
        check()
      }
    }
  }
}

extension BusMessage {
  /// The question to logind what a property of one of its objects is.
  fileprivate static func logindQuestion(
    _ property: String, of interface: String, at path: String, on bus: OpaquePointer
  ) -> BusMessage? {
    let service = "org.freedesktop.login1"
    let object = RemoteObject(service: service, path: path, interface: "\(service).\(interface)")
    let call = question(for: property, of: object, on: bus)
    // Where it does not run, nobody has a session.
    call?.startNothing()
    return call
  }

  /// The question to polkit whether a client may do what an action stands for. It asks nobody for a password.
  fileprivate static func polkitQuestion(
    about client: String, action: String, on bus: OpaquePointer
  ) -> BusMessage? {
    let polkit = RemoteObject(
      service: "org.freedesktop.PolicyKit1", path: "/org/freedesktop/PolicyKit1/Authority",
      interface: "org.freedesktop.PolicyKit1.Authority")
    guard let call = BusMessage.call("CheckAuthorization", of: polkit, on: bus) else { return nil }
    // The subject, by its name on the bus.
    call.append(.structure, of: "sa{sv}") {
      call.append("system-bus-name")
      call.append(.array, of: "{sv}") {
        call.append(.entry, of: "sv") {
          call.append("name")
          call.append(.variant, of: "s") { call.append(client) }
        }
      }
    }
    call.append(action)
    // No details, no flags, and no name by which to cancel.
    call.append(.array, of: "{ss}")
    call.append(UInt32(0))
    call.append("")
    return call
  }
}

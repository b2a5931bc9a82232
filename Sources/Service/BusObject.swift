import Bus
import CLinux
import CSystemd
import Debounce
import Glibc
import Logging
import Status
import SystemPackage
import Terminal

/// The daemon's object on the bus, as the thread that reads the bus has it: connects, keeps the name, finds out who calls, and
/// refuses or passes on.
///
/// Memory that somebody else chooses is bounded: ``BusIntake`` passes on small messages alone, few calls wait, and nothing more
/// is read while the bus does not take what is to be sent. So is time: after each piece of work the thread sleeps as long.
final class BusObject {
  /// How long to wait after the bus went away or refused: at first, and at most.
  private static let pause: ClosedRange<Microseconds> = 1_000_000...60_000_000
  /// How long the thread sleeps after a piece of work, at most.
  private static let longestRest: Microseconds = 20_000
  /// How many calls may wait: of clients that are known in all, of all but root, and of one user; and of one client, known
  /// or not.
  private static let room = (all: 64, others: 48, user: 8, client: 4)
  /// How many bytes a device's name and a key's may have.
  private static let longest = (device: 4096, key: 64)
  /// How many clients are known, about how many the bus is asked at a time, and how many are watched because a device is handed
  /// over to them. dbus-daemon lets a user have 256 clients: whoever has all of them asked about leaves room for others.
  private static let most = (known: 64, asked: 320, watched: 32)

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
    /// What polkit is asked for it.
    var question: BusListener?
  }

  private typealias StatusAnswer = SharedAnswer<UInt64, StatusVersion>
  private struct StatusVersion: Equatable {
    let moment: Instant
    let revision: UInt64
  }

  private let daemon: BusServer
  private let log: Logger
  /// The path of the bus's socket.
  private let address: String
  /// The group whose members may call everything except what shows what is typed. Looked up once: that takes a while.
  private let group = getgrnam("keydebounce")?.pointee.gr_gid

  private var bus: OpaquePointer?
  private var object: OpaquePointer?
  private var nameRequest: BusListener?
  /// The socket to the bus, from which this thread reads, and what the library gets of it.
  private var (socket, feed): (CInt, CInt) = (-1, -1)
  private var intake = BusIntake()
  private var chunk = [UInt8](repeating: 0, count: 16_384)
  private var passedOn: [UInt8] = []
  /// What came with the message that is read, and is not passed on or closed yet.
  private var descriptors: [CInt] = []
  private var arrived = [CInt](repeating: -1, count: Int(CLINUX_MOST_DESCRIPTORS))
  private var retryAt = Instant.longAgo
  private var nextPause = BusObject.pause.lowerBound
  /// Whether it has been logged why there is no connection.
  private var hasReported = false

  /// Every call that is not answered yet. Whatever it waits for, here or at the daemon, knows it by its number alone: so an answer
  /// to one that is gone is nothing.
  private var calls: [UInt64: Call] = [:]
  private var lastNumber: UInt64 = 0
  /// By the client's own name: what the bus is asked about it, and what it has said. Names are never given twice.
  private var questions: [String: BusListener] = [:]
  private var callers: [String: BusCaller] = [:]
  private var recipients: [String: ClientWatch] = [:]
  private var logins = Logins()
  private var statuses = Dictionary(
    uniqueKeysWithValues: AccessLevel.allCases.map { ($0, StatusAnswer()) })
  /// Another number whenever `Status` has another answer.
  private var revision: UInt64 = 0
  private var properties = BusServer.Properties()

  init(_ daemon: BusServer, _ log: Logger, at address: String = systemBus) {
    (self.daemon, self.log, self.address) = (daemon, log, address)
  }

  static var systemBus: String {
    let address = getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) } ?? ""
    let isPath = address.hasPrefix("unix:path=")
    return isPath
      ? String(address.dropFirst(10).prefix { $0 != "," }) : "/run/dbus/system_bus_socket"
  }

  /// Runs for as long as the process, unless there is no library.
  func run() {
    if let missing = systemd.missing {
      // Nothing changes that while this process lives.
      return log.notice(
        """
        no libsystemd (\(String(cString: missing))), so not on the system bus: “status” and “monitor” cannot \
        reach the daemon; a SIGHUP makes it reload
        """)
    }
    while true {
      if bus == nil, retryAt <= .now { connect() }
      let (isReadable, loginsHaveChanged) = wait()
      let start = Instant.now
      for (number, answer) in daemon.answers.takeAll() { receive(answer, to: number) }
      if loginsHaveChanged {
        for session in logins.takeEnded() { daemon.request(.sessionEnded(session)) }
      }
      if isReadable { read() }
      process()
      askForStatus()
      // Keys come first, and then whoever else has work for this machine.
      if isReadable { usleep(UInt32(min(Instant.now - start, Self.longestRest))) }
    }
  }

  /// Waits for something to do.
  ///
  /// - Returns: Whether the bus has something to read, and ``logins``.
  private func wait() -> (bus: Bool, logins: Bool) {
    var events = CInt(POLLIN)
    var deadline = bus == nil ? retryAt : Instant.never
    if let bus {
      if systemd.bus_get_events(bus) & CInt(POLLOUT) != 0 { events = CInt(POLLOUT) }
      var time = UInt64.max
      if systemd.bus_get_timeout(bus, &time) >= 0 {
        deadline = Instant(Microseconds(clamping: time))
      }
    }
    for status in statuses.values { deadline = min(deadline, status.deadline) }
    let rest = deadline == .never ? -1 : max(0, (deadline - Instant.now) / 1000 + 1)
    // What is not there has a negative number, and is passed over.
    var ready = [
      pollfd(fd: socket, events: Int16(events), revents: 0),
      pollfd(fd: daemon.answers.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: logins.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    poll(&ready, nfds_t(ready.count), CInt(clamping: rest))
    return (CInt(ready[0].revents) & ~CInt(POLLOUT) != 0, ready[2].revents != 0)
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
    socket = try openSocket(CInt(SOCK_STREAM.rawValue), connectedTo: address)
    var ends: [CInt] = [-1, -1]
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    try Self.check(socketpair(AF_UNIX, kind, 0, &ends) == 0 ? 0 : -errno)
    feed = ends[0]
    let sending = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    var result = sending < 0 ? -errno : systemd.bus_new(&bus)
    if result >= 0 { result = systemd.bus_set_fd(bus, ends[1], sending) }
    guard result >= 0, let bus else {
      // The library closes what it has been given, and has not been given these.
      for end in [ends[1], sending] where end >= 0 { close(end) }
      throw Errno(rawValue: -result)
    }
    let context = Unmanaged.passUnretained(self).toOpaque()
    try Self.check(systemd.bus_set_bus_client(bus, 1))
    try Self.check(
      csystemd_add_object(
        bus, &object, BusNames.object, BusNames.interface,
        { message, context, _ in
          if let message = BusMessage(sharing: message) {
            BusObject.from(context)?.receive(message)
          }
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
    try Self.check(systemd.bus_start(bus))
    let request = BusMessage.call("RequestName", of: .bus, on: bus, BusNames.service)
    // DBUS_NAME_FLAG_DO_NOT_QUEUE
    request?.append(UInt32(4))
    nameRequest = BusListener(to: request, on: bus) { [unowned self] in nameAnswered($0) }
    if nameRequest == nil { throw .noMemory }
  }

  private static func check(_ result: CInt) throws(Errno) {
    if result < 0 { throw Errno(rawValue: -result) }
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> BusObject? {
    context.map { Unmanaged<BusObject>.fromOpaque($0).takeUnretainedValue() }
  }

  private func lose(because reason: CInt) {
    // Where there is no bus yet, or none at all, there is nothing to be said.
    if reason != ENOENT {
      reportOnce("not on the system bus (\(String(cString: strerror(reason))))")
    }
    for client in recipients.keys { daemon.request(.vanished, from: client) }
    (questions, callers, recipients, calls, nameRequest) = ([:], [:], [:], [:], nil)
    for level in AccessLevel.allCases { statuses[level]?.forgetCalls() }
    _ = systemd.bus_slot_unref(object)
    // Without flushing: that would wait for a bus that may never answer.
    systemd.bus_close(bus)
    _ = systemd.bus_unref(bus)
    for descriptor in [socket, feed] where descriptor >= 0 { close(descriptor) }
    closeDescriptors()
    (bus, object, socket, feed, intake) = (nil, nil, -1, -1, BusIntake())
    retryAt = Instant.now + nextPause
    nextPause = min(2 * nextPause, Self.pause.upperBound)
  }

  private func nameAnswered(_ answer: BusMessage) {
    // DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER
    guard answer.error == nil, answer.readNumber() == 1 else {
      let reason = answer.error.map { $0.text ?? "refused" } ?? "another daemon has it"
      return reportOnce("cannot take the name \(BusNames.service) on the system bus (\(reason))")
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

  /// Reads what is there, up to some bound, and passes what is small enough on to the library.
  private func read() {
    var room = chunk.count
    while bus != nil, room > 0 {
      var came = 0
      let count = clinux_receive(socket, &chunk, min(room, intake.missing), &arrived, &came)
      guard count > 0 else {
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        return lose(because: count == 0 ? ECONNRESET : errno)
      }
      room -= count
      descriptors += arrived.prefix(came)
      passedOn.removeAll(keepingCapacity: true)
      let isBus = chunk.withUnsafeBytes {
        intake.receive(UnsafeRawBufferPointer(rebasing: $0[..<count]), passingOn: &passedOn)
      }
      guard isBus else { return lose(because: EBADMSG) }
      if intake.passesOnDescriptors == false { closeDescriptors() }
      passOn()
    }
  }

  private func passOn() {
    var start = 0
    while bus != nil, start < passedOn.count {
      let sent = passedOn.withUnsafeBytes {
        clinux_send(
          feed, $0.baseAddress?.advanced(by: start), $0.count - start, descriptors,
          descriptors.count)
      }
      if sent > 0 {
        start += sent
        closeDescriptors()
      } else if errno != EAGAIN {
        return lose(because: errno)
      }
      // Makes room for the rest.
      process()
    }
  }

  /// Closes what came, without waiting: a socket may have bytes that nobody takes, and be told to wait until somebody does.
  private func closeDescriptors() {
    for descriptor in descriptors {
      var rest = linger(l_onoff: 1, l_linger: 0)
      setsockopt(
        descriptor, SOL_SOCKET, SO_LINGER, &rest, socklen_t(MemoryLayout.size(ofValue: rest)))
      close(descriptor)
    }
    descriptors.removeAll(keepingCapacity: true)
  }

  private func process() {
    while let bus {
      let result = systemd.bus_process(bus, nil)
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
    _ = systemd.bus_emit_properties_changed_strv(
      bus, BusNames.object, BusNames.interface, &list)
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
  private func receive(_ message: BusMessage) {
    let sender = message.sender
    lastNumber += 1
    calls[lastNumber] = Call(message: message, sender: sender)
    guard calls.values.count(where: { $0.sender == sender }) <= Self.room.client else {
      return refuseBusy(lastNumber)
    }
    if case .everyone = Self.rights[message.member] {
      judge(lastNumber, BusCaller())
    } else if let caller = callers[sender] {
      judge(lastNumber, caller)
    } else if questions[sender] == nil {
      questions.count < Self.most.asked ? ask(about: sender) : refuseBusy(lastNumber)
    }
  }

  private func refuse(_ number: UInt64, _ name: String, _ text: String) {
    receive(.refused(name, text), to: number)
  }

  private func refuseBusy(_ number: UInt64) {
    refuse(number, BusNames.Error.limitsExceeded, "too many calls wait for their answers")
  }

  /// Asks the bus who a client is.
  private func ask(about client: String) {
    let question = BusMessage.call("GetConnectionCredentials", of: .bus, on: bus, client)
    questions[client] = BusListener(to: question, on: bus) { [unowned self] answer in
      learn(client, answer.error == nil ? BusCaller(readingFrom: answer) : BusCaller())
    }
    if questions[client] == nil { learn(client, BusCaller()) }
  }

  private func learn(_ client: String, _ caller: BusCaller) {
    questions[client] = nil
    if callers.count >= Self.most.known { callers.removeAll() }
    callers[client] = caller
    let waiting = calls.filter { $0.value.sender == client && $0.value.caller == nil }
    for number in waiting.keys.sorted() { judge(number, caller) }
  }

  /// Passes a call on, refuses it, or asks polkit about it.
  private func judge(_ number: UInt64, _ caller: BusCaller) {
    guard let member = calls[number]?.message.member else { return }
    calls[number]?.caller = caller
    let known = calls.values.lazy.compactMap(\.caller)
    // Of what everybody may call, nobody asks who calls it.
    let ofUser = caller.user.map { user in known.count { $0.user == user } } ?? 0
    // So that root is heard all the same, others take no place that is root's.
    let isRoom =
      caller.isRoot
      ? known.count <= Self.room.all
      : known.count <= Self.room.others && ofUser <= Self.room.user
    guard isRoom else { return refuseBusy(number) }
    let isMember = caller.isMember(of: group)
    switch Self.rights[member] {
    case .everyone,
      .root where caller.isRoot, .group where isMember, .granted where isMember:
      pass(number, as: caller)
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
    guard let user = caller.user, let client = calls[number]?.sender else {
      return refuseUngranted(number)
    }
    guard !calls.values.contains(where: { $0.question != nil && $0.caller?.user == user }) else {
      return refuse(number, BusNames.Error.limitsExceeded, "an earlier call waits for polkit")
    }
    let message = BusMessage.polkitQuestion(
      about: client, action: "\(BusNames.service).\(action)", on: bus)
    calls[number]?.question = BusListener(to: message, on: bus) { [unowned self] answer in
      calls[number]?.question = nil
      let isAllowed =
        answer.error == nil
        && answer.read(.structure, of: "bba{ss}", { answer.readFlag() }) == true
      isAllowed ? passOnOfSeat(number, caller, user) : refuseUngranted(number)
    }
    if calls[number]?.question == nil { refuseUngranted(number) }
  }

  private func refuseUngranted(_ number: UInt64) {
    refuse(
      number, BusNames.Error.accessDenied,
      "only root, the group “keydebounce” and, where polkit runs, whoever sits at the machine may call this"
    )
  }

  /// Passes a call on for which polkit has said yes: a pause then ends with the caller's session.
  private func passOnOfSeat(_ number: UInt64, _ caller: BusCaller, _ user: uid_t) {
    guard calls[number]?.message.member == "Pause", let areKnown = logins.areKnown() else {
      return pass(number, as: caller)
    }
    guard areKnown, let session = logins.watchSession(of: user) else {
      return refuseUngranted(number)
    }
    pass(number, as: caller, session: session)
  }

  /// Reads what a call that is allowed asks for, and hands that over.
  private func pass(_ number: UInt64, as caller: BusCaller, session: String? = nil) {
    guard let call = calls[number] else { return }
    guard let kind = request(of: call.message, as: caller, session) else {
      return refuse(
        number, BusNames.Error.invalidArguments,
        "a device's name has \(Self.longest.device) bytes at most, and a key's \(Self.longest.key)")
    }
    switch kind {
    case .status where !call.message.wantsAnswer, .history where !call.message.wantsAnswer:
      calls[number] = nil
    case .status(let level):
      statuses[level]?.add(number)
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
    guard recipients.count < Self.most.watched else { return false }
    recipients[client] = ClientWatch(client, on: bus) { [unowned self] in
      guard recipients.removeValue(forKey: client) != nil else { return }
      daemon.request(.vanished, from: client)
    }
    return recipients[client] != nil
  }
}

// MARK: - Answers

extension BusObject {
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
    send(
      text.map { .text($0) } ?? .refused(BusNames.Error.failed, "it cannot be written"), to: number)
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
    guard reply.isWhole else {
      return message.refuse(BusNames.Error.failed, "no answer can be made")
    }
    reply.send()
  }
}

import BusMessages
import CSystemd
import Control
import Debounce
import Glibc
import Logging

/// The daemon's connection to the system bus: connects, keeps the name, and passes on calls.
///
/// Nothing here waits. Where there is no bus, it waits for one in the daemon's own loop; where the bus goes away, it
/// tries again. What clients call is kept as ``requests`` until the daemon has time for them.
final class Bus {
  /// How long to wait after the bus went away or refused: at first, and at most.
  private static let pause: ClosedRange<Microseconds> = 1_000_000...60_000_000

  /// How much polkit is asked at a time.
  private static let mostPermissions = 64

  /// What clients have asked for since ``takeRequests()``.
  private var requests: [BusRequest] = []

  private var users = BusUsers()
  /// Calls of clients of whom it is not known yet who they are, and what becomes of each.
  private var unknown: [(call: BusCall, request: Request)] = []
  /// What a call asks for; `nil` if that is not known yet.
  fileprivate typealias Request = (BusCall, BusCaller) -> BusRequest?
  /// What polkit has been asked, by the call for which it was.
  private var permissions: [ObjectIdentifier: BusQuestion] = [:]
  /// The group whose members may ask for all but what is typed.
  private let group = numberOfGroup()

  /// Of what ``announce(_:)`` was called last.
  var announced: UInt64 = 0

  private(set) var bus: OpaquePointer?
  /// What ``takeInterest()`` has returned last, of this connection.
  private var interest: (descriptor: CInt, events: CInt) = (-1, 0)
  private var object: OpaquePointer?
  /// When to try to connect, if there is no connection.
  private var retryAt = Instant.longAgo
  private var nextPause = Bus.pause.lowerBound
  /// Whether it has been logged why there is no connection.
  private var hasReported = false
  private let log: Logger

  init(log: Logger) {
    self.log = log
  }

  deinit {
    disconnect()
  }

  /// What to listen to, and for which events of `poll(2)`; `nil` while there is no connection, or if that is still what
  /// this has returned last.
  func takeInterest() -> (descriptor: CInt, events: CInt)? {
    guard let bus else { return nil }
    let (descriptor, events) = (csystemd_bus_get_fd(bus), csystemd_bus_get_events(bus))
    guard descriptor >= 0, events >= 0, interest != (descriptor, events) else { return nil }
    interest = (descriptor, events)
    return interest
  }

  /// When ``process(now:)`` must be called at the latest.
  var deadline: Instant {
    guard let bus else { return retryAt }
    var timeout = UInt64.max
    guard csystemd_bus_get_timeout(bus, &timeout) >= 0 else { return .never }
    return Instant(Microseconds(clamping: timeout))
  }

  /// Takes what clients have asked for.
  func takeRequests() -> [BusRequest] {
    defer { requests.removeAll() }
    return requests
  }

  /// Deals with one message, if there is one.
  ///
  /// - Returns: Whether there may be more. A client that floods must not keep keys waiting.
  func process(now: Instant) -> Bool {
    if bus == nil, retryAt <= now { connect(now: now) }
    guard let bus else { return false }
    let result = csystemd_bus_process(bus, nil)
    if result < 0 { lose(because: -result, now: now) }
    return result > 0
  }
}

// MARK: - The connection

extension Bus {
  private func connect(now: Instant) {
    retryAt = .never
    if let missing = csystemd_missing() {
      // Nothing changes that while this process lives.
      return log.notice(
        """
        no libsystemd (\(String(cString: missing))), so not on the system bus: “status” and “monitor” cannot \
        reach the daemon; a SIGHUP makes it reload
        """)
    }
    let result = openBus()
    if result < 0 { lose(because: -result, now: now) }
  }

  /// Begins to connect.
  private func openBus() -> CInt {
    let address =
      getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) }
      ?? "unix:path=/run/dbus/system_bus_socket"
    let context = Unmanaged.passUnretained(self).toOpaque()
    let result = csystemd_bus_new(&bus)
    guard result >= 0, let bus else { return result }
    let steps: [() -> CInt] = [
      { csystemd_bus_set_address(bus, address) },
      { csystemd_bus_set_bus_client(bus, 1) },
      // A socket that does not exist yet is waited for, without looking for it again and again.
      { csystemd_bus_set_watch_bind(bus, 1) },
      { [self] in
        csystemd_add_object(bus, &object, BusNames.object, BusNames.interface, .calls, context)
      },
      { csystemd_bus_start(bus) },
      { csystemd_bus_request_name_async(bus, nil, BusNames.service, 0, answerOfName, context) },
    ]
    for step in steps {
      let result = step()
      if result < 0 { return result }
    }
    return 0
  }

  /// Gives the connection up, and tries again later.
  private func lose(because reason: CInt, now: Instant) {
    reportOnce("not on the system bus (\(String(cString: strerror(reason))))")
    disconnect()
    retryAt = now + nextPause
    nextPause = min(2 * nextPause, Self.pause.upperBound)
    requests.append(.lost)
  }

  private func disconnect() {
    // Without flushing: that would wait for a bus that may never answer.
    csystemd_bus_slot_unref(object)
    object = nil
    users.forgetAll()
    unknown = []
    permissions = [:]
    csystemd_bus_close(bus)
    csystemd_bus_unref(bus)
    bus = nil
    interest = (-1, 0)
  }

  fileprivate func nameWasAnswered(_ answer: BusMessage) {
    guard !answer.isError else {
      reportOnce(
        """
        cannot take the name \(BusNames.service) on the system bus \
        (\(answer.errorText ?? "refused"))
        """)
      return
    }
    // DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER
    guard answer.readNumber() == 1 else {
      reportOnce(
        "cannot take the name \(BusNames.service) on the system bus (another daemon has it)")
      return
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
}

// MARK: - Calls

extension Bus {
  fileprivate func receive(_ request: BusRequest) {
    requests.append(request)
  }

  /// Receives a call whose answer depends on who calls.
  fileprivate func receive(_ call: BusCall, onceKnown request: @escaping Request) {
    let client = call.sender
    if let caller = users.caller(client) { return receive(call, from: caller, request) }
    unknown.append((call, request))
    let isAsked =
      bus.map { bus in
        users.ask(about: client, on: bus) { [weak self] in self?.isKnown(client, $0) }
      } ?? false
    if !isAsked { isKnown(client, BusCaller()) }
  }

  private func isKnown(_ client: String, _ caller: BusCaller) {
    users.remember(client, caller)
    let known = unknown.filter { $0.call.sender == client }
    unknown.removeAll { $0.call.sender == client }
    for (call, request) in known { receive(call, from: caller, request) }
  }

  private func receive(_ call: BusCall, from caller: BusCaller, _ request: Request) {
    if let request = request(call, caller) { receive(request) }
  }

  /// What a call asks for, once it is known whether the caller may pause. Polkit is asked about those who are neither root
  /// nor in the group; nobody waits for its answer.
  fileprivate func onceItIsKnownWhetherItMayPause(
    _ call: BusCall, _ caller: BusCaller, _ request: @escaping Request
  ) -> BusRequest? {
    var caller = caller
    caller.mayPause = caller.isMember(of: group)
    guard !caller.mayPause, let bus, permissions.count < Self.mostPermissions else {
      return request(call, caller)
    }
    let id = ObjectIdentifier(call)
    permissions[id] = BusQuestion(
      polkitAbout: call.sender, action: "io.github.keydebounce.pause", on: bus
    ) { [weak self] answer in
      caller.mayPause = BusCaller.isAllowed(by: answer)
      self?.permissions[id] = nil
      self?.receive(call, from: caller, request)
    }
    return permissions[id] == nil ? request(call, caller) : nil
  }

  /// Watches a client, and passes on ``BusRequest/vanished(_:)`` when it is gone, even if it is gone already.
  ///
  /// - Returns: What ends the watch when it is dropped; `nil` if the client cannot be watched.
  func watch(_ client: String) -> BusClientWatch? {
    guard let bus else { return nil }
    return BusClientWatch(client, on: bus) { [weak self] in self?.receive(.vanished(client)) }
  }
}

/// Receives a call whose answer depends on whose it is.
private func receive(
  _ context: UnsafeMutableRawPointer?, _ call: BusCall, onceKnown request: @escaping Bus.Request
) -> CInt {
  guard let context else { return 0 }
  Unmanaged<Bus>.fromOpaque(context).takeUnretainedValue().receive(call, onceKnown: request)
  return 1
}

/// The same of a call that takes the right to pause.
private func receivePausing(
  _ context: UnsafeMutableRawPointer?, _ call: BusCall, _ request: @escaping Bus.Request
) -> CInt {
  guard let context else { return 0 }
  let bus = Unmanaged<Bus>.fromOpaque(context).takeUnretainedValue()
  bus.receive(call) { [weak bus] call, caller in
    bus?.onceItIsKnownWhetherItMayPause(call, caller, request)
  }
  return 1
}

/// What the bus calls; `context` is the ``Bus``, which outlives its connection.
private func receive(
  _ context: UnsafeMutableRawPointer?, _ request: BusRequest
) -> CInt {
  guard let context else { return 0 }
  Unmanaged<Bus>.fromOpaque(context).takeUnretainedValue().receive(request)
  // The answer comes later.
  return 1
}

private func answerOfName(
  _ answer: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
  _: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  guard let context, let answer = BusMessage(sharing: answer) else { return 0 }
  Unmanaged<Bus>.fromOpaque(context).takeUnretainedValue().nameWasAnswered(answer)
  return 0
}

extension csystemd_methods {
  /// The methods of the daemon's object: each passes its call on to the ``Bus``.
  fileprivate static var calls: csystemd_methods {
    csystemd_methods(
      status: { call, context, _ in receive(context, .status(BusCall(call))) },
      statistics: { call, context, _ in
        receive(context, BusCall(call)) { .statistics($0, isRoot: $1.isRoot) }
      },
      history: { call, context, _ in
        let call = BusCall(call)
        let device = call.readString()
        return receive(context, call) { .history($0, device: device, isRoot: $1.isRoot) }
      },
      reload: { call, context, _ in receive(context, .reload(BusCall(call))) },
      borrow: { call, context, _ in
        let call = BusCall(call)
        return receive(
          context, .borrow(call, device: call.readString(), seconds: call.readNumber()))
      },
      give_back: { call, context, _ in
        let call = BusCall(call)
        return receive(context, .giveBack(call, device: call.readString()))
      },
      reset: { call, context, _ in
        let call = BusCall(call)
        return receive(context, .reset(call, device: call.readString(), key: call.readString()))
      },
      pause: { call, context, _ in
        let call = BusCall(call)
        let (device, seconds) = (call.readString(), call.readNumber())
        return receivePausing(context, call) {
          .pause($0, device: device, seconds: seconds, $1)
        }
      },
      resume: { call, context, _ in
        let call = BusCall(call)
        let device = call.readString()
        return receivePausing(context, call) { .resume($0, device: device, $1) }
      },
      watch: { call, context, _ in
        let call = BusCall(call)
        let device = call.readString()
        return receive(context, call) { .watch($0, device: device, $1) }
      })
  }
}

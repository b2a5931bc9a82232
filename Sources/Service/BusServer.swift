import Logging
import Status
import SystemPackage

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
  let number: UInt64
  let bus: BusServer

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

  let requests: Mailbox<BusRequest>
  /// For the bus's thread; calls are numbered from 1.
  let answers: Mailbox<(call: UInt64, answer: Answer)>

  init() throws(Errno) {
    (requests, answers) = (try Mailbox(), try Mailbox())
  }

  func start(log: Logger) {
    let hasStarted = Worker.startThread { [self] in BusObject(self, log).run() }
    if !hasStarted { log.warning("not on the system bus: the system gives no thread for it") }
  }

  func send(_ answer: Answer, to call: UInt64 = 0) {
    answers.put((call, answer))
  }

  func request(_ kind: BusRequest.Kind, from sender: String = "", as call: UInt64 = 0) {
    requests.put(
      BusRequest(kind: kind, call: BusCall(sender: sender, number: call, bus: self)))
  }
}

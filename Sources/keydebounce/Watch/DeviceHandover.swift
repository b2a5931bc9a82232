import Bus
import Debounce
import EventDevices
import Glibc
import Status

/// A device that this process reads, and what the daemon does about it: it shows what it makes of the device, or gives the
/// device up for a while, if it holds it.
///
/// The handover ends when the value does, or with the process, however that ends.
struct DeviceHandover: ~Copyable {
  /// How long to wait before a daemon that has just been restarted is asked again.
  private static let patience: Microseconds = 2_000_000

  /// For how long to ask at a time, in seconds. Where this process hangs, the keyboard is debounced again then.
  private static let length: UInt32 = 60

  let node: String

  /// The only connection to the daemon; `nil` if there is no bus.
  private let client: DaemonClient?
  /// Why there is none.
  private let failure: ControlError?
  /// What the daemon reported when it was first asked.
  private let status: DaemonStatus?

  /// When the handover must be renewed; `nil` if there is none.
  private(set) var renewal: Microseconds?

  /// Asks the daemon about a device. Nothing is handed over yet.
  ///
  /// - Parameter node: Its node, such as `/dev/input/event3`.
  init(_ node: String) {
    self.node = node
    do {
      let client = try DaemonClient()
      status = try? client.status()
      self.client = consume client
      failure = nil
    } catch {
      client = nil
      (failure, status) = (error, nil)
    }
  }

  deinit {
    guard isHandedOver else { return }
    try? client?.giveBack(node)
  }

  private var device: DeviceStatus? { status?.devices.first { $0.node == node } }

  /// What the daemon has learned of the device; nothing where none runs, or does not tell.
  var habits: LearnedHabits { device?.counts?.habits ?? LearnedHabits() }

  /// Whether the daemon has handed the device over.
  var isHandedOver: Bool { renewal != nil }

  /// What stands on the keys of this system's layout.
  var labels: [KeyCode: String] { client?.labels() ?? LayoutLabels.ofSystem() }

  /// What the daemon makes of the device; `nil` if it does not hold it, or does not show this to the user.
  func stream() throws(ControlError) -> DaemonStream? {
    // What another program has grabbed, the daemon does not see either.
    guard let device, device.state != .busy else { return nil }
    do {
      return try client?.watch(node).map { DaemonStream(node, $0) }
    } catch .noBus, .noLibrary, .notRunning, .refused {
      return nil
    }
  }

  /// The device itself, for which the daemon is asked if it holds it.
  ///
  /// - Throws: `DeviceError`, or ``ControlError`` if the daemon holds it and does not hand it over.
  mutating func take() throws -> OpenDevice {
    let device = OpenDevice(try Source(path: node))
    try request()
    return device
  }

  private mutating func request() throws(ControlError) {
    do {
      renewal = try client?.handOver(node, for: Self.length).map(Self.renewal)
    } catch .notRunning {
    } catch .refused(let member) {
      // Who may not ask for it may still read what the daemon does not hold.
      if device != nil { throw .refused(member: member) }
    }
  }

  /// Reports on standard error that the device is handed over, or which program may have it, and what to do then.
  func reportState() {
    if let failure,
      let holder = DeviceHolder.all(of: node).first(where: { $0.program == "keydebounce" })
    {
      // What a daemon that cannot be asked has grabbed does not come here.
      report("\(failure)")
      report(
        "\(holder) has \(node) open, and cannot be asked to hand it over. While it has grabbed the device, nothing comes here:"
          + " stop it first if it is a daemon")
    } else if device?.state == .busy {
      report("another program has grabbed \(node): what is typed there does not come here")
      reportHolders(besides: status)
    } else if isHandedOver {
      report("the daemon has handed the device over, and does not debounce it meanwhile")
    }
  }

  /// Reports on standard error that another program has grabbed the device since it was handed over.
  func reportTaken() {
    report(
      "another program has grabbed \(node) while it was handed over: what is typed there does not come here"
    )
    reportHolders(besides: try? client?.status())
  }

  private func reportHolders(besides daemon: DaemonStatus?) {
    for line in HeldDevice(node: node, daemon: daemon?.pid)?.lines ?? [] { report(line) }
  }

  /// Gives the device back for a while, if it is handed over.
  ///
  /// - Returns: Whether it was.
  mutating func giveBack() -> Bool {
    guard isHandedOver else { return false }
    renewal = nil
    try? client?.giveBack(node)
    return true
  }

  /// Asks for more time if half of it is over.
  mutating func renewIfDue(now: Microseconds) throws(ControlError) {
    if let due = renewal, due <= now { try renew() }
  }

  mutating func renew() throws(ControlError) {
    do {
      renewal = try client?.handOver(node, for: Self.length).map(Self.renewal)
    } catch .notRunning {}
    // A daemon that was restarted meanwhile will soon hold the device, and does not know of the handover.
    renewal = renewal ?? monotonicNow() + Self.patience
  }

  private static func renewal(of seconds: Int) -> Microseconds {
    monotonicNow() + Microseconds(seconds) * 500_000
  }
}

extension HeldDevice {
  /// Finds out who has a device open, and how other programs can tell it from its clone.
  ///
  /// - Parameter daemon: The daemon's process, which has it open, too.
  /// - Returns: `nil` if the device is gone or may not be opened, or is not the one that udev knows.
  init?(node: String, daemon: pid_t?) {
    let nodes = (try? NamedDevices.all()) ?? []
    let described = nodes.first { $0.path == node }
    guard let source = try? described.map({ try Source(path: node, of: $0) }) ?? Source(path: node)
    else { return nil }
    self.init(
      name: source.identity.name, cloneName: described?.clone(among: nodes)?.name,
      keydID: KeydID(source.identity, source.capabilities),
      programs: DeviceHolder.all(of: node).filter { $0.process != daemon })
  }

  /// What is reported of it on standard error.
  fileprivate var lines: [String] {
    [holders]
      + advice.map { line in
        switch line {
        case .sentence(let text): text
        case .literal(let text): "    \(text)"
        }
      }
  }
}

/// Finds out whether another program has grabbed a device that is read here: the kernel has keys down, then, of which
/// nothing was read. A pure value.
struct HandoverCheck {
  /// How often the kernel is asked: a key that is held is seen twice.
  static let pause: Microseconds = 100_000

  /// When the kernel is to be asked; never again once it is known.
  private(set) var due: Microseconds = 0
  /// Whether the keys differed when the kernel was asked last.
  private var isSuspected = false
  /// Whether something has been read since then.
  private var hasRead = false

  /// Receives that something was read.
  mutating func read() { hasRead = true }

  /// Receives whether the kernel has other keys down than were read, and returns whether another program has the device:
  /// once.
  ///
  /// Only if they differ twice, with nothing read in between: an event may be on its way.
  mutating func isTaken(keysDiffer: @autoclosure () -> Bool, at now: Microseconds) -> Bool {
    guard due <= now else { return false }
    let differ = keysDiffer()
    let isTaken = differ && isSuspected && !hasRead
    (isSuspected, hasRead) = (differ, false)
    due = isTaken ? .max : now + Self.pause
    return isTaken
  }
}

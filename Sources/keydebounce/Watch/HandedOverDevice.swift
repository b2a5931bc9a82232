import Bus
import Debounce
import EventDevices
import Glibc
import Status

/// A device that this process reads, and which the daemon, if it holds it, gives up meanwhile.
///
/// Owns the handover: it ends when the value does, or with the process, however that ends.
struct HandedOverDevice: ~Copyable {
  /// How long to wait before a daemon that has just been restarted is asked again.
  private static let patience: Microseconds = 2_000_000

  /// For how long to ask at a time, in seconds. Where this process hangs, the keyboard is debounced again then.
  private static let length: UInt32 = 60

  /// The device's node.
  let node: String

  /// The connection to the daemon; `nil` if there is no bus.
  private let client: DaemonClient?

  /// When the device must be asked for again; `nil` if there is none.
  private(set) var askAgainAt: Microseconds?

  /// If another program has grabbed the device, as far as the daemon knew when it was asked, the daemon's process: nothing
  /// comes from the device here.
  private let daemonInWaiting: pid_t?

  /// If there is no bus, why, and which other keydebounce has the device open: what that has grabbed does not come here.
  private let unreachable: (reason: ControlError, holder: DeviceHolder)?

  /// Nothing is handed over.
  init() {
    self.init("", nil)
  }

  /// Has the daemon hand the device over if it holds it.
  ///
  /// - Parameter node: Its node, as `/dev/input/event3`.
  /// - Throws: ``ControlError`` if the daemon holds it and does not hand it over.
  init(_ node: String) throws(ControlError) {
    let client: DaemonClient
    do {
      client = try DaemonClient()
    } catch {
      // Without a bus there is no daemon to ask, but perhaps one that has the device.
      let holder = DeviceHolder.all(of: node).first { $0.program == "keydebounce" }
      self.init(node, nil, unreachable: holder.map { (error, $0) })
      return
    }
    let status = try? client.status()
    let isBusy = status?.devices.contains { $0.node == node && $0.state == .busy } ?? false
    var askAgainAt: Microseconds?
    do {
      askAgainAt = try client.handOver(node, for: Self.length).map(Self.halfOver)
    } catch .notRunning {
    } catch .refused(let member) {
      // Who may not ask for it may still read what the daemon does not hold.
      if try client.status().devices.contains(where: { $0.node == node }) {
        throw .refused(member: member)
      }
    }
    self.init(node, client, askAgainAt: askAgainAt, daemonInWaiting: isBusy ? status?.pid : nil)
  }

  /// By itself, because Swift 6.2 does not clean up after an initialiser that throws.
  private init(
    _ node: String, _ client: consuming DaemonClient?, askAgainAt: Microseconds? = nil,
    daemonInWaiting: pid_t? = nil, unreachable: (reason: ControlError, holder: DeviceHolder)? = nil
  ) {
    self.node = node
    self.client = client
    self.askAgainAt = askAgainAt
    self.daemonInWaiting = daemonInWaiting
    self.unreachable = unreachable
  }

  deinit {
    guard askAgainAt != nil else { return }
    try? client?.giveBack(node)
  }

  /// Whether the daemon has handed the device over.
  var isHandedOver: Bool { askAgainAt != nil }

  /// Reports on standard error that the device is handed over, or which program may have it, and what to do then.
  func reportState() {
    if let (reason, holder) = unreachable {
      report("\(reason)")
      report(
        "\(holder) has \(node) open and cannot be asked to hand it over: nothing that it has grabbed comes here. Stop it"
          + " first if it is a daemon")
    } else if let daemonInWaiting {
      report("another program has grabbed \(node): nothing that is typed there comes here")
      for line in HeldDevice(node: node, daemon: daemonInWaiting)?.lines ?? [] { report(line) }
    } else if isHandedOver {
      report("the daemon has handed the device over: it is not debounced meanwhile")
    }
  }

  /// Reports on standard error that another program has grabbed the device since it was handed over.
  func reportTaken() {
    report(
      "another program has grabbed \(node) while it was handed over: nothing that is typed there comes here"
    )
    let daemon = (try? client?.status())?.pid
    for line in HeldDevice(node: node, daemon: daemon)?.lines ?? [] { report(line) }
  }

  /// Asks for more time if half of it is over.
  mutating func askAgain(now: Microseconds) throws(ControlError) {
    guard let due = askAgainAt, due <= now else { return }
    try askAgainNow()
  }

  /// Gives the device back for a while, if it is handed over.
  ///
  /// - Returns: Whether it was.
  mutating func giveBack() -> Bool {
    guard askAgainAt != nil else { return false }
    askAgainAt = nil
    try? client?.giveBack(node)
    return true
  }

  /// Asks for the device once more.
  mutating func askAgainNow() throws(ControlError) {
    do {
      // A daemon that was restarted meanwhile will soon hold the device, and does not know that it was handed over.
      let askAgainAt = try client?.handOver(node, for: Self.length).map(Self.halfOver)
      self.askAgainAt = (askAgainAt ?? nil) ?? monotonicNow() + Self.patience
    } catch .notRunning {
      askAgainAt = monotonicNow() + Self.patience
    }
  }

  /// When half of that time is over.
  private static func halfOver(of seconds: Int) -> Microseconds {
    monotonicNow() + Microseconds(seconds) * 500_000
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

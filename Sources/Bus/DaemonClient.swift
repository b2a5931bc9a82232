import CSystemd
import Glibc
import Status
import SystemPackage

/// A command's connection to the running daemon. Every call waits for its answer.
///
/// Owns the connection; when it is closed, the daemon takes back what it handed over.
public struct DaemonClient: ~Copyable {
  /// How long an answer may take, in microseconds. The daemon answers at once; a device with keys down takes a
  /// moment to be given back.
  static let patience: UInt64 = 10_000_000

  let bus: BusConnection
  /// What the daemon has announced, if that is listened to.
  var announcements: Announcements?

  /// Connects to the system bus.
  ///
  /// - Throws: ``ControlError/noBus(reason:)``, or ``ControlError/noLibrary(reason:)``.
  public init() throws(ControlError) {
    bus = try BusConnection()
  }

  /// The daemon's status; without the counts of single keys if this user may not see them.
  public func status() throws(ControlError) -> DaemonStatus {
    let member: String
    let answer: BusMessage
    do {
      member = "Statistics"
      answer = try call(member)
    } catch .refused {
      return try decode(call("Status"), from: "Status")
    }
    return try decode(answer, from: member)
  }

  /// Whether systemd has the service for failed: it may have given up starting it.
  public func hasFailed() -> Bool {
    let unit = RemoteObject(
      service: "org.freedesktop.systemd1",
      path: "/org/freedesktop/systemd1/unit/keydebounce_2eservice",
      interface: "org.freedesktop.systemd1.Unit")
    return bus.property("ActiveState", of: unit, patience: Self.patience) == "failed"
  }

  /// What was counted of a device on each day.
  ///
  /// - Parameter device: Its node, such such as `/dev/input/event3`.
  public func history(of device: String) throws(ControlError) -> [Day: KeyDays] {
    let answer: BusMessage
    do {
      answer = try call("History", device)
    } catch .failed(_, BusNames.Error.notHeld) {
      throw .notHeld(device)
    }
    guard let days = answer.readString().flatMap({ try? StoredDays($0).days }) else {
      throw Self.unreadable("History")
    }
    return days
  }

  /// Makes the daemon reload its configuration.
  ///
  /// - Returns: What is wrong with it, one line for each error; the daemon then keeps the settings that it has. Empty
  ///   if there are none.
  public func reload() throws(ControlError) -> [String] {
    let answer = try call("Reload")
    guard let problems = answer.readStrings() else { throw Self.unreadable("Reload") }
    return problems
  }

  /// Asks the daemon to hand a device over, so that this process can read it.
  ///
  /// The daemon takes it back when this connection calls ``giveBack(_:)`` or is closed. It also does after a while, unless
  /// this is called again for the same device.
  ///
  /// - Parameters:
  ///   - device: Its node, such such as `/dev/input/event3`.
  ///   - seconds: For how long at most.
  /// - Returns: After how many seconds the daemon takes it back, which may be fewer; `nil` if it does not hold the device.
  public func handOver(_ device: String, for seconds: UInt32 = 600) throws(ControlError) -> Int? {
    let answer: BusMessage
    do {
      answer = try call("Borrow", device, seconds)
    } catch .failed(_, BusNames.Error.notHeld) {
      return nil
    }
    guard let seconds = answer.readNumber() else { throw Self.unreadable("Borrow") }
    return Int(seconds)
  }

  /// Watches what the daemon does with a device, which is debounced meanwhile as before. For root alone.
  ///
  /// What is read from the descriptor is a recording, for a `RecordingReader`: the head of the device, and from now on each
  /// raw frame (`.raw`), what becomes of each edge (`.outcome`) and each frame that is passed on (`.clean`). It begins with
  /// `.lost`, with nothing missing and the keys that are down now. Times are those of the kernel's monotonic clock.
  ///
  /// What does not fit into the pipe is lost, and `.lost` says how much, and which keys are down then. It ends, after
  /// `.closed`, when the device goes, or is given back or handed over.
  ///
  /// - Parameter device: Its node, such as `/dev/input/event3`.
  /// - Returns: The end of a pipe to read from, which blocks unless the caller changes that. The caller closes it, which
  ///   ends the watching; it outlives this connection. `nil` if the daemon does not hold the device.
  /// - Throws: ``ControlError/refused(member:)`` for others than root, ``ControlError/handedOver(_:)``, and
  ///   ``ControlError/failed(member:text:)`` if too many watch it already.
  public func watch(_ device: String) throws(ControlError) -> FileDescriptor? {
    let answer: BusMessage
    do {
      answer = try call("Watch", device)
    } catch .failed(_, BusNames.Error.notHeld) {
      return nil
    }
    let descriptor = answer.readDescriptor {
      let copy = fcntl($0.rawValue, F_DUPFD_CLOEXEC, 3)
      return copy < 0 ? nil : FileDescriptor(rawValue: copy)
    }
    guard let descriptor else { throw Self.unreadable("Watch") }
    return descriptor
  }

  /// Drops what was counted and learned of a device, or of one of its keys.
  ///
  /// - Parameters:
  ///   - device: Its node, such as `/dev/input/event3`.
  ///   - key: The key's name; `nil` for all.
  public func reset(_ device: String, key: String? = nil) throws(ControlError) {
    do {
      _ = try call("Reset", device, text: key ?? "")
    } catch .failed(_, BusNames.Error.notHeld) {
      throw .notHeld(device)
    } catch .failed(_, BusNames.Error.noSuchKey) {
      throw .noSuchKey(key ?? "", device: device)
    }
  }

  /// Has everything that a device sends pass as it is, for each key from when it is idle.
  ///
  /// - Parameters:
  ///   - device: Its node, such as `/dev/input/event3`; `nil` for all, also those that come meanwhile.
  ///   - seconds: For how long; `nil` until it is resumed, or the daemon starts anew.
  /// - Throws: ``ControlError/refused(member:)`` if this user may not, ``ControlError/notHeld(_:)``.
  public func pause(_ device: String? = nil, for seconds: UInt32? = nil) throws(ControlError) {
    try steer("Pause", device, seconds ?? 0)
  }

  /// Has a device debounced again, for each key from when it is idle.
  ///
  /// - Parameter device: Its node; `nil` for all.
  public func resume(_ device: String? = nil) throws(ControlError) {
    try steer("Resume", device)
  }

  private func steer(
    _ member: String, _ device: String?, _ seconds: UInt32? = nil
  ) throws(ControlError) {
    do {
      _ = try call(member, device ?? "", seconds)
    } catch .failed(_, BusNames.Error.notHeld) {
      throw .notHeld(device ?? "any device")
    }
  }

  /// Gives a device back that was handed over.
  public func giveBack(_ device: String) throws(ControlError) {
    _ = try call("Return", device)
  }
}

// MARK: - Calls

extension DaemonClient {
  private func call(
    _ member: String, _ argument: String? = nil, _ number: UInt32? = nil, text: String? = nil
  ) throws(ControlError) -> BusMessage {
    guard let call = BusMessage.call(member, of: BusNames.daemon, on: bus.pointer) else {
      throw Self.failure(of: member, argument, name: nil, text: nil, reason: ENOMEM)
    }
    for text in [argument, text] {
      if let text { call.append(text) }
    }
    if let number { call.append(number) }
    switch call.call(on: bus.pointer, patience: Self.patience) {
    case .answered(let answer): return answer
    case .failed(let name, let text, let reason):
      throw Self.failure(of: member, argument, name: name, text: text, reason: reason)
    }
  }

  private static func failure(
    of member: String, _ argument: String?, name: String?, text: String?, reason: CInt
  ) -> ControlError {
    switch name {
    case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
      .notRunning
    case "org.freedesktop.DBus.Error.AccessDenied": .refused(member: member)
    case BusNames.Error.handedOver: .handedOver(argument ?? "the device")
    case let name? where [BusNames.Error.notHeld, BusNames.Error.noSuchKey].contains(name):
      .failed(member: member, text: name)
    default: .failed(member: member, text: text ?? String(cString: strerror(reason)))
    }
  }

  private static func unreadable(_ member: String) -> ControlError {
    .failed(member: member, text: "is it another version? “keydebounce status” shows which")
  }

  private func decode(
    _ answer: BusMessage, from member: String
  ) throws(ControlError) -> DaemonStatus {
    guard let text = answer.readString() else { throw Self.unreadable(member) }
    do {
      return try StatusJSON.decode(DaemonStatus.self, from: Array(text.utf8))
    } catch {
      throw Self.unreadable(member)
    }
  }
}

/// Why a call to the daemon failed.
public enum ControlError: Error, Equatable, CustomStringConvertible {
  /// The library through which the bus is reached is not on this machine.
  case noLibrary(reason: String)
  /// There is no system bus, or it cannot be reached.
  case noBus(reason: CInt)
  /// No daemon is on the bus.
  case notRunning
  /// The bus lets only root and the group `keydebounce` call this.
  case refused(member: String)
  /// The device is handed over to another program.
  case handedOver(String)
  /// The daemon does not hold the device.
  case notHeld(String)
  /// The device has no such key.
  case noSuchKey(String, device: String)
  /// The daemon answered with an error, or with something that this version does not know, or not at all.
  case failed(member: String, text: String)

  public var description: String {
    switch self {
    case .noLibrary(let reason):
      """
      cannot reach the daemon: that takes the system bus, and libsystemd to reach it (\(reason)). The daemon needs \
      neither: its log says what it does, and a SIGHUP makes it reload its settings
      """
    case .noBus(let reason):
      """
      cannot reach the system bus (\(String(cString: strerror(reason)))), through which commands reach the daemon. \
      Is dbus running? See “systemctl status dbus”
      """
    case .notRunning:
      """
      the daemon is not running, or not on the system bus. See “systemctl status keydebounce”; \
      “sudo systemctl start keydebounce” starts it
      """
    case .refused("Pause"), .refused("Resume"), .refused("Reload"):
      """
      only root, members of the group “keydebounce” and, where polkit runs, whoever sits at the machine may pause, \
      resume and reload. Try sudo
      """
    case .refused("Watch"):
      "only root may watch what the daemon does: it shows what is typed. Try sudo"
    case .refused(let member):
      """
      the bus does not let this user call “\(member)”: only root and members of the group \
      “keydebounce” may. Try sudo
      """
    case .handedOver(let device):
      """
      \(device) is already handed over to another program (keydebounce monitor, record or calibrate); end that \
      one first
      """
    case .notHeld(let device):
      "the daemon holds no device “\(device)”. “keydebounce status” shows those that it holds"
    case .noSuchKey(let key, let device):
      "\(device) has no key \(key). “keydebounce keys” shows the names of keys"
    case .failed(let member, let text):
      "the daemon did not answer “\(member)” as expected: \(text)"
    }
  }
}

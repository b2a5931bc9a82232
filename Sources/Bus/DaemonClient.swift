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

  public let bus: BusConnection
  /// What the daemon has announced, if that is listened to.
  var announcements: Announcements?

  /// Connects to the system bus.
  ///
  /// - Throws: ``ControlError/noBus(reason:)``, or ``ControlError/noLibrary(reason:)``.
  public init() throws(ControlError) {
    bus = try BusConnection()
  }

  private init(takesDescriptors: Bool) throws(ControlError) {
    bus = try BusConnection(takesDescriptors: takesDescriptors)
  }

  /// The daemon's status; without the counts of single keys if this user may not see them.
  public func status() throws(ControlError) -> DaemonStatus {
    do {
      return try status(by: "Statistics")
    } catch .refused {
      return try status(by: "Status")
    }
  }

  private func status(by member: String) throws(ControlError) -> DaemonStatus {
    try read(call(member), of: member) { $0.readString().flatMap { Self.status(in: $0) } }
  }

  /// The status that the daemon's answer holds; `nil` if it is none, or names a device that is no event node.
  ///
  /// Commands open the devices that it names, as root: a daemon that was taken over names no other files.
  static func status(in answer: String) -> DaemonStatus? {
    let status = try? StatusJSON.decode(DaemonStatus.self, from: Array(answer.utf8))
    return status.flatMap { $0.devices.allSatisfy { isEventNode($0.node) } ? $0 : nil }
  }

  private static func isEventNode(_ path: String) -> Bool {
    let (folder, digits) = ("/dev/input/event", path.utf8.dropFirst(16))
    return path.hasPrefix(folder) && !digits.isEmpty
      && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
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
  /// - Parameter device: Its node, such as `/dev/input/event3`.
  public func history(of device: String) throws(ControlError) -> [Day: KeyDays] {
    try read(call("History", device), of: "History") {
      $0.readString().flatMap { (try? StoredDays($0))?.days }
    }
  }

  /// Makes the daemon reload its configuration.
  ///
  /// - Returns: What is wrong with it, one line for each error; the daemon then keeps the settings that it has. Empty
  ///   if there are none.
  public func reload() throws(ControlError) -> [String] {
    try read(call("Reload"), of: "Reload") { $0.readStrings() }
  }

  /// Asks the daemon to hand a device over, so that this process can read it.
  ///
  /// The daemon takes it back when this connection calls ``giveBack(_:)`` or is closed. It also does after a while, unless
  /// this is called again for the same device.
  ///
  /// - Parameters:
  ///   - device: Its node, such as `/dev/input/event3`.
  ///   - seconds: For how long at most.
  /// - Returns: After how many seconds the daemon takes it back, which may be fewer; `nil` if it does not hold the device.
  public func handOver(_ device: String, for seconds: UInt32 = 600) throws(ControlError) -> Int? {
    do {
      return try read(call("Borrow", device, number: seconds), of: "Borrow") {
        $0.readNumber().map { Int($0) }
      }
    } catch .notHeld {
      return nil
    }
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
    // Open only for as long as that takes.
    let other = try DaemonClient(takesDescriptors: true)
    do {
      return try read(other.call("Watch", device), of: "Watch") { $0.readDescriptor() }
    } catch .notHeld {
      return nil
    }
  }

  /// Drops what was counted and learned of a device, or of one of its keys.
  ///
  /// - Parameters:
  ///   - device: Its node, such as `/dev/input/event3`.
  ///   - key: The key's name; `nil` for all.
  public func reset(_ device: String, key: String? = nil) throws(ControlError) {
    _ = try call("Reset", device, key ?? "")
  }

  /// Has everything that a device sends pass as it is, for each key from when it is idle.
  ///
  /// - Parameters:
  ///   - device: Its node, such as `/dev/input/event3`; `nil` for all, also those that come meanwhile.
  ///   - seconds: For how long; `nil` until it is resumed, or the daemon starts anew.
  /// - Throws: ``ControlError/refused(member:)`` if this user may not, ``ControlError/notHeld(_:)``.
  public func pause(_ device: String? = nil, for seconds: UInt32? = nil) throws(ControlError) {
    _ = try call("Pause", device ?? "", number: seconds ?? 0)
  }

  /// Has a device debounced again, for each key from when it is idle.
  ///
  /// - Parameter device: Its node; `nil` for all.
  public func resume(_ device: String? = nil) throws(ControlError) {
    _ = try call("Resume", device ?? "")
  }

  /// Gives a device back that was handed over.
  public func giveBack(_ device: String) throws(ControlError) {
    _ = try call("Return", device)
  }
}

// MARK: - Calls

extension DaemonClient {
  private func call(
    _ member: String, _ texts: String..., number: UInt32? = nil
  ) throws(ControlError) -> BusMessage {
    guard let call = BusMessage.call(member, of: BusNames.daemon, on: bus.pointer) else {
      throw .failed(member: member, text: String(cString: strerror(ENOMEM)))
    }
    for text in texts { call.append(text) }
    if let number { call.append(number) }
    do {
      return try bus.answer(to: call, patience: Self.patience)
    } catch {
      throw Self.failure(of: member, texts, error)
    }
  }

  private static func failure(
    of member: String, _ arguments: [String], _ error: BusError
  ) -> ControlError {
    let device = arguments.first ?? "the device"
    return switch error.name {
    case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
      .notRunning
    case BusNames.Error.accessDenied: .refused(member: member)
    case BusNames.Error.handedOver: .handedOver(device)
    case BusNames.Error.notHeld: .notHeld(device)
    case BusNames.Error.noSuchKey: .noSuchKey(arguments.last ?? "", device: device)
    default: .failed(member: member, text: error.text ?? "no reason was given")
    }
  }

  /// What `read` finds in an answer.
  private func read<Value>(
    _ answer: BusMessage, of member: String, _ read: (BusMessage) -> Value?
  ) throws(ControlError) -> Value {
    guard let value = read(answer) else {
      throw .failed(member: member, text: "is it another version? “keydebounce status” shows which")
    }
    return value
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

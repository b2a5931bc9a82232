import Control
import Debounce
import EventDevices
import Glibc
import Recording
import Reports
import Status

/// A device that a command is to watch: as the daemon shows it, if the daemon holds it, or else opened by this process.
struct DeviceView {
  let path: String
  let device: any WatchedDevice
  /// The head of a recording of it.
  let head: RecordedDevice
  /// The habits that the daemon had learned of the device before; none where the daemon does not hold it.
  let habits: LearnedHabits
  /// Whether the daemon shows it.
  let isStream: Bool

  /// The device's state in the daemon; `nil` if the daemon has not taken it, or cannot be asked.
  private let state: ControlledDevice.State?

  /// - Parameter path: The device's node, such as `/dev/input/event3`.
  /// - Throws: `DeviceError`, or ``ControlError`` if the daemon holds the device and does not show it to this user.
  init(_ path: String) throws {
    self.path = path
    var (state, stream): (ControlledDevice.State?, DaemonStream?)
    do {
      (state, stream) = try Self.asked(path)
    } catch {
      switch error {
      case .notRunning, .unreachable, .ended: break
      case .noPermission, .refused:
        guard !Self.isHeld(path) else { throw ControlError.refused(.watch) }
      default: throw error
      }
    }
    (self.state, isStream) = (state, stream != nil)
    if let stream {
      (device, head, habits) = (stream, stream.device, stream.habits)
    } else {
      let open = OpenDevice(try Source(path: path))
      (device, head, habits) = (open, open.device, LearnedHabits())
    }
  }

  private static func asked(
    _ path: String
  ) throws(ControlError) -> (ControlledDevice.State?, DaemonStream?) {
    var client = try DaemonClient()
    let state = try client.devices().first { $0.node == path }?.state
    // The daemon does not see the events of a device that another program has grabbed.
    guard state == .debounced, let socket = try DaemonClient.watch(path) else {
      return (state, nil)
    }
    return (state, try DaemonStream(path, socket))
  }

  /// Whether a daemon holds the device: its clone is there.
  private static func isHeld(_ path: String) -> Bool {
    let nodes = (try? NamedDevices.all()) ?? []
    return nodes.first { $0.path == path }?.clone(among: nodes) != nil
  }

  /// Reports on standard error that the daemon shows the device, or which program may have grabbed it, and what to do then.
  func reportState() {
    if isStream {
      report("the daemon holds the device, and debounces it meanwhile")
    } else if state == .busy {
      report("another program has grabbed \(path): what is typed there does not come here")
      let daemon = try? Self.daemon()
      guard let held = HeldDevice.all(of: [path], daemon: daemon)[path] else { return }
      report(held.holders)
      for line in held.advice { report(line) }
    }
  }

  /// The daemon's process. The daemon tells it to root alone.
  private static func daemon() throws(ControlError) -> pid_t {
    var client = try DaemonClient(toCall: .status)
    return try client.status().pid
  }
}

extension HeldDevice {
  /// Finds out who has devices open, and how other programs can tell them from their clones. The type itself is in `Reports`,
  /// which opens no device.
  ///
  /// - Parameter daemon: The daemon's process, which has them open, too.
  /// - Returns: By node, without devices that are gone or may not be opened, or are not those that udev knows.
  static func all(of busy: [String], daemon: pid_t?) -> [String: HeldDevice] {
    guard !busy.isEmpty else { return [:] }
    let nodes = (try? NamedDevices.all()) ?? []
    let holders = DeviceHolder.all(of: Set(busy))
    return busy.reduce(into: [:]) { held, node in
      let described = nodes.first { $0.path == node }
      guard
        let source = try? described.map({ try Source(path: node, of: $0) }) ?? Source(path: node)
      else { return }
      held[node] = HeldDevice(
        name: source.identity.name, cloneName: described?.clone(among: nodes)?.name,
        keydID: KeydID(source.identity, source.capabilities),
        programs: (holders[node] ?? []).filter { $0.process != daemon })
    }
  }
}

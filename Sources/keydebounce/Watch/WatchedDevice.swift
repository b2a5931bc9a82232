import Control
import Debounce
import EventDevices
import Glibc
import Recording
import Reports
import Status
import SystemPackage

/// A device that is watched: in the command, an ``OpenDevice``, or a ``DaemonStream``.
protocol WatchedDevice: AnyObject {
  /// Becomes readable when there are events.
  var descriptor: CInt { get }
  /// Why nothing more comes, once `.closed` was read.
  var endInWords: String { get }

  /// What comes next: `.closed` when there will be nothing more; `nil` if there is nothing for now.
  func read() -> RecordingParser.Entry?
  /// Begins anew, without what has been sent meanwhile.
  func reopen() throws(DeviceError)
}

/// A device that this process has opened. Its descriptor is closed with the object.
final class OpenDevice: WatchedDevice {
  private var source: Source
  /// The keys that are down according to what was read.
  private var held = KeySet()

  let endInWords = "the device was unplugged"

  init(_ source: consuming Source) {
    self.source = source
    held = keysDown
  }

  private var keysDown: KeySet { (try? source.keysDown()) ?? KeySet() }

  var device: RecordedDevice { RecordedDevice(source.identity, source.capabilities) }
  var descriptor: CInt { source.descriptor }

  func read() -> RecordingParser.Entry? {
    let frame: Frame
    switch source.read() {
    case .frame: frame = source.frame
    case .resynchronised(let keys):
      frame = Frame(resynchronisedTo: keys, before: held, others: source.frame)
    case .nothing: return nil
    case .gone: return .closed(at: monotonicNow())
    }
    held = frame.keysHeld(before: held)
    return .raw(frame)
  }

  func reopen() throws(DeviceError) {
    source = try Source(path: source.path)
    held = keysDown
  }
}

/// A device that the daemon holds, as the daemon shows it. The daemon goes on debouncing it.
final class DaemonStream: WatchedDevice {
  /// How many bytes are read at most until there is nothing for now: a daemon that writes without end must not keep the
  /// command from hearing a signal.
  private static let portion = 1 << 16
  /// How long the daemon may take to say which device it is, in microseconds.
  private static let patience: Microseconds = 10_000_000

  private enum End {
    /// The daemon no longer has the device.
    case deviceGone
    case daemonGone
    case unreadable
  }

  /// The device's node.
  let path: String
  private let socket: FileDescriptor
  private var recording: RecordingReader
  /// The first entry, which was read with the head.
  private var first: RecordingParser.Entry?
  private var end: End?

  /// Reads which device it is, and waits for that.
  ///
  /// - Parameter socket: What the daemon writes into. Closed with the object.
  init(_ path: String, _ socket: FileDescriptor) throws(ControlError) {
    (self.path, self.socket) = (path, socket)
    _ = fcntl(socket.rawValue, F_SETFL, O_NONBLOCK)
    var room = Self.portion
    recording = RecordingReader(file: path) { buffer in
      do {
        guard room > 0 else { throw Errno.resourceTemporarilyUnavailable }
        let count = try socket.read(into: .init(rebasing: buffer.prefix(room)))
        room -= count
        return count
      } catch {
        room = Self.portion
        throw error
      }
    }
    let limit = monotonicNow() + Self.patience
    repeat {
      var waiting = [pollfd(reading: socket.rawValue)]
      poll(&waiting, until: limit)
      first = read()
    } while first == nil && monotonicNow() < limit
    switch (first, end) {
    case (nil, _): throw .unreachable(.timedOut)
    case (_, .unreadable): throw isAtEnd ? .ended : .unexpected(.watch)
    case (_, .daemonGone): throw .ended
    case (_, .deviceGone), (_, nil): break
    }
  }

  deinit {
    try? socket.close()
  }

  /// Whether the daemon has closed its end, and all was read.
  private var isAtEnd: Bool {
    var byte: UInt8 = 0
    return recv(socket.rawValue, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)) == 0
  }

  /// The device, as the daemon describes it.
  var device: RecordedDevice { recording.device }
  /// What the daemon had learned of the device before.
  var habits: LearnedHabits { recording.habits }

  var descriptor: CInt { socket.rawValue }

  var endInWords: String {
    switch end {
    case .deviceGone, nil: "the device was unplugged, or the daemon has given it back"
    case .daemonGone: "the daemon has ended, and shows no more of the device"
    case .unreadable: "the daemon shows the device in a form that this version does not know"
    }
  }

  func read() -> RecordingParser.Entry? {
    if let entry = first {
      first = nil
      return entry
    }
    guard end == nil else { return .closed(at: monotonicNow()) }
    do {
      let entry = try recording.next()
      // A daemon that goes on says “closed” before it ends a stream.
      if entry == nil { end = .daemonGone }
      if case .closed = entry { end = .deviceGone }
      if let entry { return entry }
    } catch Errno.resourceTemporarilyUnavailable {
      return nil
    } catch {
      end = error is Errno ? .daemonGone : .unreadable
    }
    return .closed(at: monotonicNow())
  }

  func reopen() {
    while let entry = read() {
      if case .closed = entry { return }
    }
  }
}

/// A device that a command is to watch: as the daemon shows it, if the daemon holds it, or else opened by this process.
struct DeviceView {
  /// The device's node.
  let path: String
  let device: any WatchedDevice
  /// The head of a recording of it.
  let head: RecordedDevice
  /// What the daemon had learned of it before; nothing where the daemon does not hold it.
  let habits: LearnedHabits
  /// Whether the daemon shows it.
  let isStream: Bool

  /// What the daemon does with the device; `nil` if the daemon has not taken it, or cannot be asked.
  private let state: ControlledDevice.State?
  /// Why the daemon cannot be asked.
  private let failure: ControlError?

  /// - Parameter path: The device's node, such as `/dev/input/event3`.
  /// - Throws: `DeviceError`, or ``ControlError`` if the daemon holds the device and does not show it to this user.
  init(_ path: String) throws {
    self.path = path
    var (state, failure): (ControlledDevice.State?, ControlError?)
    var stream: DaemonStream?
    do {
      (state, stream) = try Self.asked(path)
    } catch {
      switch error {
      case .notRunning, .unreachable, .ended: failure = error
      case .noPermission, .refused:
        guard !Self.isHeld(path) else { throw ControlError.refused(.watch) }
      default: throw error
      }
    }
    (self.state, self.failure, isStream) = (state, failure, stream != nil)
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
      let daemon = (try? Self.daemon()) ?? nil
      for line in HeldDevice(node: path, daemon: daemon)?.lines ?? [] { report(line) }
    } else if let failure, Self.isHeld(path) {
      let holder = DeviceHolder.all(of: path).first { $0.program == "keydebounce" }
      report("\(failure)")
      report(
        "\(holder.map { "\($0)" } ?? "a daemon that cannot be asked") has made a clone of \(path). While it has grabbed the"
          + " device, nothing comes here: stop it first")
    }
  }

  /// The daemon's process, which root may know.
  private static func daemon() throws(ControlError) -> pid_t {
    var client = try DaemonClient(toCall: .status)
    return try client.status().pid
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

  /// The lines that are reported on standard error.
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

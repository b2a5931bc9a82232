import Debounce
import EventDevices
import Files
import Glibc
import Recording
import SystemPackage

/// The recording of one device as it is made: its file, and which keys are down.
struct DeviceRecording: ~Copyable {
  /// Why a recording has ended.
  enum End: CustomStringConvertible {
    case stopped
    case gone

    var description: String {
      switch self {
      case .stopped: "stopped"
      case .gone: "the device was unplugged"
      }
    }
  }

  /// How many presses have been recorded.
  private(set) var presses = 0

  private let path: String
  private let file: FileDescriptor
  private let signals: StopSignals
  private var text: RecordingText
  private var held = KeySet()

  /// Creates the file. One that exists already is left alone.
  ///
  /// From here on, signals to stop no longer end the process: what has been recorded is to be whole.
  init(of source: borrowing Source, to path: String) throws {
    // Before anything that a signal to stop could leave half done.
    signals = StopSignals()
    file = try Self.create(path)
    self.path = path
    text = RecordingText(of: RecordedDevice(source.identity, source.capabilities))
  }

  private static func create(_ path: String) throws -> FileDescriptor {
    do {
      return try FileDescriptor.open(
        FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
        permissions: .ownerReadWrite)
    } catch let reason as Errno {
      throw FileError(operation: "record to", path: path, reason: reason)
    }
  }

  deinit {
    try? file.close()
  }

  /// Records until a signal says to stop or the device is gone.
  ///
  /// - Parameter loan: What the daemon may have lent. It is given back before the function returns.
  mutating func record(
    _ source: consuming Source, _ loan: consuming BorrowedDevice
  ) throws -> End {
    while true {
      guard try drain(&source) else { return .gone }
      try loan.renew(now: monotonicNow())
      var descriptors = [
        pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let pause = loan.pause
      guard poll(&descriptors, nfds_t(descriptors.count), pause) >= 0 || errno == EINTR else {
        throw FileError(operation: "wait for", path: source.path, reason: Errno(rawValue: errno))
      }
      guard descriptors[1].revents == 0 else {
        // What came before the signal belongs to the recording.
        _ = try drain(&source)
        return .stopped
      }
    }
  }

  /// Records what the source has sent.
  ///
  /// - Returns: Whether the device is still there.
  private mutating func drain(_ source: inout Source) throws -> Bool {
    while true {
      switch source.read() {
      case .frame:
        append(source.frame)
      case .resynchronised(let held):
        text.append(resynchronisedTo: held, before: self.held, others: source.frame)
        self.held = held
      case .nothing:
        try flush()
        return true
      case .gone:
        try flush()
        return false
      }
      if text.bytes.count > 1 << 16 { try flush() }
    }
  }

  private mutating func append(_ frame: borrowing Frame) {
    text.append(raw: frame.events, at: frame.time)
    for event in frame.events where event.type == EventType.key && event.value != 2 {
      if event.value == 1 { presses += 1 }
    }
    held = frame.keysHeld(before: held)
  }

  private mutating func flush() throws {
    guard !text.bytes.isEmpty else { return }
    do {
      try file.writeAll(text.bytes)
    } catch let reason as Errno {
      throw FileError(operation: "write to", path: path, reason: reason)
    }
    text.removeBytes()
  }
}

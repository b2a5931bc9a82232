import Bus
import Debounce
import EventDevices
import Glibc
import Recording
import Status
import SystemPackage

/// A device that the daemon holds, as the daemon shows it: debouncing goes on, and nothing is borrowed.
final class DaemonStream: WatchedDevice {
  let path: String
  private let pipe: FileDescriptor
  private var recording: RecordingReader
  /// The keys that are down.
  private var held = KeySet()
  private(set) var frame = Frame()

  /// Has the daemon show a device, if it holds it and this user may see that.
  ///
  /// - Returns: `nil` if it does not hold the device, or lets another user only borrow it.
  /// - Throws: ``ControlError/lent(_:)``, or another if it cannot be watched now.
  static func open(_ node: String) throws(ControlError) -> DaemonStream? {
    let pipe: FileDescriptor?
    do {
      let client = try DaemonClient()
      // What another program has grabbed, the daemon does not see either.
      let state = try client.status().devices.first { $0.node == node }?.state
      guard let state, state != .busy else { return nil }
      pipe = try client.watch(node)
    } catch .noBus, .noLibrary, .notRunning, .refused {
      return nil
    }
    return pipe.map { DaemonStream(node, $0) }
  }

  private init(_ path: String, _ pipe: FileDescriptor) {
    (self.path, self.pipe) = (path, pipe)
    _ = fcntl(pipe.rawValue, F_SETFL, O_RDONLY | O_NONBLOCK)
    recording = RecordingReader(file: path) { try pipe.read(into: $0) }
  }

  deinit {
    try? pipe.close()
  }

  var descriptor: CInt { pipe.rawValue }

  /// The daemon has the device: nobody else can grab it.
  var keysDiffer: Bool { false }

  func read() -> DeviceWatch.Reading {
    while true {
      do {
        guard let entry = try recording.next() else { return .gone }
        switch entry {
        case .raw(let frame):
          held = frame.keysHeld(before: held)
          self.frame = frame.saysEventsWereLost ? frame.withoutKeys : frame
          return frame.saysEventsWereLost ? .resynchronised(held) : .frame
        case .outcome(let outcome): return .decided(outcome)
        case .lost(let lines, let held, let time):
          self.held = held
          guard lines > 0 else { continue }
          frame = Frame(time: time)
          return .resynchronised(held)
        case .clean, .reset, .paused: continue
        case .closed: return .gone
        }
      } catch Errno.resourceTemporarilyUnavailable {
        return .nothing
      } catch {
        return .gone
      }
    }
  }

  /// Drops what has come meanwhile.
  func reopen() {
    while true {
      switch read() {
      case .nothing, .gone: return
      case .frame, .resynchronised, .decided: continue
      }
    }
  }
}

extension Frame {
  /// The same without the keys, which are known apart.
  fileprivate var withoutKeys: Frame {
    Frame(time: time, events.filter { $0.type != EventType.key && $0.type != 0 })
  }
}

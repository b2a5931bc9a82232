import Configuration
import Debounce
import DeviceSelection
import Devices
import EventDevices
import Files
import Glibc
import SystemPackage

/// The device on which a key is pressed, of all that keydebounce would take.
///
/// A device that the service holds sends nothing to others; its clone does, and tells whose it is.
struct PressedDevice {
  private let settings: Settings

  init(_ settings: Settings) {
    self.settings = settings
  }

  /// Waits for a press.
  ///
  /// - Returns: `nil` if the person does not want to go on.
  /// - Throws: ``NamedDeviceError`` if there is no device to choose.
  func node() throws -> DeviceNode? {
    let all = try NamedDevices.all()
    let candidates = all.filter { isTaken($0) }
    guard candidates.count > 1 else {
      guard let only = candidates.first else { throw NamedDeviceError.nothingToTake }
      return only
    }
    let clones = all.filter(\.isClone)
    var watched: [Watched] = []
    var refusal: (any Error)?
    for node in candidates {
      // The clone differs from its source in nothing but its `phys`.
      let clone = clones.first {
        $0.name == node.name && $0.phys == Clone.physPrefix + node.phys
          && $0.identity.vendor == node.identity.vendor
          && $0.identity.product == node.identity.product
      }
      for path in [node.path, clone?.path].compactMap(\.self) {
        do {
          watched.append(Watched(node: node, source: try Source(path: path)))
        } catch {
          refusal = error
        }
      }
    }
    if watched.isEmpty, let refusal { throw refusal }
    report("press a key on the keyboard you mean; Ctrl-C ends it")
    return try Self.wait(for: watched)
  }

  private func isTaken(_ node: DeviceNode) -> Bool {
    Selection.automatic.takes(node, by: settings)
  }

  private static func wait(for watched: [Watched]) throws -> DeviceNode? {
    let signals = StopSignals()
    defer { signals.unblock() }
    let keyboard = SilentTerminal()
    while true {
      for device in watched where device.wasPressed() { return device.node }
      var descriptors = watched.map {
        pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
      }
      descriptors.append(pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0))
      descriptors.append(
        pollfd(fd: keyboard.isSilent ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0))
      guard poll(&descriptors, nfds_t(descriptors.count), -1) >= 0 || errno == EINTR else {
        throw FileError(operation: "wait for", path: "a key", reason: Errno(rawValue: errno))
      }
      if descriptors[descriptors.count - 1].revents != 0 { keyboard.discardInput() }
      if signals.next() != nil { return nil }
    }
  }
}

/// A device that is listened to.
private final class Watched {
  let node: DeviceNode
  let descriptor: CInt
  private var source: Source
  private var isGone = false

  init(node: DeviceNode, source: consuming Source) {
    self.node = node
    descriptor = source.descriptor
    self.source = source
  }

  /// Whether a key has gone down since the last call.
  func wasPressed() -> Bool {
    guard !isGone else { return false }
    while true {
      switch source.read() {
      case .frame:
        if source.frame.events.contains(where: { $0.type == EventType.key && $0.value == 1 }) {
          return true
        }
      case .resynchronised: continue
      case .nothing: return false
      case .gone:
        isGone = true
        return false
      }
    }
  }
}

extension StopSignals {
  /// Lets the signals end the process again, as they do elsewhere.
  func unblock(_ others: [CInt] = []) {
    while next() != nil {}
    var set = sigset_t()
    sigemptyset(&set)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] + others { sigaddset(&set, signal) }
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }
}

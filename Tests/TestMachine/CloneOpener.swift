import EventDevices
import Glibc

/// Opens each clone that udev announces, as a desktop does. Where nobody opens a clone, the daemon waits a second for somebody
/// before it debounces the device.
final class CloneOpener {
  private let monitor: Monitor
  private var descriptors: [CInt] = []

  init() throws {
    monitor = try Monitor()
    for node in try monitor.nodes() { open(node) }
  }

  deinit {
    for descriptor in descriptors { close(descriptor) }
  }

  private func open(_ node: DeviceNode) {
    guard node.isClone else { return }
    let descriptor = Glibc.open(node.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    if descriptor >= 0 { descriptors.append(descriptor) }
  }

  /// Waits until a pipe can be read, and opens the clones that are announced meanwhile.
  ///
  /// - Returns: Whether it can: not after this many microseconds, nor at its end.
  func waitUntilReadable(_ pipe: CInt, limit: Int64) -> Bool {
    let end = monotonicNow() + limit
    while true {
      while let change = monitor.next() {
        if case .present(let node, _) = change { open(node) }
      }
      var polls = [pipe, monitor.descriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      let rest = CInt(max(end - monotonicNow(), 0) / 1000)
      guard poll(&polls, 2, rest) >= 0 || errno == EINTR, rest > 0 else { return false }
      if polls[0].revents != 0 { return CInt(polls[0].revents) & POLLIN != 0 }
    }
  }
}

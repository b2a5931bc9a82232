import CEvdev
import Debounce
import Files
import Glibc
import SystemPackage

/// An event node that is open for reading and writing, with all requests to the kernel except reading events.
///
/// A node that never grabs the device receives what other programs do, and nothing while the device is grabbed. So it shows what
/// others have seen just before a grab. The times of events do not show that, because the kernel stamps some with the time of
/// an earlier one.
final class OpenNode {
  let path: String
  let descriptor: CInt
  /// The result of ``learn(asking:)``.
  private var device: OpaquePointer?
  private var isOpen = true

  init(_ path: String) throws(DeviceError) {
    self.path = path
    do {
      descriptor = try openDevice(path)
    } catch  where error.meansRefused {
      throw .permission(path: path, advice: Access.adviceForSource(path))
    } catch {
      throw DeviceError("open", path, error)
    }
  }

  deinit { close() }

  /// Closes the node before the object goes. The node must not be used afterwards.
  func close() {
    guard isOpen else { return }
    isOpen = false
    libevdev_free(device)
    Glibc.close(descriptor)
  }

  /// Whether this is the node that udev has described. Its path may have become another device's since.
  func isNode(_ node: DeviceNode) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_rdev == node.id.number else { return false }
    // The number may have become another device's, too. sysfs lists whose it is now.
    let (major, minor) = (gnu_dev_major(status.st_rdev), gnu_dev_minor(status.st_rdev))
    return resolvedPath("/sys/dev/char/\(major):\(minor)") == node.id.syspath
  }

  /// Has the kernel stamp events by the monotonic clock. The kernel drops those that were sent before.
  func setClock() throws(DeviceError) {
    try check(cevdev_set_clock(descriptor, CLOCK_MONOTONIC), "set the clock of")
  }

  /// Asks the kernel for all that the device can do, and for its state.
  ///
  /// - Parameter other: A node of the same device that asks in place of this one. The kernel drops unread events of the node
  ///   that asks.
  /// - Returns: A `struct libevdev`, which lives until the node is closed.
  func learn(asking other: OpenNode?) throws(DeviceError) -> OpaquePointer {
    var result = libevdev_new_from_fd(other?.descriptor ?? descriptor, &device)
    if result == 0, other != nil { result = libevdev_change_fd(device, descriptor) }
    guard result == 0, let device else {
      // The kernel answers ENOENT for the name of a device that has none. Only ENODEV means that the device is gone.
      throw result == -ENODEV
        ? .gone(path: path) : .system(operation: "query", path: path, Errno(rawValue: -result))
    }
    return device
  }

  /// The keys that are down now. The kernel drops the unread key events of this node.
  func keysDown() throws(DeviceError) -> KeySet {
    var bits = [UInt8](repeating: 0, count: EventType.keyCount / 8)
    try check(cevdev_get_key_state(descriptor, &bits, bits.count), "query the keys of")
    return KeySet(
      (0..<KeyCode(EventType.keyCount)).lazy.filter { bits[Int($0) / 8] & 1 << ($0 % 8) != 0 })
  }

  /// Writes frames with one call, and leaves out those that are empty.
  func write(_ frames: [[Event]]) throws(DeviceError) {
    var writer = FrameWriter()
    for events in frames where !events.isEmpty { writer.add(events, at: monotonicNow()) }
    guard writer.count > 0 else { return }
    do {
      try writer.flush(to: descriptor)
    } catch {
      throw DeviceError("write to", path, error)
    }
  }

  /// Takes all unread events, and calls `body` with each.
  func takeUnread(_ body: (input_event) -> Void = { _ in }) {
    var unread = EventBuffer(capacity: 64)
    unread.takeAll(from: descriptor, body)
  }

  private func check(_ result: CInt, _ operation: String) throws(DeviceError) {
    if result < 0 { throw DeviceError(operation, path, .last) }
  }
}

// MARK: - The grab

extension OpenNode {
  func grab() throws(DeviceError) {
    guard cevdev_grab(descriptor, 1) < 0 else { return }
    let reason = Errno.last
    throw reason == .resourceBusy
      ? .busy(path: path, holders: []) : DeviceError("grab", path, reason)
  }

  func ungrab() { _ = cevdev_grab(descriptor, 0) }

  /// Releases the keys that are down towards the kernel. The kernel then takes no notice of their real releases.
  func releaseKeysDown() {
    let down = (try? keysDown()) ?? KeySet()
    try? write([down.map { .key($0, down: false) }])
  }

  /// Grabs the device. Gives it back at once if other programs have seen a key move since no key was known to be down: they must
  /// see the release of a key that went down, and a key that came up again may be bouncing.
  ///
  /// - Parameter others: A second node of the device, which is never grabbed. The caller has read all of its events, and has then
  ///   seen that no key was down.
  /// - Returns: Whether the device is grabbed. If not, other programs take those keys to be down that are down now.
  func grab(beside others: OpenNode) throws(DeviceError) -> Bool {
    try grab()
    guard let seen = others.keysSeenDown() else { return true }
    let down = (try? keysDown()) ?? seen
    // The kernel passes on only changes. A key whose release others have not seen is pressed once more while they cannot see
    // it, and released when they can. A key whose press they have not seen is released, which they ignore, and pressed.
    let unseenReleases = seen.filter { !down.contains($0) }
    try? write([unseenReleases.map { .key($0, down: true) }])
    ungrab()
    try? write([unseenReleases.map { .key($0, down: false) }])
    let unseenPresses = ((try? keysDown()) ?? KeySet()).filter {
      down.contains($0) && !seen.contains($0)
    }
    try? write([false, true].map { isDown in unseenPresses.map { .key($0, down: isDown) } })
    return false
  }

  /// The keys that are down for other programs by the events that this node has not read yet, before which no key was down.
  /// Call it when another node has grabbed the device.
  ///
  /// - Returns: `nil` if no key has moved.
  private func keysSeenDown() -> KeySet? {
    // A frame that was on its way when the grab was taken has arrived when this returns.
    _ = cevdev_await_delivery(descriptor)
    var (down, hasMoved, hasLost) = (KeySet(), false, false)
    takeUnread { event in
      switch (CInt(event.type), CInt(event.code)) {
      case (EV_SYN, SYN_DROPPED): hasLost = true
      case (EV_KEY, _):
        hasMoved = true
        if event.value == 0 { down.remove(event.code) } else { down.insert(event.code) }
      default: break
      }
    }
    // The kernel has dropped events, because the node had no room for more.
    if hasLost { return (try? keysDown()) ?? KeySet() }
    return hasMoved ? down : nil
  }
}

/// Opens a device file for reading and writing, without waiting and closed on exec.
func openDevice(_ path: String) throws(Errno) -> CInt {
  try Errno.typed {
    try FileDescriptor.open(path, .readWrite, options: [.nonBlocking, .closeOnExec]).rawValue
  }
}

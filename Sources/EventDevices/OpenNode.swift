import CEvdev
import Debounce
import Glibc
import SystemPackage

/// An event node that is open for reading and writing: all that the kernel is asked to do with it, except to hand out events.
///
/// One that never grabs the device receives what every other reader does: nothing while the device is grabbed. So it is
/// known what others have seen just before a grab. The times of events do not tell: the kernel stamps some with the time of
/// something that came before.
final class OpenNode {
  let path: String
  let descriptor: CInt
  /// What ``learn(asking:)`` returns.
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

  /// Closes the node before the object goes; nothing else may be done with it afterwards.
  func close() {
    guard isOpen else { return }
    isOpen = false
    libevdev_free(device)
    Glibc.close(descriptor)
  }

  /// Whether it is the node that udev has described: its path may have become another device's since.
  func isNode(_ node: DeviceNode) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_rdev == node.id.number else { return false }
    // The number may be another's, too: sysfs lists whose it is now.
    let (major, minor) = (gnu_dev_major(status.st_rdev), gnu_dev_minor(status.st_rdev))
    return resolvedPath("/sys/dev/char/\(major):\(minor)") == node.id.syspath
  }

  /// Has events stamped by the monotonic clock. What was sent before is thrown away.
  func setClock() throws(DeviceError) {
    try check(cevdev_set_clock(descriptor, CLOCK_MONOTONIC), "set the clock of")
  }

  /// Asks the device for all that it has, and for its state.
  ///
  /// - Parameter other: Asks instead, if what this node was sent must stay there to be read: the kernel takes what is asked for
  ///   out of the queue of the descriptor that asks.
  /// - Returns: A `struct libevdev`, which lives until the node is closed.
  func learn(asking other: OpenNode?) throws(DeviceError) -> OpaquePointer {
    var result = libevdev_new_from_fd(other?.descriptor ?? descriptor, &device)
    if result == 0, other != nil { result = libevdev_change_fd(device, descriptor) }
    guard result == 0, let device else {
      // Of a device without a name, the kernel says that there is no such thing.
      throw result == -ENODEV
        ? .gone(path: path) : .system(operation: "query", path: path, Errno(rawValue: -result))
    }
    return device
  }

  /// The keys that are down now. Those that were sent and not read are no longer there to be read.
  func keysDown() throws(DeviceError) -> KeySet {
    var bits = [UInt8](repeating: 0, count: EventType.keyCount / 8)
    try check(cevdev_get_key_state(descriptor, &bits, bits.count), "query the keys of")
    return KeySet(
      (0..<KeyCode(EventType.keyCount)).lazy.filter { bits[Int($0) / 8] & 1 << ($0 % 8) != 0 })
  }

  /// Writes frames, those that are not empty, in one go.
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

  /// Takes what was sent and not read, and calls `body` with each event.
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

  /// Releases the keys that are down, as far as the kernel knows. Their real releases then go unnoticed.
  func releaseKeysDown() {
    let down = (try? keysDown()) ?? KeySet()
    try? write([down.map { .key($0, down: false) }])
  }

  /// Grabs the device, and gives it back at once if others have seen a key move since it was known that none is down: one that
  /// went down must come up for them, and one that came up again may be bouncing.
  ///
  /// - Parameter others: Has seen what they have, and had read all of it before no key was down.
  /// - Returns: Whether it is grabbed. If not, others have seen of each key that is down now that it is, and no other.
  func grab(beside others: OpenNode) throws(DeviceError) -> Bool {
    try grab()
    guard let seen = others.keysSeenDown() else { return true }
    let down = (try? keysDown()) ?? seen
    // The kernel passes on only what changes. What others have not seen come up goes down once more, before they can see
    // that; what they have not seen go down comes up for a moment, and they take no notice.
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

  /// The keys that are down for whoever has read what this node has not read yet, before which none was; `nil` if no key has
  /// moved in it. To be called when another node has grabbed the device.
  private func keysSeenDown() -> KeySet? {
    // A frame that was on its way when the grab was taken has arrived after this.
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
    // More was sent than the kernel keeps for a reader.
    if hasLost { return (try? keysDown()) ?? KeySet() }
    return hasMoved ? down : nil
  }
}

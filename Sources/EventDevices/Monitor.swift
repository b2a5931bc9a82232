import CEvdev
import Files
import SystemPackage

/// The event nodes that there are, and those that come and go, according to udev.
///
/// It listens to udev's own messages, which come when permissions and properties are final. It listens before it looks around,
/// so that no device can slip in between.
public struct Monitor: ~Copyable {
  public enum Change: Equatable, Sendable {
    /// A node is there, and udev has processed it. The same node may be reported twice.
    ///
    /// If it was plugged in just now, `pluggedInAgo` is how many microseconds ago udev applied its rules to it; otherwise `nil`.
    case present(DeviceNode, pluggedInAgo: Int64? = nil)
    /// A node is gone, perhaps one that was never reported as present.
    case removed(DeviceNode.ID)
    /// The kernel had no room for all changes. List the nodes again with ``Monitor/nodes()``.
    case overrun
  }

  private let udev: OpaquePointer
  private let monitor: OpaquePointer

  public init() throws(DeviceError) {
    guard let udev = udev_new() else { throw Self.failure("reach", .last) }
    let monitor = udev_monitor_new_from_netlink(udev, "udev")
    guard let monitor,
      udev_monitor_filter_add_match_subsystem_devtype(monitor, "input", nil) >= 0,
      udev_monitor_enable_receiving(monitor) >= 0
    else {
      let error = Self.failure("listen to", .last)
      udev_monitor_unref(monitor)
      udev_unref(udev)
      throw error
    }
    self.udev = udev
    self.monitor = monitor
    // 64 devices at once must fit. Without the privilege for so large a buffer, they lead to an overrun.
    udev_monitor_set_receive_buffer_size(monitor, 4 << 20)
  }

  deinit {
    udev_monitor_unref(monitor)
    udev_unref(udev)
  }

  private static func failure(_ operation: String, _ reason: Errno) -> DeviceError {
    .system(operation: operation, path: "udev", reason)
  }

  /// Becomes readable when something has changed. The monitor closes it.
  public var descriptor: CInt { udev_monitor_get_fd(monitor) }

  /// Whether udev has devices in its queue that it has not processed; `false` where there is no udev.
  public var udevIsBusy: Bool {
    guard let queue = udev_queue_new(udev) else { return false }
    defer { udev_queue_unref(queue) }
    return udev_queue_get_queue_is_empty(queue) == 0
  }

  /// All event nodes that are there and that udev has processed.
  public func nodes() throws(DeviceError) -> [DeviceNode] {
    let operation = "look for devices with"
    guard let enumerate = udev_enumerate_new(udev) else { throw Self.failure(operation, .last) }
    defer { udev_enumerate_unref(enumerate) }
    for result in [
      udev_enumerate_add_match_subsystem(enumerate, "input"),
      udev_enumerate_add_match_sysname(enumerate, "event*"),
      udev_enumerate_scan_devices(enumerate),
    ] where result < 0 {
      throw Self.failure(operation, Errno(rawValue: -result))
    }

    return udevList(udev_enumerate_get_list_entry(enumerate)).compactMap { entry in
      guard let device = udev_device_new_from_syspath(udev, udev_list_entry_get_name(entry)) else {
        return nil
      }
      defer { udev_device_unref(device) }
      return DeviceNode(udevDevice: device)
    }
  }

  /// The next change; `nil` when there is none now.
  public func next() -> Change? {
    while true {
      guard let device = udev_monitor_receive_device(monitor) else {
        return Errno.last == .noBufferSpace ? .overrun : nil
      }
      defer { udev_device_unref(device) }
      guard String(text: udev_device_get_sysname(device)).hasPrefix("event") else { continue }
      let action = String(text: udev_device_get_action(device))
      if action == "remove" {
        if let id = DeviceNode.ID(udevDevice: device) { return .removed(id) }
      } else if let node = DeviceNode(udevDevice: device) {
        let ago = action == "add" ? node.timeSinceRules(at: monotonicNow()) : nil
        return .present(node, pluggedInAgo: ago)
      }
    }
  }
}

/// The entries of a list of libudev's that begins with this one.
func udevList(_ first: OpaquePointer?) -> some Sequence<OpaquePointer> {
  sequence(state: first) { entry in
    defer { entry = udev_list_entry_get_next(entry) }
    return entry
  }
}

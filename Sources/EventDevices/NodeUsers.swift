import Glibc

/// Reports which event nodes programs open and close: a clone that gets a reader, or a device whose grab may have ended.
public final class NodeUsers {
  /// An action of a program on a node.
  public enum Change: Sendable { case opened, closed }

  /// Where the nodes are.
  private let folder: String

  /// Becomes readable when a node has been opened or closed.
  public let descriptor: CInt
  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 4096, alignment: MemoryLayout<inotify_event>.alignment)

  // IN_EXCL_UNLINK: a program that still has the node of a device that is gone must not count as a user of the next node of
  // that name.
  private static let events =
    UInt32(IN_OPEN | IN_CLOSE_WRITE | IN_CLOSE_NOWRITE) | UInt32(IN_EXCL_UNLINK)

  /// The paths that are watched, by their watches: nodes one by one, and the folder.
  private var paths: [CInt: String] = [:]

  /// Makes an object that watches nothing yet; `nil` if the kernel has no room for it.
  ///
  /// - Parameter folder: Where the nodes are. Tests have their own.
  public init?(in folder: String = "/dev/input") {
    self.folder = folder
    descriptor = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
    if descriptor < 0 { return nil }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    buffer.deallocate()
  }

  /// Begins or ends to watch all nodes, even those that are still to come.
  ///
  /// Watch all nodes only while that is needed. Meanwhile each read and write of any node by any program takes the kernel
  /// longer, by about a tenth of what an event costs.
  public func watchAll(_ isWanted: Bool) {
    watch(isWanted ? [folder] : [], insteadOf: paths.filter { $0.value == folder })
  }

  /// Watches these nodes one by one, and no others. That costs the users of other nodes nothing.
  public func watch(_ wanted: Set<String>) {
    watch(wanted, insteadOf: paths.filter { $0.value != folder })
  }

  private func watch(_ wanted: Set<String>, insteadOf watched: [CInt: String]) {
    for (watch, path) in watched where !wanted.contains(path) {
      inotify_rm_watch(descriptor, watch)
      paths[watch] = nil
    }
    for path in wanted.subtracting(watched.values) {
      let watch = inotify_add_watch(descriptor, path, Self.events)
      if watch >= 0 { paths[watch] = path }
    }
  }

  /// Calls `body` with the path of each node that has been opened or closed since the last call.
  ///
  /// The kernel drops what it has no room for, and merges equal events in a row into one.
  public func read(_ body: (String, Change) -> Void) {
    let size = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    guard size > 0 else { return }
    var rest = UnsafeRawBufferPointer(rebasing: buffer[..<size])
    let header = MemoryLayout<inotify_event>.size
    while rest.count >= header {
      let event = rest.loadUnaligned(as: inotify_event.self)
      let name = rest.dropFirst(header).prefix(Int(event.len)).prefix { $0 != 0 }
      if event.mask & UInt32(IN_IGNORED) != 0 {
        // The node is gone, or is no longer watched; or the folder is. The kernel removes the folder with its last node, and
        // makes another for the next.
        paths[event.wd] = nil
      } else if let path = name.isEmpty ? paths[event.wd] : node(named: name), path != folder {
        body(path, event.mask & UInt32(IN_OPEN) != 0 ? .opened : .closed)
      }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(header + Int(event.len)))
    }
  }

  /// The path of the node with this name in the folder; `nil` if no event node has such a name.
  private func node(named name: Slice<UnsafeRawBufferPointer>) -> String? {
    guard name.starts(with: "event".utf8) else { return nil }
    return "\(folder)/\(String(decoding: name, as: UTF8.self))"
  }
}

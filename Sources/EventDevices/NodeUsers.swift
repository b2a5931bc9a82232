import Glibc

/// Reports which event nodes programs open and close: a clone that somebody reads from now on, a device that another
/// program had grabbed, perhaps.
public final class NodeUsers {
  /// What a program has done with a node.
  public enum Change: Sendable { case opened, closed }

  /// Where the nodes are.
  private static let folder = "/dev/input"

  /// Becomes readable when a node has been opened or closed.
  public let descriptor: CInt
  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 4096, alignment: MemoryLayout<inotify_event>.alignment)

  /// Begins to watch; `nil` if the kernel has no room for it or the folder may not be read.
  public init?() {
    descriptor = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
    // Whoever still has the node of a device that is gone would be taken for a user of the next one of that name.
    let events =
      UInt32(IN_OPEN | IN_CLOSE_WRITE | IN_CLOSE_NOWRITE) | UInt32(IN_EXCL_UNLINK)
    guard descriptor >= 0, inotify_add_watch(descriptor, Self.folder, events) >= 0 else {
      return nil
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    buffer.deallocate()
  }

  /// Calls `body` with the path of each node that has been opened or closed since the last call.
  ///
  /// What the kernel had no room for is not reported, and what happened several times in a row is reported once.
  public func read(_ body: (String, Change) -> Void) {
    let size = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    guard size > 0 else { return }
    var rest = UnsafeRawBufferPointer(rebasing: buffer[..<size])
    let header = MemoryLayout<inotify_event>.size
    while rest.count >= header {
      let event = rest.loadUnaligned(as: inotify_event.self)
      let name = rest.dropFirst(header).prefix(Int(event.len)).prefix { $0 != 0 }
      if name.starts(with: "event".utf8) {
        body(
          "\(Self.folder)/\(String(decoding: name, as: UTF8.self))",
          event.mask & UInt32(IN_OPEN) != 0 ? .opened : .closed)
      }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(header + Int(event.len)))
    }
  }
}

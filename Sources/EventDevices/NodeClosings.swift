import Glibc

/// Reports which event nodes programs close: perhaps the one that had grabbed a device.
public final class NodeClosings {
  /// Where the nodes are.
  private static let folder = "/dev/input"

  /// Becomes readable when a node has been closed.
  public let descriptor: CInt
  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 4096, alignment: MemoryLayout<inotify_event>.alignment)

  /// Begins to watch; `nil` if the kernel has no room for it or the folder may not be read.
  public init?() {
    descriptor = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0,
      inotify_add_watch(descriptor, Self.folder, UInt32(IN_CLOSE_WRITE | IN_CLOSE_NOWRITE)) >= 0
    else { return nil }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    buffer.deallocate()
  }

  /// Calls `body` with the path of each node that has been closed since the last call, as far as they were read.
  ///
  /// What the kernel had no room for is not reported.
  public func read(_ body: (String) -> Void) {
    let size = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    guard size > 0 else { return }
    var rest = UnsafeRawBufferPointer(rebasing: buffer[..<size])
    let header = MemoryLayout<inotify_event>.size
    while rest.count >= header {
      let event = rest.loadUnaligned(as: inotify_event.self)
      let name = rest.dropFirst(header).prefix(Int(event.len)).prefix { $0 != 0 }
      if name.starts(with: "event".utf8) {
        body("\(Self.folder)/\(String(decoding: name, as: UTF8.self))")
      }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(header + Int(event.len)))
    }
  }
}

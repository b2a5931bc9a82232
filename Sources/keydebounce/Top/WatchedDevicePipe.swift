import Glibc
import SystemPackage
import Top

/// The pipe through which the daemon writes what it does with a device. Closed with the object.
final class WatchedDevicePipe {
  /// The device's node.
  let node: String
  /// Becomes readable when the daemon has written.
  var descriptor: CInt { pipe.rawValue }

  private let pipe: FileDescriptor
  private var stream = WatchedStream()
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  init(node: String, pipe: FileDescriptor) {
    (self.node, self.pipe) = (node, pipe)
    _ = fcntl(pipe.rawValue, F_SETFL, O_NONBLOCK)
  }

  deinit {
    try? pipe.close()
  }

  /// Reads what there is, without waiting, and returns what it shows; `nil` if nothing more comes.
  func read() -> [LiveKeys.Sight]? {
    do {
      let count = try buffer.withUnsafeMutableBytes { try pipe.read(into: $0) }
      guard count > 0 else { return nil }
      let sights = try stream.receive(buffer[..<count])
      return stream.isClosed ? nil : sights
    } catch Errno.wouldBlock {
      return []
    } catch {
      // Of another version, or broken: there is nothing to see.
      return nil
    }
  }
}

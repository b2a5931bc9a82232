import Debounce
import Glibc
import Recording
import SystemPackage
import Top

/// The pipe through which the daemon writes what it does with a device. Closed with the object.
final class WatchedDevicePipe {
  /// The device's node.
  let node: String
  /// Becomes readable when the daemon has written; -1 if it is to be read at ``due``.
  var descriptor: CInt { pace.due == nil ? pipe.rawValue : -1 }
  /// When it is to be read again, whether the daemon has written or not; `nil` for when it has.
  var due: Microseconds? { pace.due }

  private let pipe: FileDescriptor
  private var pace = WatchPace()
  private var stream = WatchedStream()
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  init(node: String, pipe: FileDescriptor) {
    (self.node, self.pipe) = (node, pipe)
    _ = fcntl(pipe.rawValue, F_SETFL, O_NONBLOCK)
  }

  deinit {
    try? pipe.close()
  }

  /// Reads all there is, without waiting, and returns what it shows; `nil` if nothing more comes.
  func read(at now: Microseconds) -> [LiveKeys.Sight]? {
    var sights: [LiveKeys.Sight] = []
    var hasRead = false
    do {
      while true {
        let count = try buffer.withUnsafeMutableBytes { try pipe.read(into: $0) }
        guard count > 0 else { return nil }
        hasRead = true
        sights += try stream.receive(buffer[..<count])
        if stream.isClosed { return nil }
      }
    } catch Errno.wouldBlock {
      pace.looked(hasRead: hasRead, at: now)
      return sights
    } catch {
      // Of another version, or broken: there is nothing to see.
      return nil
    }
  }
}

import Glibc
import Recording
import SystemPackage

/// The pipe through which the daemon writes what it does with a device. Closed with the object.
final class WatchedDevicePipe {
  /// The device's node.
  let node: String
  /// Becomes readable when the daemon has written.
  var descriptor: CInt { pipe.rawValue }

  private let pipe: FileDescriptor
  private var recording: RecordingReader

  init(node: String, pipe: FileDescriptor) {
    (self.node, self.pipe) = (node, pipe)
    _ = fcntl(pipe.rawValue, F_SETFL, O_NONBLOCK)
    recording = RecordingReader(file: node) { try pipe.read(into: $0) }
  }

  deinit {
    try? pipe.close()
  }

  /// Reads all there is, without waiting, and returns what it shows; `nil` if nothing more comes.
  func read() -> [LiveKeys.Sight]? {
    var sights: [LiveKeys.Sight] = []
    do {
      while let entry = try recording.next() {
        if case .closed = entry { return nil }
        sights += LiveKeys.Sight.all(in: entry)
      }
      return nil
    } catch Errno.wouldBlock {
      return sights
    } catch {
      // Of another version, or broken: there is nothing to see.
      return nil
    }
  }
}

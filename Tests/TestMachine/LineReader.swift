import EventDevices
import Glibc

/// Reads a pipe or a port line by line.
public final class LineReader {
  private let descriptor: CInt
  private var bytes: [UInt8] = []

  public init(_ descriptor: CInt) {
    self.descriptor = descriptor
  }

  /// The next line, without its end.
  ///
  /// - Parameter limit: How long to wait for it, in microseconds.
  /// - Returns: `nil` at the end of the file or of the patience.
  public func next(limit: Int64 = patience) -> String? {
    let end = monotonicNow() + limit
    while true {
      if let length = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        var line = bytes[..<length]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        defer { bytes.removeSubrange(...length) }
        return String(decoding: line, as: UTF8.self)
      }
      guard waitUntilReadable(descriptor, limit: end - monotonicNow()) else { return nil }
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = read(descriptor, &chunk, chunk.count)
      if count > 0 {
        bytes += chunk[..<count]
      } else if count == 0 || errno != EINTR && errno != EAGAIN {
        return nil
      }
    }
  }
}

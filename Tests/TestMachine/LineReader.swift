import EventDevices
import Glibc

/// Reads a pipe or a port line by line.
public final class LineReader {
  private let descriptor: CInt
  private var bytes: [UInt8] = []

  public init(_ descriptor: CInt) {
    self.descriptor = descriptor
  }

  /// What has been read of a line that has not ended.
  public var unfinished: String { String(decoding: bytes, as: UTF8.self) }

  /// The next line, without its end.
  ///
  /// - Parameters:
  ///   - prompt: What ends a line, too: a question, after which nothing comes before it is answered.
  ///   - limit: How long to wait for it, in microseconds.
  /// - Returns: `nil` at the end of the file or of the patience.
  public func next(orUpTo prompt: String? = nil, limit: Int64 = patience) -> String? {
    let end = monotonicNow() + limit
    while true {
      if let length = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        var line = bytes[..<length]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        defer { bytes.removeSubrange(...length) }
        return String(decoding: line, as: UTF8.self)
      }
      if let prompt, bytes.suffix(prompt.utf8.count).elementsEqual(prompt.utf8) {
        defer { bytes = [] }
        return String(decoding: bytes, as: UTF8.self)
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

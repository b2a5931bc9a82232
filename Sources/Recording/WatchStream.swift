import Debounce

/// What the daemon shows of a device, read from a pipe as it comes: see ``RecordingText``.
public struct WatchStream {
  private var parser: RecordingParser
  /// The bytes of lines that have not been read yet, from `start` on.
  private var bytes: [UInt8] = []
  private var start = 0
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  /// The keys that are down, as far as has been read.
  public private(set) var held = KeySet()

  /// - Parameter name: What messages begin with.
  public init(named name: String) {
    parser = RecordingParser(file: name)
  }

  /// The device's name and numbers and what it can do, as far as they have been read.
  public var device: RecordedDevice { parser.device }

  /// Reads the next entry.
  ///
  /// - Parameter pull: Fills the buffer as far as it can and answers with the number of bytes; 0 at the end. What it throws,
  ///   if there is nothing for now, is thrown here, and the next call goes on where this one has stopped.
  /// - Returns: `nil` at the end.
  /// - Throws: ``RecordingError``, or what `pull` throws.
  public mutating func next(
    from pull: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> RecordingParser.Entry? {
    while true {
      while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        guard let entry = try parser.read(line: bytes[start..<end]) else { continue }
        note(entry)
        return entry
      }
      bytes.removeSubrange(..<start)
      start = 0
      let count = try buffer.withUnsafeMutableBytes { try pull($0) }
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
    }
  }

  private mutating func note(_ entry: RecordingParser.Entry) {
    switch entry {
    case .raw(let frame): held = frame.keysHeld(before: held)
    case .lost(_, let held, _): self.held = held
    case .closed: held = KeySet()
    case .clean, .outcome, .reset, .paused: break
    }
  }
}

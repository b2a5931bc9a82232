import Debounce

/// What the daemon writes of a device that is watched, read from a pipe as it comes; see ``WatchDecoder``.
public struct WatchStream {
  private var decoder: WatchDecoder
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  /// - Parameter name: What messages begin with.
  public init(named name: String) {
    decoder = WatchDecoder(named: name)
  }

  /// The device's name and numbers and what it can do, as far as they have been read.
  public var device: RecordedDevice { decoder.device }
  /// The keys that are down, as far as has been read.
  public var held: KeySet { decoder.held }

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
      if let entry = try decoder.next() { return entry }
      let count = try buffer.withUnsafeMutableBytes { try pull($0) }
      guard count > 0 else { return nil }
      decoder.receive(buffer[..<count])
    }
  }
}

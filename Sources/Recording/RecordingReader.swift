import EventDevices

/// Reads a recording from a file or a pipe, in constant memory.
@dynamicMemberLookup
public struct RecordingReader {
  /// The longest line, in bytes. Without a limit, all of a file without line breaks would be kept in memory.
  private static let longestLine = 1 << 16

  private var parser: RecordingParser
  private let pull: (UnsafeMutableRawBufferPointer) throws -> Int

  /// The bytes that were pulled, and the part of them that was not read yet.
  private var buffer = [UInt8](repeating: 0, count: 4 * longestLine)
  private var unread = 0..<0
  private var isAtEnd = false

  /// - Parameters:
  ///   - file: The name that messages begin with.
  ///   - pull: Fills the buffer as far as it can and returns the number of bytes, as read(2) does; 0 at the end.
  public init(
    file: String, pull: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
  ) {
    self.pull = pull
    parser = RecordingParser(file: file)
  }

  /// The device, its habits and the notes as far as they were read; see ``RecordingParser``. They are complete at the end.
  public subscript<Value>(dynamicMember path: KeyPath<RecordingParser, Value>) -> Value {
    parser[keyPath: path]
  }

  /// Reads the next entry of the recording; `nil` at its end.
  ///
  /// - Throws: ``RecordingError``, or an error of `pull`, which may throw if there is nothing to read for now. The next call then
  ///   goes on from here.
  public mutating func next() throws -> RecordingParser.Entry? {
    while let line = try nextLine() {
      do {
        if let entry = try parser.read(line: buffer[line]) { return entry }
      } catch {
        // A last line without an end was probably cut off.
        guard isAtEnd, unread.isEmpty, line.upperBound == unread.upperBound, parser.hasBegun else {
          throw error
        }
        parser.noteCutOff()
      }
    }
    return try parser.finish()
  }

  /// The range of the next line in the buffer, without its line break.
  private mutating func nextLine() throws -> Range<Int>? {
    var searched = 0
    while true {
      let found = buffer[unread].dropFirst(searched).firstIndex(of: UInt8(ascii: "\n"))
      if let end = found ?? (isAtEnd && !unread.isEmpty ? unread.upperBound : nil) {
        defer { unread = min(end + 1, unread.upperBound)..<unread.upperBound }
        return unread.lowerBound..<end
      }
      if isAtEnd { return nil }
      searched = unread.count
      guard searched < Self.longestLine else {
        throw RecordingError(
          file: parser.file, line: parser.line + 1,
          found: "a line of more than \(Self.longestLine) bytes",
          expected: RecordingParser.anything)
      }
      try fill()
    }
  }

  private mutating func fill() throws {
    let count = unread.count
    try buffer.withUnsafeMutableBytes { bytes in
      bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[unread]))
      unread = 0..<count
      let pulled = try pull(UnsafeMutableRawBufferPointer(rebasing: bytes[count...]))
      unread = 0..<count + pulled
      isAtEnd = pulled == 0
    }
  }
}

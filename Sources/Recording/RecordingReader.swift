import Debounce
import EventDevices

/// Reads a recording from a file or a pipe, in constant memory.
public struct RecordingReader {
  /// The longest line that is believed. Without a limit, a file without line breaks would have to be kept in
  /// memory.
  private static let longestLine = 1 << 16

  private var parser: RecordingParser
  private let file: String
  private let pull: (UnsafeMutableRawBufferPointer) throws -> Int

  /// What has been pulled, and which part of it has not been read yet.
  private var buffer = [UInt8](repeating: 0, count: 4 * longestLine)
  private var unread = 0..<0
  private var isAtEnd = false

  /// - Parameters:
  ///   - file: The name that messages begin with.
  ///   - keyNamed: Finds a key by its kernel name; see ``RecordingParser/init(file:keyNamed:)``.
  ///   - pull: Fills the buffer as far as it can and returns the number of bytes, as read(2) does; 0 at the end.
  public init(
    file: String, keyNamed: @escaping @Sendable (String) -> KeyCode? = { _ in nil },
    pull: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
  ) {
    self.file = file
    self.pull = pull
    parser = RecordingParser(file: file, keyNamed: keyNamed)
  }

  /// The device's name and numbers and what it can do, as far as they have been read.
  public var device: RecordedDevice { parser.device }

  /// What had been learned of the device before its first event, as far as it has been read.
  public var habits: LearnedHabits { parser.habits }

  /// What the recording lacks; see ``RecordingParser/notes``. Complete at its end.
  public var notes: [String] { parser.notes }

  /// Reads the next entry of the recording; `nil` at its end.
  ///
  /// - Throws: ``RecordingError``, or what `pull` throws: if there is nothing for now, the next call goes on from here.
  public mutating func next() throws -> RecordingParser.Entry? {
    while let line = try nextLine() {
      do {
        if let entry = try parser.read(line: buffer[line]) { return entry }
      } catch {
        // A line without an end is none that somebody wrote so.
        guard isAtEnd, unread.isEmpty, line.upperBound == unread.upperBound, parser.hasBegun else {
          throw error
        }
        parser.noteCutOff()
      }
    }
    return try parser.finish()
  }

  /// Where the next line lies in the buffer, without its line break.
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
          file: file, line: parser.line + 1, found: "a line of more than \(Self.longestLine) bytes",
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

/// The device that a recording was made of: the head of an evemu file.
public struct RecordedDevice: Equatable, Sendable {
  /// Of it, recordings have the name and the numbers alone.
  public var identity: DeviceIdentity
  public var capabilities: DeviceCapabilities

  public init(_ identity: DeviceIdentity, _ capabilities: DeviceCapabilities = .init()) {
    self.identity = identity
    self.capabilities = capabilities
  }
}

/// What is wrong with a recording, and where.
public struct RecordingError: Error, Equatable, Sendable {
  /// The file's name, as it was given.
  public let file: String
  /// The line's number, from 1.
  public let line: Int
  /// What was found there, shortened; in words or in quotation marks.
  public let found: String
  /// What was expected there.
  public let expected: String
}

extension RecordingError: CustomStringConvertible {
  public var description: String { "\(file):\(line): found \(found); expected \(expected)" }

  /// The longest piece of a line that is shown.
  private static let longestQuotation = 80

  /// A line as it is shown in a message.
  static func quotation(of line: some Collection<UInt8>) -> String {
    let shown = String(decoding: line.prefix(longestQuotation), as: UTF8.self).withoutControls
    return "“\(shown)\(line.count <= longestQuotation ? "" : "…")”"
  }
}

extension String {
  /// The text without control characters, which a terminal would obey, or which would end a line.
  var withoutControls: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}

import Debounce

/// Reads a recording line by line: what `evemu-record` writes, and what ``RecordingText`` adds to it.
///
/// Give it the lines in order; it answers with a frame whenever one is complete. It keeps one frame in hand
/// and no more, however long the recording is.
public struct RecordingParser: Sendable {
  /// Something that a recording tells.
  public enum Entry: Equatable, Sendable {
    /// What the device sent.
    case raw(Frame)
    /// What was passed on, in a recording of a run.
    case clean(Frame)
    /// The device went or was given back, in a recording of a run.
    case closed(at: Microseconds)
  }

  /// The device's name and numbers, as far as they have been read.
  public private(set) var device = RecordedDevice(name: "")

  private var line = 0
  private var raw = Frame()
  private var clean = Frame()

  public init() {}

  /// Reads the next line.
  ///
  /// - Returns: What the line completes, if it completes something.
  /// - Throws: ``RecordingError`` with the line's number. Lines of a kind that is not known are left out.
  public mutating func read(line text: some StringProtocol) throws(RecordingError) -> Entry? {
    line += 1
    if let rest = rest(of: text, after: "E: ") {
      return try read(event: rest, into: \.raw).map { .raw($0) }
    }
    if let rest = rest(of: text, after: "# clean: ") {
      return try read(event: rest, into: \.clean).map { .clean($0) }
    }
    if let rest = rest(of: text, after: "# closed: ") {
      return .closed(at: try time(rest))
    }
    if let rest = rest(of: text, after: "N: ") {
      device.name = String(rest)
    } else if let rest = rest(of: text, after: "I: ") {
      let numbers = rest.split(separator: " ").map { UInt16($0, radix: 16) }
      guard numbers.count == 4, let bus = numbers[0], let vendor = numbers[1],
        let product = numbers[2], let version = numbers[3]
      else { throw error("four hexadecimal numbers (bus, vendor, product, version)") }
      (device.bus, device.vendor, device.product, device.version) = (bus, vendor, product, version)
    }
    return nil
  }

  private func rest<Text: StringProtocol>(
    of text: Text, after prefix: String
  ) -> Text.SubSequence? {
    text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : nil
  }

  /// Reads an event: time, type and code in hexadecimal, value in decimal, and perhaps a comment.
  private mutating func read(
    event text: some StringProtocol, into frame: WritableKeyPath<RecordingParser, Frame>
  ) throws(RecordingError) -> Frame? {
    let fields = text.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }
    guard fields.count == 4, let type = UInt16(fields[1], radix: 16),
      let code = UInt16(fields[2], radix: 16), let value = Int32(fields[3])
    else { throw error("an event: seconds, type and code in hexadecimal, value") }
    let time = try time(fields[0])
    guard type == EventType.synchronisation, code == EventType.report else {
      self[keyPath: frame].append(Event(type: type, code: code, value: value))
      return nil
    }
    var complete = self[keyPath: frame]
    complete.time = time
    self[keyPath: frame].removeAll()
    return complete
  }

  /// Reads seconds with up to six decimals.
  private func time(_ text: some StringProtocol) throws(RecordingError) -> Microseconds {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let seconds = UInt32(parts[0]), (1...6).contains(parts[1].count),
      let fraction = UInt32(parts[1])
    else { throw error("a time in seconds, as 12.345678") }
    let scale = [100_000, 10_000, 1000, 100, 10, 1][parts[1].count - 1]
    return Microseconds(seconds) * 1_000_000 + Microseconds(fraction) * Microseconds(scale)
  }

  private func error(_ expected: String) -> RecordingError {
    RecordingError(line: line, expected: expected)
  }
}

/// What is wrong with a recording.
public struct RecordingError: Error, Equatable, Sendable {
  /// The line's number, from 1.
  public let line: Int
  /// What should have stood there.
  public let expected: String

  public init(line: Int, expected: String) {
    self.line = line
    self.expected = expected
  }
}

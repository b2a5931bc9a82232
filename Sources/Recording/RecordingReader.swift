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
  ///   - pull: Fills the buffer as far as it can and answers with the number of bytes; 0 at the end. As
  ///     read(2) does.
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
    if let entry = parser.takeLater() { return entry }
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
    buffer.withUnsafeMutableBytes { bytes in
      bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[unread]))
    }
    unread = 0..<count
    let pulled = try buffer.withUnsafeMutableBytes {
      try pull(UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
    }
    unread = 0..<count + pulled
    isAtEnd = pulled == 0
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

  public init(file: String, line: Int, found: String, expected: String) {
    (self.file, self.line, self.found, self.expected) = (file, line, found, expected)
  }
}

extension RecordingError: CustomStringConvertible {
  public var description: String { "\(file):\(line): found \(found); expected \(expected)" }
}

extension RecordingError {
  /// The longest piece of a line that is shown.
  private static let longestQuotation = 80

  /// A line as it is shown in a message, without control characters, which a terminal would obey.
  static func quotation(of line: some Collection<UInt8>) -> String {
    let isShort = line.count <= longestQuotation
    let text = String(decoding: line.prefix(longestQuotation), as: UTF8.self)
    let shown = String.UnicodeScalarView(
      text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 })
    return "“\(String(shown))\(isShort ? "" : "…")”"
  }
}

/// Reads a recording line by line: what `evemu-record` writes (versions 1.0 to 1.3), what ``RecordingText``
/// adds to it, and what `evtest`, `libinput record`, `libinput debug-events`, `getevent -lt` and `xev` print.
///
/// The first line that belongs to one of them decides which it is. Lines of other kinds are left out:
/// recordings are copied from terminals and messages, with other text around them.
///
/// It receives the lines in order, and returns a frame whenever one is complete. It keeps one frame
/// and no more, however long the recording is.
public struct RecordingParser: Sendable {
  /// Something that a recording contains.
  public enum Entry: Equatable, Sendable {
    /// What the device sent. With a `SYN_DROPPED` in it, events were lost before, and the key events are
    /// the differences from the true state; see ``Debounce/Debouncer/process(recorded:into:)``.
    case raw(Frame)
    /// What was passed on, in a recording of a run.
    case clean(Frame)
    /// What was learned of a key was dropped, or of all keys, in a recording of a run.
    case reset(KeyCode?, at: Microseconds)
    /// From now on everything passes as it is, or no longer, in a recording of a run.
    case paused(Bool, at: Microseconds)
    /// The device went or was given back, in a recording of a run.
    case closed(at: Microseconds)
    /// What the daemon decided of an edge, where somebody watches it.
    case outcome(Outcome)
    /// So many lines are missing, because the reader was too slow, and these keys are down. None: watching begins.
    case lost(lines: Int, held: KeySet, at: Microseconds)
  }

  /// Who wrote the recording.
  enum Form: Sendable {
    case evemu
    case evtest
    case libinputRecord
    case debugEvents
    case getevent
    case xev
  }

  /// The device's name and numbers and what it can do, as far as they have been read.
  public internal(set) var device = RecordedDevice(DeviceIdentity(name: ""))

  /// What had been learned of the device before its first event; nothing unless the recording says so.
  public internal(set) var habits = LearnedHabits()
  /// Whether an event was read: what was known before stands before it.
  var hasBegun = false

  /// The number of the line read last, from 1.
  public private(set) var line = 0

  /// What this form of a recording lacks, and what that costs; what was left out. A sentence each.
  public private(set) var notes: [String] = []

  /// The file's name, for messages.
  let file: String
  /// Finds a key by its kernel name, as `KEY_A`.
  let keyNamed: @Sendable (String) -> KeyCode?
  var foreign = ForeignState()
  /// What a line completed besides: it is next.
  var later: Entry?
  var form: Form?
  /// How many bytes of bit masks have been read: of the properties, and of each event type's codes.
  var propertyBytes = 0
  var codeBytes: [UInt16: Int] = [:]

  private var raw = Frame()
  private var clean = Frame()
  /// The time of the last raw event.
  private var time: Microseconds = 0

  /// Whether frames have no end.
  private var lacksReports = false

  /// Events of one frame are no further apart, where their times differ at all. Microseconds.
  private static let longestPause: Microseconds = 1000

  /// The longest frame that is accepted. No device sends a thousandth of it; without a limit, a file without
  /// `SYN_REPORT` would have to be kept in memory.
  private static let longestFrame = 16384

  /// A parser for a recording from its first line on.
  ///
  /// - Parameters:
  ///   - file: The name that messages begin with.
  ///   - keyNamed: Finds a key by its kernel name, as `KEY_A`, for recordings that name keys and give no numbers.
  public init(
    file: String = "recording", keyNamed: @escaping @Sendable (String) -> KeyCode? = { _ in nil }
  ) {
    self.file = file
    self.keyNamed = keyNamed
  }

  /// Reads the next line, without its line break.
  ///
  /// - Throws: ``RecordingError`` if the line begins like one of a recording but is malformed, if time runs
  ///   backwards, or if this is not text.
  public mutating func read(line text: some StringProtocol) throws(RecordingError) -> Entry? {
    try read(line: Array(text.utf8)[...])
  }

  /// Reads the next line, without its line break, as bytes of UTF-8.
  public mutating func read(line bytes: ArraySlice<UInt8>) throws(RecordingError) -> Entry? {
    line += 1
    var cursor = LineCursor(bytes)
    if line == 1 { _ = cursor.take("\u{FEFF}") }
    if form == nil || form == .evemu {
      if cursor.take("E:") { return try readEvent(cursor) }
      if cursor.next == UInt8(ascii: "#"), !cursor.line.starts(with: "# libinput record".utf8) {
        return try readComment(cursor)
      }
      if try readHead(cursor) { return nil }
    }
    if form == nil || form == .evtest, let entry = try readPrinted(cursor) { return entry }
    if form != .evemu, let entry = try readForeign(cursor) { return entry }
    if bytes.contains(0) {
      throw RecordingError(
        file: file, line: line, found: "bytes that are not text", expected: Self.anything)
    }
    return nil
  }

  /// What was completed besides; `nil` if nothing was. To be asked for before the next line is read.
  public mutating func takeLater() -> Entry? {
    defer { later = nil }
    return later
  }

  /// Receives that there are no more lines. A frame that has no end is left out, and ``notes`` says so.
  ///
  /// - Returns: What is complete now; `nil` if nothing is.
  /// - Throws: ``RecordingError`` if it was not a recording at all.
  public mutating func finish() throws(RecordingError) -> Entry? {
    guard form != nil else {
      throw RecordingError(
        file: file, line: max(line, 1), found: "no line of a recording up to here",
        expected: Self.anything)
    }
    if !raw.isEmpty, lacksReports {
      var last = Frame()
      swap(&last, &raw)
      last.time = time
      return .raw(last)
    }
    if !raw.isEmpty { noteCutOff() }
    return finishXev()
  }

  /// Notes that the recording breaks off in its last frame.
  mutating func noteCutOff() {
    raw = Frame()
    note("\(file):\(line): the recording breaks off within its last frame, which is left out")
  }

  /// Adds a sentence to ``notes``, once.
  mutating func note(_ text: String) {
    if !notes.contains(text) { notes.append(text) }
  }

  /// What is expected where there is nothing of a recording.
  static let anything =
    "a recording: of evemu-record, evtest, libinput record, libinput debug-events --show-keycodes, getevent -lt or xev"
}

// MARK: - Frames

extension RecordingParser {
  /// Adds a raw event to the frame in hand.
  mutating func take(
    _ event: Event, at time: Microseconds, _ cursor: LineCursor
  ) throws(RecordingError) -> Entry? {
    guard time >= self.time else {
      throw error(cursor, "a time no earlier than that of the event before: time runs backwards")
    }
    let before = self.time
    self.time = time
    hasBegun = true
    if !raw.isEmpty, time - before >= Self.longestPause, event.type != EventType.synchronisation {
      var complete = Frame()
      swap(&complete, &raw)
      complete.time = before
      lacksReports = true
      note("SYN_REPORTs are missing: a frame ends here where the time changes")
      raw.append(event)
      return .raw(complete)
    }
    return try take(event, at: time, into: &raw, cursor).map { .raw($0) }
  }

  /// Adds an event that was passed on to the clean frame in hand.
  mutating func take(
    clean event: Event, at time: Microseconds, _ cursor: LineCursor
  ) throws(RecordingError) -> Entry? {
    try take(event, at: time, into: &clean, cursor).map { .clean($0) }
  }

  private func take(
    _ event: Event, at time: Microseconds, into frame: inout Frame, _ cursor: LineCursor
  ) throws(RecordingError) -> Frame? {
    guard event.type == EventType.synchronisation, event.code == EventType.report else {
      guard frame.events.count < Self.longestFrame else {
        throw error(cursor, "a SYN_REPORT: no frame has that many events")
      }
      frame.append(event)
      return nil
    }
    var complete = Frame()
    swap(&complete, &frame)
    complete.time = time
    return complete
  }

  /// Receives that lines are missing here: frames in hand have lost their ends.
  mutating func dropFrames() {
    (raw, clean) = (Frame(), Frame())
  }

  func error(_ cursor: LineCursor, _ expected: String) -> RecordingError {
    RecordingError(
      file: file, line: line, found: RecordingError.quotation(of: cursor.line), expected: expected)
  }
}

/// The lines that tell what had been learned of the device; see ``RecordingText``.
///
/// ```
/// # usual hold: 0.082000
/// # learned: 001e -0.002500 873
/// # learned: 001f 0.000500 1000 0.062000
/// # learned: 0020 0.000000 - 0.062000
/// # reset: 1.250000 001e
/// ```
extension RecordingParser {
  /// Reads what follows `# usual hold:`.
  mutating func readUsualHold(
    _ cursor: LineCursor, _ start: LineCursor
  ) throws(RecordingError) {
    var cursor = cursor
    try expectNoEvent(start)
    cursor.skipBlanks()
    guard let hold = cursor.seconds(), LearnedHabits.usualHolds.contains(hold), cursor.isAtComment()
    else { throw error(start, "how long keys are usually held, in seconds up to 10.000000") }
    habits.usualHold = hold
  }

  /// Reads what follows `# learned:`.
  mutating func readLearned(
    _ cursor: LineCursor, _ start: LineCursor
  ) throws(RecordingError) {
    var cursor = cursor
    try expectNoEvent(start)
    guard let code = cursor.hexadecimalField(UInt16.self), Int(code) < EventType.keyCount,
      let offset = signedSeconds(&cursor), LearnedHabits.offsets.contains(offset)
    else {
      throw error(
        start,
        "a key in hexadecimal, by how many seconds it is held longer (10.000000 at most), and for "
          + "how many presses it is bad, if it is")
    }
    var key = LearnedHabits.Key(code, offset: offset)
    if !cursor.isAtComment() {
      cursor.skipBlanks()
      if !cursor.take("-") {
        guard let presses = cursor.decimalField(), LearnedHabits.badPresses.contains(Int(presses))
        else { throw error(start, "for how many presses the key is bad, 0 to 1000000, or nothing") }
        key.badFor = Int(presses)
      }
    }
    if !cursor.isAtComment() {
      cursor.skipBlanks()
      guard let reach = cursor.seconds(), LearnedHabits.reaches.contains(reach) else {
        throw error(start, "after how many seconds its late bounces came, up to 10.000000")
      }
      key.reach = reach
    }
    if !cursor.isAtComment() {
      guard let late = cursor.decimalField(), LearnedHabits.lateDropOuts.contains(Int(late)),
        cursor.isAtComment()
      else { throw error(start, "how many late drop-outs it has shown, 0 to 1000000, or nothing") }
      key.lateDropOuts = Int(late)
    }
    guard habits.keys.last.map({ $0.code < code }) ?? true else {
      throw error(start, "each key once, in the order of their codes")
    }
    habits.keys.append(key)
  }

  /// Reads what follows `# reset:`.
  func readReset(_ cursor: LineCursor, _ start: LineCursor) throws(RecordingError) -> Entry {
    var cursor = cursor
    cursor.skipBlanks()
    guard let time = cursor.seconds() else { throw error(start, "a time in seconds, as 12.345678") }
    if cursor.isAtComment() { return .reset(nil, at: time) }
    guard let code = cursor.hexadecimalField(UInt16.self), Int(code) < EventType.keyCount,
      cursor.isAtComment()
    else { throw error(start, "a key in hexadecimal, or nothing") }
    return .reset(code, at: time)
  }

  private func signedSeconds(_ cursor: inout LineCursor) -> Microseconds? {
    cursor.skipBlanks()
    let isNegative = cursor.take("-")
    return cursor.seconds().map { isNegative ? -$0 : $0 }
  }

  private func expectNoEvent(_ start: LineCursor) throws(RecordingError) {
    if hasBegun {
      throw error(start, "what was known before the first event only in front of it")
    }
  }
}

import Debounce
import EventDevices

/// Reads a recording line by line. It knows the forms of `evemu-record` (versions 1.0 to 1.3) with the lines that
/// ``RecordingText`` adds, `evtest`, `libinput record` and `libinput debug-events`.
///
/// The first line of one of these forms decides on the form. Other lines are left out, because people copy recordings from
/// terminals and messages, with other text around them.
///
/// The parser receives the lines in order, and returns each frame when it is complete. It never keeps more than one frame,
/// however long the recording is.
public struct RecordingParser: Sendable {
  public enum Entry: Equatable, Sendable {
    /// A frame that the device sent. A `SYN_DROPPED` in it says that events were lost before. Its key events are then the
    /// differences from the true state; see ``Debounce/Debouncer/process(recorded:)``.
    case raw(Frame)
    /// A frame that was passed on in a recorded run.
    case clean(Frame)
    /// In a recorded run, the engine forgot what it had learned of a key; of all keys for `nil`.
    case reset(KeyCode?, at: Microseconds)
    /// In a recorded run, debouncing was paused (`true`) or resumed.
    case paused(Bool, at: Microseconds)
    /// The device went or was given back in a recorded run, or another recording of it follows.
    case closed(at: Microseconds)
    /// The daemon's decision on an edge, where somebody watches the device.
    case outcome(Outcome)
    /// So many lines are missing because the reader was too slow, and these keys are down. With no missing lines, watching
    /// begins here.
    case lost(lines: Int, held: KeySet, at: Microseconds)
  }

  /// The program that wrote the recording.
  enum Form: Sendable {
    case evemu, evtest, libinputRecord, debugEvents
  }

  /// The device's identity and capabilities, as far as they were read.
  public internal(set) var device = RecordedDevice(DeviceIdentity(name: ""))

  /// The habits that were learned of the device before its first event; none unless the recording says so.
  public private(set) var habits = LearnedHabits()
  /// Whether an event was read. Learned habits must stand before the first.
  private(set) var hasBegun = false
  /// Whether a recording of another device has begun. All of it is left out.
  private var isOver = false
  /// The line of the head of another recording of the device, until its first event.
  private var nextHead: Int?
  /// The time that is added to the times of lines, in microseconds.
  private var shift: Microseconds = 0

  /// The number of the line read last, from 1.
  public private(set) var line = 0

  /// Sentences on what this form of a recording lacks, what that costs, and what was left out.
  public private(set) var notes: [String] = []
  /// How many notes are kept. A file may have thousands of recordings, each worth a note.
  private static let mostNotes = 20

  let file: String
  var form: Form?
  var foreign = ForeignState()
  /// The number of bytes that were read of each mask: of an event type's codes, and of the properties for `nil`.
  private var maskBytes: [UInt16?: Int] = [:]

  private var raw = Frame()
  private var clean = Frame()
  /// The time of the last raw event.
  private var time: Microseconds = 0
  /// Whether frames lack a `SYN_REPORT` at their end.
  private var lacksReports = false

  /// The longest time between events of one frame, in microseconds, for recordings without `SYN_REPORT`s.
  private static let longestPause: Microseconds = 1000
  /// The silence behind one recording of the device, and that before the next, in microseconds.
  private static let silence: Microseconds = 10_000_000

  /// - Parameter file: The name that messages begin with.
  public init(file: String = "recording") {
    self.file = file
  }

  /// Reads the next line, without its line break, as bytes of UTF-8.
  ///
  /// - Throws: ``RecordingError`` if the line begins like one of a recording but is malformed, if time runs
  ///   backwards, or if this is not text.
  public mutating func read(line bytes: ArraySlice<UInt8>) throws(RecordingError) -> Entry? {
    line += 1
    let cursor = LineCursor(bytes, shiftedBy: shift)
    do {
      return try read(cursor)
    } catch {
      throw RecordingError(
        file: file, line: line, found: error.found ?? RecordingError.quotation(of: cursor.line),
        expected: error.expected)
    }
  }

  private mutating func read(_ start: LineCursor) throws(BadLine) -> Entry? {
    if isOver { return nil }
    var cursor = start
    if line == 1 { _ = cursor.take("\u{FEFF}") }
    if form == nil || form == .evemu {
      if cursor.isAt("#"), !cursor.isAt("# libinput record") { return try readComment(&cursor) }
      if cursor.take("E:") {
        form = .evemu
        let (event, time) = try Self.readEvent(&cursor)
        return try take(event, at: time)
      }
      if try readHead(&cursor) {
        form = .evemu
        return nil
      }
    }
    if form != .evemu, let entry = try readForeign(cursor) { return entry }
    if cursor.line.contains(0) {
      throw BadLine(found: "bytes that are not text", expected: Self.anything)
    }
    return nil
  }

  /// Ends the recording. A frame without an end is left out, and ``notes`` says so.
  ///
  /// - Returns: The last entry, if it is complete only now; otherwise `nil`.
  /// - Throws: ``RecordingError`` if it was not a recording at all.
  public mutating func finish() throws(RecordingError) -> Entry? {
    guard form != nil else {
      throw RecordingError(
        file: file, line: max(line, 1),
        found: line == 0 ? "an empty file" : "no line of a recording up to here",
        expected: Self.anything)
    }
    if !raw.isEmpty, lacksReports {
      defer { raw = Frame() }
      raw.time = time
      return .raw(raw)
    }
    if !raw.isEmpty { noteCutOff() }
    return nil
  }

  /// Notes that the recording breaks off in its last frame.
  mutating func noteCutOff() {
    raw = Frame()
    note("\(file):\(line): the recording breaks off within its last frame, which is left out")
  }

  /// Receives a line about the device of the lines that follow. They are left out if it is another device.
  mutating func identify(
    _ change: (inout DeviceIdentity) throws(BadLine) -> Void
  ) throws(BadLine) {
    var identity = device.identity
    try change(&identity)
    guard hasBegun, device.identity != DeviceIdentity(name: "") else {
      device.identity = identity
      return
    }
    guard identity != device.identity else {
      nextHead = nextHead ?? line
      return
    }
    isOver = true
    note(
      "\(file):\(line): a recording of another device begins here: it is left out, with all that follows; expected a "
        + "file of its own for each device")
  }

  /// Adds a sentence to ``notes``, once, if there is room.
  mutating func note(_ text: String) {
    guard notes.count <= Self.mostNotes, !notes.contains(text) else { return }
    notes.append(notes.count < Self.mostNotes ? text : "\(file): further notes are left out")
  }

  /// The words for what is expected in a file that is no recording.
  static let anything =
    "a recording: of evemu-record, evtest, libinput record, or libinput debug-events --show-keycodes"
}

/// The reason why a line cannot be read.
struct BadLine: Error {
  /// The words for what was found; `nil` for the line itself.
  var found: String?
  let expected: String
}

// MARK: - Frames

extension RecordingParser {
  /// Adds a raw event to the frame in hand.
  mutating func take(_ event: Event, at time: Microseconds) throws(BadLine) -> Entry? {
    if let head = nextHead { return try begin(anotherAt: head, with: event, at: time) }
    let before = self.time
    try advance(to: time)
    guard !raw.isEmpty, time - before >= Self.longestPause,
      event.type != EventType.synchronisation
    else { return try raw.add(event, at: time).map { .raw($0) } }
    lacksReports = true
    note("SYN_REPORTs are missing: a frame ends here where the time changes")
    defer { raw = Frame(time: time, [event]) }
    raw.time = before
    return .raw(raw)
  }

  /// Takes the first event of another recording of the device, before which no key is down.
  private mutating func begin(
    anotherAt head: Int, with event: Event, at time: Microseconds
  ) throws(BadLine) -> Entry? {
    nextHead = nil
    if !raw.isEmpty { noteCutOff() }
    clean = Frame()
    let end = self.time
    var start = time
    if time <= end {
      start = end + 2 * Self.silence
      shift += start - time
      note(
        "\(file):\(head): another recording of the device begins here: all keys are released, and its times are counted "
          + "on from the one before")
    }
    self.time = start
    _ = try raw.add(event, at: start)
    return .closed(at: max(end, start - Self.silence))
  }

  mutating func advance(to time: Microseconds) throws(BadLine) {
    guard time >= self.time else {
      throw BadLine(
        expected: "a time no earlier than that of the event before: time runs backwards")
    }
    self.time = time
    hasBegun = true
  }
}

extension Frame {
  /// The most events of a frame. No device sends a thousandth of that. Without a limit, all of a file without `SYN_REPORT`s would
  /// be kept in memory.
  private static let longest = 16384

  /// Adds an event of a recording. Returns the frame if the event ends it: then the next one begins.
  fileprivate mutating func add(_ event: Event, at time: Microseconds) throws(BadLine) -> Frame? {
    guard event.type == EventType.synchronisation, event.code == EventType.report else {
      guard events.count < Self.longest else {
        throw BadLine(expected: "a SYN_REPORT: no frame has that many events")
      }
      append(event)
      return nil
    }
    defer { self = Frame() }
    self.time = time
    return self
  }
}

// MARK: - Lines of evemu

/// The lines that evemu writes:
///
/// ```
/// # EVEMU 1.3                       the version; without this line it is 1.0
/// N: name of the device
/// I: 0003 3434 0120 0111            bus, vendor, product, version
/// P: 00 00 00 00 00 00 00 00        a mask of properties, eight bytes a line
/// B: 01 02 00 00 40 00 00 00 00     an event type, and a mask of its codes
/// A: 00 0 1023 0 0 12               an axis: minimum, maximum, fuzz, flat; from 1.2 on the resolution
/// L: 00 1                           a LED and its state (from 1.3 on)
/// S: 00 0                           a switch and its state (from 1.3 on)
/// E: 0.133790 0001 001e 0001        time, type, code, value; type and code are hexadecimal
/// ```
///
/// A comment may stand behind all of them except the name.
extension RecordingParser {
  /// The length of the largest mask, that of the keys, in bytes.
  private static let longestMask = EventType.keyCount / 8
  /// `EV_MAX`, and `ABS_MAX`.
  private static let lastType: UInt16 = 0x1f
  private static let lastAxis: UInt16 = 0x3f

  private static func readEvent(
    _ cursor: inout LineCursor
  ) throws(BadLine) -> (Event, Microseconds) {
    let time = try readTime(&cursor)
    guard let type: UInt16 = cursor.hexadecimal(), let code: UInt16 = cursor.hexadecimal(),
      let value = cursor.decimalField(), cursor.isAtComment()
    else { throw BadLine(expected: "an event: seconds, type and code in hexadecimal, value") }
    return (Event(type: type, code: code, value: value), time)
  }

  private static func readTime(_ cursor: inout LineCursor) throws(BadLine) -> Microseconds {
    if let time = cursor.moment() { return time }
    throw BadLine(expected: "a time in seconds, such as 12.345678")
  }

  /// Reads a line of the head. Returns whether it is one.
  private mutating func readHead(_ cursor: inout LineCursor) throws(BadLine) -> Bool {
    let rest: [StaticString] = ["P:", "B:", "A:", "L:", "S:"]
    // The first recording of the device has told its capabilities.
    if nextHead != nil, rest.contains(where: cursor.isAt) { return true }
    if cursor.take("N:") {
      cursor.skipBlanks()
      try identify { $0.name = String(decoding: cursor.rest, as: UTF8.self) }
    } else if cursor.take("I:") {
      let numbers: [UInt16] = cursor.hexadecimals(4)
      let isWhole = cursor.isAtComment()
      try identify { (identity) throws(BadLine) in
        try identity.setNumbers(isWhole ? numbers : [])
      }
    } else if cursor.take("P:") {
      device.capabilities.properties += try readMask(&cursor, of: nil)
    } else if cursor.take("B:") {
      guard let type: UInt16 = cursor.hexadecimal(), type <= Self.lastType else {
        throw BadLine(expected: "an event type and eight bytes, all hexadecimal")
      }
      let codes = try readMask(&cursor, of: type)
      if !codes.isEmpty { device.capabilities.codes[type, default: []] += codes }
    } else if cursor.take("A:") {
      let axis = try readAxis(&cursor)
      // A code has one axis, which a later line may describe again.
      device.capabilities.axes.removeAll { $0.code == axis.code }
      device.capabilities.axes.append(axis)
    } else if cursor.take("L:") || cursor.take("S:") {
      guard let _: UInt16 = cursor.hexadecimal(), cursor.decimalField() != nil,
        cursor.isAtComment()
      else { throw BadLine(expected: "a number in hexadecimal and a state") }
    } else {
      return false
    }
    return true
  }

  /// Reads the next eight bytes of a mask. Returns the bits that are set.
  private mutating func readMask(
    _ cursor: inout LineCursor, of type: UInt16?
  ) throws(BadLine) -> [UInt16] {
    let first = maskBytes[type, default: 0]
    guard first < Self.longestMask else {
      throw BadLine(expected: "no more than \(Self.longestMask) bytes of one mask")
    }
    let bytes: [UInt8] = cursor.hexadecimals(8)
    guard bytes.count == 8, cursor.isAtComment() else {
      throw BadLine(expected: "eight hexadecimal bytes")
    }
    maskBytes[type] = first + 8
    return (0..<64).filter { bit in
      let mask: UInt8 = 1 << (bit % 8)
      return bytes[bit / 8] & mask != 0
    }.map { UInt16(first * 8 + $0) }
  }

  private func readAxis(_ cursor: inout LineCursor) throws(BadLine) -> AbsoluteAxis {
    guard let code: UInt16 = cursor.hexadecimal(), code <= Self.lastAxis,
      let minimum = cursor.decimalField(), let maximum = cursor.decimalField(),
      let fuzz = cursor.decimalField(), let flat = cursor.decimalField()
    else {
      throw BadLine(
        expected: "an axis in hexadecimal, minimum, maximum, fuzz, flat and perhaps resolution")
    }
    guard let resolution = cursor.isAtComment() ? 0 : cursor.decimalField(), cursor.isAtComment()
    else { throw BadLine(expected: "a resolution, or nothing more") }
    return AbsoluteAxis(
      code: code, minimum: minimum, maximum: maximum, fuzz: fuzz, flat: flat,
      resolution: resolution)
  }
}

extension DeviceIdentity {
  mutating func setNumbers(
    _ numbers: [UInt16], _ notation: String = "hexadecimal"
  ) throws(BadLine) {
    guard numbers.count == 4 else {
      throw BadLine(expected: "four \(notation) numbers (bus, vendor, product, version)")
    }
    (bus, vendor, product, version) = (numbers[0], numbers[1], numbers[2], numbers[3])
  }
}

// MARK: - Comments

/// The lines that ``RecordingText`` adds, and the version. Other comments are left out.
extension RecordingParser {
  private mutating func readComment(_ cursor: inout LineCursor) throws(BadLine) -> Entry? {
    if cursor.take("# clean:") {
      let (event, time) = try Self.readEvent(&cursor)
      return try clean.add(event, at: time).map { .clean($0) }
    }
    if cursor.take("# outcome:") { return .outcome(try Outcome(reading: &cursor)) }
    if cursor.take("# lost:") { return try readLoss(&cursor) }
    if cursor.take("# paused:") { return .paused(true, at: try Self.readTime(&cursor)) }
    if cursor.take("# resumed:") { return .paused(false, at: try Self.readTime(&cursor)) }
    if cursor.take("# closed:") { return .closed(at: try Self.readTime(&cursor)) }
    if cursor.take("# reset:") {
      let time = try Self.readTime(&cursor)
      if cursor.isAtComment() { return .reset(nil, at: time) }
      guard let key = cursor.key(), cursor.isAtComment() else {
        throw BadLine(expected: "a key in hexadecimal, or nothing")
      }
      return .reset(key, at: time)
    }
    let isUsualHold = cursor.take("# usual hold:")
    if isUsualHold || cursor.take("# learned:") {
      // The habits before the first recording hold for the next one, too.
      if nextHead != nil { return nil }
      guard !hasBegun else {
        throw BadLine(expected: "what was known before the first event only in front of it")
      }
      try isUsualHold ? readUsualHold(&cursor) : readLearned(&cursor)
    } else if cursor.take("# EVEMU ") {
      form = .evemu
      // A new minor version adds lines, which are left out. A new major version is another format.
      guard cursor.decimal() == 1, cursor.take("."), cursor.decimalField() != nil,
        cursor.isAtComment()
      else { throw BadLine(expected: "the version of a recording, 1.0 to 1.3") }
    }
    return nil
  }

  private mutating func readUsualHold(_ cursor: inout LineCursor) throws(BadLine) {
    guard let hold = cursor.seconds(), cursor.isAtComment() else {
      throw BadLine(expected: "how long keys are usually held, in seconds")
    }
    habits = LearnedHabits(usualHold: hold, keys: habits.keys)
  }

  private mutating func readLearned(_ cursor: inout LineCursor) throws(BadLine) {
    guard let code = cursor.key(), let offset = cursor.signedSeconds() else {
      throw BadLine(
        expected:
          "a key in hexadecimal, by how many seconds it is held longer, and for how many presses it is "
          + "bad, if it is")
    }
    /// The next field; `nil` if the line ends before it.
    func field<Value>(_ read: (inout LineCursor) -> Value?, _ expected: String) throws(BadLine)
      -> Value?
    {
      if cursor.isAtComment() { return nil }
      guard let value = read(&cursor) else { throw BadLine(expected: expected) }
      return value
    }
    var badFor: Int32?
    if !cursor.isAtComment(), !cursor.take("-") {
      badFor = try field(
        { $0.decimalField() }, "for how many presses the key is bad, or nothing")
    }
    let reach = try field({ $0.seconds() }, "after how many seconds its late bounces came")
    let lateDropOuts = try field(
      { $0.decimalField() }, "how many late drop-outs it has shown, or nothing")
    let evidence = try field(
      { cursor in cursor.decimalField().flatMap { cursor.isAtComment() ? $0 : nil } },
      "how much evidence a bad key has shown, or nothing")
    guard habits.keys.last.map({ $0.code < code }) ?? true else {
      throw BadLine(expected: "each key once, in the order of their codes")
    }
    habits.keys.append(
      LearnedHabits.Key(
        code, offset: offset, badFor: badFor.map(Int.init),
        evidence: evidence.map(Int.init) ?? LearnedHabits.evidence.upperBound, reach: reach ?? 0,
        lateDropOuts: Int(lateDropOuts ?? 0)))
  }

  private mutating func readLoss(_ cursor: inout LineCursor) throws(BadLine) -> Entry {
    guard let time = cursor.moment(), let count = cursor.decimalField(), count >= 0 else {
      throw BadLine(expected: "a time in seconds, and how many lines are missing")
    }
    var held = KeySet()
    while !cursor.isAtComment() {
      guard let key = cursor.key() else {
        throw BadLine(expected: "the keys that are down, in hexadecimal")
      }
      held.insert(key)
    }
    // The ends of the frames in hand were lost.
    (raw, clean) = (Frame(), Frame())
    return .lost(lines: Int(count), held: held, at: time)
  }
}

/// The device of a recording, as the head of an evemu file describes it.
public struct RecordedDevice: Equatable, Sendable {
  /// The name and the numbers. Recordings have no more of the identity.
  public var identity: DeviceIdentity
  public var capabilities: DeviceCapabilities

  public init(_ identity: DeviceIdentity, _ capabilities: DeviceCapabilities = .init()) {
    self.identity = identity
    self.capabilities = capabilities
  }
}

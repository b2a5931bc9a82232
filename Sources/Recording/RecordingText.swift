import Debounce
import EventDevices
import Files

/// The text of a growing recording, in the form of `evemu-record` (version 1.3).
///
/// The raw events are the recording. Comments between them hold what the engine knew before and what it made of the events. So
/// evemu's tools and `keydebounce replay` read the same file:
///
/// ```
/// # usual hold: 0.082000              learned habits: how long keys are usually held, in seconds,
/// # learned: 001e -0.002500 873       by how much longer this key is, and for how many presses it is bad, if it is; then
///                                     after which gaps its late bounces came, if any did, with “-” where no presses stand,
///                                     how many late drop-outs it has shown, and how much evidence, if less than three pieces
/// E: 0.133790 0001 001e 0000          raw: time, type, code, value
/// # clean: 0.133790 0001 001e 0000    an event that was passed on, and when
/// # reset: 1.250000 001e              the engine forgot what it had learned of this key, or of all
/// # paused: 1.500000                  debouncing was paused, until “# resumed:”
/// # closed: 2.104000                  the device went or was given back; clean releases may follow
/// ```
///
/// Times are seconds since the first recorded event. The text for those who watch a device has more lines, which
/// `OutcomeLines.swift` describes, and times of the kernel's monotonic clock.
public struct RecordingText: Sendable {
  /// The text that was added since the owner last took it away, in UTF-8.
  public internal(set) var bytes: [UInt8] = []

  /// The moment since which times count; `nil` until the first event.
  private var origin: Microseconds?

  /// A text without a head. Its times are seconds since `origin`.
  public init(eventsSince origin: Microseconds) {
    self.origin = origin
  }

  /// A text that begins with the head.
  ///
  /// - Parameter origin: The moment since which times count; `nil` for the first event.
  public init(of device: RecordedDevice, eventsSince origin: Microseconds? = nil) {
    self.origin = origin
    let (identity, capabilities) = (device.identity, device.capabilities)
    append(line: "# EVEMU 1.3")
    append(line: "N: " + identity.name.withoutControls)
    let numbers = [identity.bus, identity.vendor, identity.product, identity.version]
    append(line: "I: " + numbers.map { $0.hexadecimal() }.joined(separator: " "))
    append(mask: capabilities.properties, behind: "P:")
    for (type, codes) in capabilities.codes.sorted(by: { $0.key < $1.key }) where !codes.isEmpty {
      append(mask: codes, behind: "B: \(type.hexadecimal(digits: 2))")
    }
    for axis in capabilities.axes {
      append(
        line: """
          A: \(axis.code.hexadecimal(digits: 2)) \(axis.minimum) \(axis.maximum) \(axis.fuzz) \(axis.flat) \
          \(axis.resolution)
          """)
    }
  }

  private mutating func append(line: String) {
    bytes.append(contentsOf: line.utf8)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Appends lines of a bit mask, eight bytes each, as evemu expects.
  private mutating func append(mask bits: [UInt16], behind prefix: String) {
    var mask = [UInt8](repeating: 0, count: (Int(bits.max() ?? 0) / 64 + 1) * 8)
    for bit in bits { mask[Int(bit) / 8] |= 1 << (bit % 8) }
    for start in stride(from: 0, to: mask.count, by: 8) {
      let bytes = mask[start..<start + 8].map { " " + $0.hexadecimal(digits: 2) }
      append(line: prefix + bytes.joined())
    }
  }

  /// Adds the habits that were learned before the first event, if there are any.
  public mutating func append(_ habits: LearnedHabits) {
    guard !habits.isEmpty else { return }
    bytes.appendLine { $0.append("# usual hold: ", seconds: habits.usualHold) }
    for key in habits.keys {
      bytes.appendLine { line in
        line.append("# learned: ", hexadecimal: key.code)
        line.append(key.offset < 0 ? " -" : " ", seconds: abs(key.offset))
        let isSure = key.badFor == nil || key.evidence == LearnedHabits.evidence.upperBound
        let isLate = key.reach > 0 || key.lateDropOuts > 0 || !isSure
        if let presses = key.badFor {
          line.append(" ", UInt64(max(0, presses)))
        } else if isLate {
          line.append(" -")
        }
        if isLate { line.append(" ", seconds: key.reach) }
        if key.lateDropOuts > 0 || !isSure { line.append(" ", UInt64(key.lateDropOuts)) }
        if !isSure { line.append(" ", UInt64(key.evidence)) }
      }
    }
  }

  /// Adds a raw frame. Allocates nothing while there is room.
  public mutating func append(raw frame: borrowing Frame) {
    let time = frame.time
    frame.events.withUnsafeBufferPointer { append($0, at: time, behind: "E: ") }
  }

  /// Adds a frame that was passed on. Allocates nothing while there is room.
  public mutating func append(clean events: UnsafeBufferPointer<Event>, at time: Microseconds) {
    append(events, at: time, behind: "# clean: ")
  }

  /// Notes that the engine forgot what it had learned of a key; of all keys for `nil`.
  public mutating func appendReset(of key: KeyCode?, at time: Microseconds) {
    append(note: "# reset: ", at: time, key)
  }

  /// Notes that debouncing was paused or resumed. Each key follows as soon as it is idle.
  public mutating func append(isPaused: Bool, at time: Microseconds) {
    append(note: isPaused ? "# paused: " : "# resumed: ", at: time)
  }

  /// Notes that the device went, or was given back.
  public mutating func appendClosing(at time: Microseconds) {
    append(note: "# closed: ", at: time)
  }

  private mutating func append(
    note title: StaticString, at time: Microseconds, _ key: KeyCode? = nil
  ) {
    // Time counts from the first event, and a note is no event.
    let start = origin ?? time
    bytes.appendLine { line in
      line.append(title, seconds: time - start)
      if let key { line.append(" ", hexadecimal: key) }
    }
  }

  /// Empties ``bytes``, which the owner has taken.
  public mutating func removeBytes() {
    bytes.removeAll(keepingCapacity: true)
  }

  private mutating func append(
    _ events: UnsafeBufferPointer<Event>, at time: Microseconds, behind prefix: StaticString
  ) {
    let time = time - start(at: time)
    for index in events.indices { append(events[index], at: time, behind: prefix) }
    let report = Event(type: EventType.synchronisation, code: EventType.report, value: 0)
    append(report, at: time, behind: prefix)
  }

  private mutating func append(
    _ event: Event, at time: Microseconds, behind prefix: StaticString
  ) {
    bytes.appendLine { line in
      line.append(prefix, seconds: time)
      line.append(" ", hexadecimal: event.type)
      line.append(" ", hexadecimal: event.code)
      // evemu fills a value up to four characters, its sign included.
      let isNegative = event.value < 0
      line.append(
        isNegative ? " -" : " ", UInt64(event.value.magnitude), digits: isNegative ? 3 : 4)
    }
  }

  /// The moment since which times count. It is `time` if there was no event yet.
  mutating func start(at time: Microseconds) -> Microseconds {
    let start = origin ?? time
    origin = start
    return start
  }
}

/// A line that is put together in memory with enough room, and appended at once. Recordings have many such lines, which must
/// cost the daemon little.
struct LineText {
  /// The most bytes of a line. One that names ``RecordingText/mostHeld`` keys and has a number behind it is the longest. Up to
  /// 1024 bytes are on the stack.
  static let room = 768

  private let start: UnsafeMutablePointer<UInt8>
  private(set) var count = 0

  fileprivate init(_ start: UnsafeMutablePointer<UInt8>) {
    self.start = start
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    start[count] = byte
    count += 1
  }

  @inline(__always)
  mutating func append(_ text: StaticString) {
    (start + count).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    count += text.utf8CodeUnitCount
  }

  mutating func append(text: String) {
    for byte in text.utf8 { append(byte) }
  }

  @inline(__always)
  mutating func append(_ prefix: StaticString, seconds time: Microseconds) {
    let time = UInt64(max(0, time))
    append(prefix, time / 1_000_000)
    append(".", time % 1_000_000, digits: 6)
  }

  @inline(__always)
  mutating func append(_ prefix: StaticString, _ number: UInt64, digits: Int = 1) {
    append(prefix)
    // The digits are written from the last one on, 20 bytes ahead, because 64 bits have 20 digits at most.
    let end = start + count + 20
    var (length, rest) = (0, number)
    repeat {
      length += 1
      end[-length] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0 || length < digits
    (start + count).update(from: end - length, count: length)
    count += length
  }

  @inline(__always)
  mutating func append(_ prefix: StaticString, hexadecimal number: UInt16) {
    append(prefix)
    // A loop over a range would allocate in a debug build.
    var shift: UInt16 = 16
    while shift > 0 {
      shift -= 4
      let digit = UInt8(truncatingIfNeeded: number &>> shift & 0xf)
      append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
    }
  }
}

extension [UInt8] {
  /// Appends a line, with its end.
  @inline(__always)
  mutating func appendLine(_ fill: (inout LineText) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: LineText.room) { memory in
      guard let start = memory.baseAddress else { return }
      var line = LineText(start)
      fill(&line)
      line.append(UInt8(ascii: "\n"))
      append(contentsOf: UnsafeBufferPointer(start: start, count: line.count))
    }
  }
}

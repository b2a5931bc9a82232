import Debounce
import EventDevices

/// The text of a recording as it grows, in the form of `evemu-record` (version 1.3).
///
/// The raw events are the recording. What the engine knew before, and what it made of them, stands between in comments, so
/// that evemu's tools and `keydebounce replay` read the same file:
///
/// ```
/// # usual hold: 0.082000              what had been learned: how long keys are usually held, in seconds,
/// # learned: 001e -0.002500 873       by how much longer this key is, and for how many presses it is bad, if it is; then
///                                     after which gaps its late bounces came, if any did, with “-” where no presses stand
/// E: 0.133790 0001 001e 0000          raw: time, type, code, value
/// # clean: 0.133790 0001 001e 0000    what was passed on, and when
/// # reset: 1.250000 001e              what was learned of this key, or of all, was dropped
/// # paused: 1.500000                  from now on everything passes as it is, until “# resumed:”
/// # closed: 2.104000                  the device went or was given back; clean releases may follow
/// ```
///
/// Times are seconds since the first event recorded. What those read who watch a device has more lines: see
/// `OutcomeLines.swift`. Its times are those of the kernel's monotonic clock.
public struct RecordingText: Sendable {
  /// What has been added since the owner last took it away: bytes of UTF-8.
  public internal(set) var bytes: [UInt8] = []

  private var origin: Microseconds?
  /// Whether it says what had been learned.
  private var hasHabits = false

  /// Begins with the head.
  ///
  /// - Parameter origin: Since when times count, if not since the first event.
  public init(of device: RecordedDevice, eventsSince origin: Microseconds? = nil) {
    self.origin = origin
    let (identity, capabilities) = (device.identity, device.capabilities)
    append(line: "# EVEMU 1.3")
    // A name with a line break in it must not become lines of its own.
    let name = String.UnicodeScalarView(
      identity.name.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 })
    append(line: "N: " + String(name))
    append(
      line: "I: "
        + [identity.bus, identity.vendor, identity.product, identity.version]
        .map { $0.hexadecimal() }.joined(separator: " "))
    append(line: bitLine("P:", capabilities.properties))
    for (type, codes) in capabilities.codes.sorted(by: { $0.key < $1.key }) where !codes.isEmpty {
      append(line: bitLine("B: \(type.hexadecimal(digits: 2))", codes))
    }
    for axis in capabilities.axes {
      append(
        line: """
          A: \(axis.code.hexadecimal(digits: 2)) \(axis.minimum) \(axis.maximum) \(axis.fuzz) \(axis.flat) \
          \(axis.resolution)
          """)
    }
  }

  /// Adds what had been learned before the first event; nothing if that is nothing.
  public mutating func append(_ habits: LearnedHabits) {
    guard !habits.isEmpty else { return }
    hasHabits = true
    bytes.appendLine { line in
      line.append("# usual hold: ")
      line.append(seconds: habits.usualHold)
    }
    for key in habits.keys {
      bytes.appendLine { line in
        line.append("# learned: ")
        line.append(hexadecimal: key.code)
        line.append(key.offset < 0 ? " -" : " ")
        line.append(seconds: abs(key.offset))
        if let presses = key.badFor {
          line.append(" ")
          line.append(UInt64(max(0, presses)), digits: 1)
        }
        if key.reach > 0 || key.lateDropOuts > 0 {
          line.append(key.badFor == nil ? " - " : " ")
          line.append(seconds: key.reach)
        }
        if key.lateDropOuts > 0 {
          line.append(" ")
          line.append(UInt64(key.lateDropOuts), digits: 1)
        }
      }
    }
  }

  /// Begins with the events, whose times are seconds since `origin`.
  public init(eventsSince origin: Microseconds) {
    self.origin = origin
  }

  public mutating func append(raw events: some Sequence<Event>, at time: Microseconds) {
    append(events, at: time, prefix: "E: ")
  }

  /// Adds a raw frame. Allocates nothing while there is room.
  public mutating func append(raw frame: borrowing Frame) {
    let time = frame.time
    frame.events.withUnsafeBufferPointer { append($0, at: time, prefix: "E: ") }
  }

  /// Adds a raw frame that reports that events were lost (`SYN_DROPPED`), and what is different since.
  ///
  /// - Parameters:
  ///   - held: The keys that are down.
  ///   - before: Those that were down according to the recording.
  ///   - others: What else changed; its time is the moment. Keys among it, and scan codes, are left out.
  public mutating func append(
    resynchronisedTo held: KeySet, before: KeySet, others: borrowing Frame
  ) {
    append(raw: Frame.differences(to: held, from: before, others: others))
  }

  public mutating func append(clean events: some Sequence<Event>, at time: Microseconds) {
    append(events, at: time, prefix: "# clean: ")
  }

  /// Adds a frame that was passed on. Allocates nothing while there is room.
  public mutating func append(clean events: UnsafeBufferPointer<Event>, at time: Microseconds) {
    append(events, at: time, prefix: "# clean: ")
  }

  /// Notes that what was learned of a key was dropped; of all keys if it is `nil`.
  public mutating func appendReset(of key: KeyCode?, at time: Microseconds) {
    // Before all, there is nothing to drop.
    guard origin != nil || hasHabits else { return }
    appendNote("# reset: ", at: time, key)
  }

  /// Notes that from now on everything passes as it is, or no longer: each key from when it is idle.
  public mutating func append(isPaused: Bool, at time: Microseconds) {
    appendNote(isPaused ? "# paused: " : "# resumed: ", at: time)
  }

  /// Notes that the device went, or was given back.
  public mutating func appendClosing(at time: Microseconds) {
    appendNote("# closed: ", at: time)
  }

  private mutating func appendNote(
    _ title: StaticString, at time: Microseconds, _ key: KeyCode? = nil
  ) {
    // Time counts from the first event, and this is none.
    let time = origin == nil ? 0 : elapsed(time)
    bytes.appendLine { line in
      line.append(title)
      line.append(seconds: time)
      if let key {
        line.append(" ")
        line.append(hexadecimal: key)
      }
    }
  }

  /// Empties ``bytes``: they are on their way.
  public mutating func removeBytes() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// Apart, so that nothing is allocated for it where it is not specialised.
  private mutating func append(
    _ events: UnsafeBufferPointer<Event>, at time: Microseconds, prefix: StaticString
  ) {
    let time = elapsed(time)
    for index in events.indices { append(events[index], at: time, prefix: prefix) }
    append(Event(type: EventType.synchronisation, code: 0, value: 0), at: time, prefix: prefix)
  }

  private mutating func append(
    _ events: some Sequence<Event>, at time: Microseconds, prefix: StaticString
  ) {
    let time = elapsed(time)
    for event in events { append(event, at: time, prefix: prefix) }
    append(Event(type: EventType.synchronisation, code: 0, value: 0), at: time, prefix: prefix)
  }

  private mutating func append(_ event: Event, at time: Microseconds, prefix: StaticString) {
    bytes.appendLine { line in
      line.append(prefix)
      line.append(seconds: time)
      line.append(UInt8(ascii: " "))
      line.append(hexadecimal: event.type)
      line.append(UInt8(ascii: " "))
      line.append(hexadecimal: event.code)
      line.append(UInt8(ascii: " "))
      // Four characters with the sign, as evemu has it.
      if event.value < 0 { line.append(UInt8(ascii: "-")) }
      line.append(UInt64(event.value.magnitude), digits: event.value < 0 ? 3 : 4)
    }
  }

  private mutating func append(line: String) {
    bytes.append(contentsOf: line.utf8)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// The time since the first that was asked for.
  mutating func elapsed(_ time: Microseconds) -> Microseconds {
    let start = origin ?? time
    origin = start
    return max(0, time - start)
  }
}

/// A line of bit masks, eight bytes or a multiple of it, as evemu expects.
private func bitLine(_ prefix: String, _ bits: [UInt16]) -> String {
  let words = Int(bits.max() ?? 0) / 64 + 1
  var mask = [UInt8](repeating: 0, count: words * 8)
  for bit in bits { mask[Int(bit) / 8] |= 1 << (bit % 8) }
  return stride(from: 0, to: mask.count, by: 8).map { start in
    prefix + " " + mask[start..<start + 8].map { $0.hexadecimal(digits: 2) }.joined(separator: " ")
  }.joined(separator: "\n")
}

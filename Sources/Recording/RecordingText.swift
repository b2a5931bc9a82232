import Debounce

/// The text of a recording as it grows, in the form of `evemu-record` (version 1.3).
///
/// The raw events are the recording. What the engine made of them may stand between, in comments, so that
/// evemu's tools and ``replay`` read the same file:
///
/// ```
/// E: 0.133790 0001 001e 0000          raw: time, type, code, value
/// # clean: 0.133790 0001 001e 0000    what was passed on, and when
/// # closed: 2.104000                  the device went or was given back; clean releases may follow
/// ```
///
/// Times are seconds since the first event recorded.
public struct RecordingText: Sendable {
  /// What has been added since the owner last took it away: bytes of UTF-8.
  public private(set) var bytes: [UInt8] = []

  private var origin: Microseconds?

  /// Begins with the head.
  public init(of device: RecordedDevice) {
    append(line: "# EVEMU 1.3")
    // A name with a line break in it must not become lines of its own.
    append(line: "N: " + String(device.name.map { $0.isNewline ? " " : $0 }))
    append(
      line: "I: "
        + [device.bus, device.vendor, device.product, device.version].map { hex($0, digits: 4) }
        .joined(separator: " "))
    append(line: bitLine("P:", device.properties))
    for (type, codes) in device.codes.sorted(by: { $0.key < $1.key }) where !codes.isEmpty {
      append(line: bitLine("B: \(hex(type, digits: 2))", codes))
    }
    for axis in device.axes {
      append(
        line: """
          A: \(hex(axis.code, digits: 2)) \(axis.minimum) \(axis.maximum) \(axis.fuzz) \(axis.flat) \
          \(axis.resolution)
          """)
    }
  }

  /// Adds a raw frame.
  public mutating func append(raw events: some Sequence<Event>, at time: Microseconds) {
    append(events, at: time, prefix: "E: ")
  }

  /// Adds a frame that was passed on.
  public mutating func append(clean events: some Sequence<Event>, at time: Microseconds) {
    append(events, at: time, prefix: "# clean: ")
  }

  /// Notes that the device went, or was given back.
  public mutating func appendClosing(at time: Microseconds) {
    append(line: "# closed: " + seconds(time))
  }

  /// Empties ``bytes``: they are on their way.
  public mutating func removeBytes() {
    bytes.removeAll(keepingCapacity: true)
  }

  private mutating func append(
    _ events: some Sequence<Event>, at time: Microseconds, prefix: String
  ) {
    let stamp = seconds(time)
    for event in events { append(event, stamp: stamp, prefix: prefix) }
    append(Event(type: EventType.synchronisation, code: 0, value: 0), stamp: stamp, prefix: prefix)
  }

  private mutating func append(_ event: Event, stamp: String, prefix: String) {
    append(
      line: "\(prefix)\(stamp) \(hex(event.type, digits: 4)) \(hex(event.code, digits: 4)) "
        + padded(String(event.value), to: 4))
  }

  private mutating func append(line: String) {
    bytes.append(contentsOf: line.utf8)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// The time as seconds since the first that was asked for.
  private mutating func seconds(_ time: Microseconds) -> String {
    let start = origin ?? time
    origin = start
    let elapsed = max(0, time - start)
    return "\(elapsed / 1_000_000).\(padded(String(elapsed % 1_000_000), to: 6))"
  }
}

private func hex(_ value: UInt16, digits: Int) -> String {
  padded(String(value, radix: 16), to: digits)
}

private func padded(_ digits: String, to width: Int) -> String {
  String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

/// A line of bit masks, eight bytes or a multiple of it, as evemu expects.
private func bitLine(_ prefix: String, _ bits: [UInt16]) -> String {
  let words = Int(bits.max() ?? 0) / 64 + 1
  var mask = [UInt8](repeating: 0, count: words * 8)
  for bit in bits { mask[Int(bit) / 8] |= 1 << (bit % 8) }
  return stride(from: 0, to: mask.count, by: 8).map { start in
    prefix + " " + mask[start..<start + 8].map { hex(UInt16($0), digits: 2) }.joined(separator: " ")
  }.joined(separator: "\n")
}

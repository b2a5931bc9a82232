import Debounce
import EventDevices

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
/// A comment may stand behind any of them but the name.
extension RecordingParser {
  /// The largest mask that is believed: that of the keys.
  private static let longestMask = EventType.keyCount / 8
  /// `EV_MAX`, and `ABS_MAX`.
  private static let lastType: UInt16 = 0x1f
  private static let lastAxis: UInt16 = 0x3f

  /// Reads what follows `E:`.
  mutating func readEvent(_ start: LineCursor) throws(RecordingError) -> Entry? {
    form = .evemu
    let (event, time) = try readFields(start)
    return try take(event, at: time, start)
  }

  /// Reads a line that begins with `#`.
  mutating func readComment(_ start: LineCursor) throws(RecordingError) -> Entry? {
    var cursor = start
    if cursor.take("# clean:") {
      let (event, time) = try readFields(cursor)
      return try take(clean: event, at: time, start)
    }
    if cursor.take("# outcome:") {
      return try readOutcome(cursor, start)
    }
    if cursor.take("# lost:") {
      return try readLoss(cursor, start)
    }
    if cursor.take("# paused:") {
      return .paused(true, at: try readTime(&cursor))
    }
    if cursor.take("# resumed:") {
      return .paused(false, at: try readTime(&cursor))
    }
    if cursor.take("# closed:") {
      return .closed(at: try readTime(&cursor))
    }
    if cursor.take("# reset:") {
      return try readReset(cursor, start)
    }
    if cursor.take("# usual hold:") {
      try readUsualHold(cursor, start)
      return nil
    }
    if cursor.take("# learned:") {
      try readLearned(cursor, start)
      return nil
    }
    if cursor.take("# EVEMU ") {
      form = .evemu
      // A new minor version adds lines; they are left out. A new major one is another format.
      guard cursor.decimal() == 1, cursor.take("."), cursor.decimal() != nil, cursor.isAtComment()
      else { throw error(start, "the version of a recording, 1.0 to 1.3") }
    }
    return nil
  }

  /// Time, type, code and value of an event.
  private func readFields(
    _ start: LineCursor
  ) throws(RecordingError) -> (Event, Microseconds) {
    var cursor = start
    let time = try readTime(&cursor)
    guard let type = cursor.hexadecimalField(UInt16.self),
      let code = cursor.hexadecimalField(UInt16.self), let value = cursor.decimalField(),
      cursor.isAtComment()
    else { throw error(start, "an event: seconds, type and code in hexadecimal, value") }
    return (Event(type: type, code: code, value: value), time)
  }

  private func readTime(_ cursor: inout LineCursor) throws(RecordingError) -> Microseconds {
    let start = cursor
    cursor.skipBlanks()
    guard let time = cursor.seconds() else {
      throw error(start, "a time in seconds, such as 12.345678")
    }
    return time
  }
}

// MARK: - The head

extension RecordingParser {
  /// Reads a line of the head.
  mutating func readHead(_ start: LineCursor) throws(RecordingError) -> Bool {
    var cursor = start
    if cursor.take("N:") {
      cursor.skipBlanks()
      device.identity.name = String(decoding: cursor.rest, as: UTF8.self)
    } else if cursor.take("I:") {
      try readNumbers(cursor)
    } else if cursor.take("P:") {
      let bits = try readMask(&cursor, from: propertyBytes)
      propertyBytes += 8
      device.capabilities.properties += bits
    } else if cursor.take("B:") {
      guard let type = cursor.hexadecimalField(UInt16.self), type <= Self.lastType else {
        throw error(start, "an event type and eight bytes, all hexadecimal")
      }
      let bits = try readMask(&cursor, from: codeBytes[type, default: 0])
      codeBytes[type, default: 0] += 8
      if !bits.isEmpty { device.capabilities.codes[type, default: []] += bits }
    } else if cursor.take("A:") {
      try readAxis(cursor)
    } else if cursor.take("L:") || cursor.take("S:") {
      guard cursor.hexadecimalField(UInt16.self) != nil, cursor.decimalField() != nil,
        cursor.isAtComment()
      else { throw error(start, "a number in hexadecimal and a state") }
    } else {
      return false
    }
    form = .evemu
    return true
  }

  private mutating func readNumbers(_ start: LineCursor) throws(RecordingError) {
    var cursor = start
    guard let bus = cursor.hexadecimalField(UInt16.self),
      let vendor = cursor.hexadecimalField(UInt16.self),
      let product = cursor.hexadecimalField(UInt16.self),
      let version = cursor.hexadecimalField(UInt16.self), cursor.isAtComment()
    else { throw error(start, "four hexadecimal numbers (bus, vendor, product, version)") }
    device.identity.bus = bus
    device.identity.vendor = vendor
    device.identity.product = product
    device.identity.version = version
  }

  /// Reads eight bytes of a mask.
  ///
  /// - Parameter first: How many bytes of it were in the lines before.
  /// - Returns: The bits that are set.
  private func readMask(
    _ cursor: inout LineCursor, from first: Int
  ) throws(RecordingError) -> [UInt16] {
    guard first < Self.longestMask else {
      throw error(cursor, "no more than \(Self.longestMask) bytes of one mask")
    }
    var bits: [UInt16] = []
    for index in first..<first + 8 {
      guard let byte = cursor.hexadecimalField(UInt8.self) else {
        throw error(cursor, "eight hexadecimal bytes")
      }
      for bit in 0..<8 where byte & 1 << bit != 0 { bits.append(UInt16(index * 8 + bit)) }
    }
    guard cursor.isAtComment() else { throw error(cursor, "eight hexadecimal bytes") }
    return bits
  }

  private mutating func readAxis(_ start: LineCursor) throws(RecordingError) {
    var cursor = start
    guard let code = cursor.hexadecimalField(UInt16.self), code <= Self.lastAxis,
      let minimum = cursor.decimalField(), let maximum = cursor.decimalField(),
      let fuzz = cursor.decimalField(), let flat = cursor.decimalField()
    else {
      throw error(
        start, "an axis in hexadecimal, minimum, maximum, fuzz, flat and perhaps resolution")
    }
    let resolution = cursor.isAtComment() ? 0 : cursor.decimalField()
    guard let resolution, cursor.isAtComment() else {
      throw error(start, "a resolution, or nothing more")
    }
    // One axis a code, however often it is described.
    device.capabilities.axes.removeAll { $0.code == code }
    device.capabilities.axes.append(
      AbsoluteAxis(
        code: code, minimum: minimum, maximum: maximum, fuzz: fuzz, flat: flat,
        resolution: resolution))
  }
}

import Debounce
import EventDevices

/// The lines that evtest prints:
///
/// ```
/// Input device ID: bus 0x3 vendor 0x3434 product 0x120 version 0x111
/// Input device name: "name of the device"
/// Event: time 117.021132, type 1 (EV_KEY), code 30 (KEY_A), value 1
/// Event: time 117.021132, -------------- SYN_REPORT ------------
/// ```
///
/// Older versions write “Report Sync”. Scan codes are hexadecimal, all other numbers decimal. What is typed while
/// evtest runs shows up in the same terminal, so other characters may stand before an event.
extension RecordingParser {
  /// `MSC_RAW`, whose values are printed in hexadecimal as scan codes are.
  private static let rawScan: UInt16 = 3

  /// Reads a line if it is one of evtest's.
  mutating func readPrinted(_ start: LineCursor) throws(RecordingError) -> Entry? {
    var cursor = start
    if cursor.take(through: "Event: time ") {
      form = .evtest
      return try readPrintedEvent(&cursor, start)
    }
    if cursor.take("Input driver version is ") {
      form = .evtest
    } else if cursor.take("Input device ID:") {
      form = .evtest
      guard cursor.take(through: "bus "), let bus = cursor.hexadecimal(UInt16.self),
        cursor.take(through: "vendor "), let vendor = cursor.hexadecimal(UInt16.self),
        cursor.take(through: "product "), let product = cursor.hexadecimal(UInt16.self),
        cursor.take(through: "version "), let version = cursor.hexadecimal(UInt16.self)
      else { throw error(start, "bus, vendor, product and version in hexadecimal") }
      device.identity.bus = bus
      device.identity.vendor = vendor
      device.identity.product = product
      device.identity.version = version
    } else if cursor.take("Input device name: \"") {
      form = .evtest
      let name = cursor.rest
      device.identity.name = String(
        decoding: name.last == UInt8(ascii: "\"") ? name.dropLast() : name, as: UTF8.self)
    }
    return nil
  }

  private mutating func readPrintedEvent(
    _ cursor: inout LineCursor, _ start: LineCursor
  ) throws(RecordingError) -> Entry? {
    guard let time = cursor.seconds(), cursor.take(",") else {
      throw error(start, "a time in seconds, such as 12.345678, and a comma")
    }
    cursor.skipBlanks()
    guard cursor.take("type ") else {
      guard let code = synchronisation(cursor) else {
        throw error(start, "a type, a code and a value, or the name of a SYN event")
      }
      return try take(
        Event(type: EventType.synchronisation, code: code, value: 0), at: time, start)
    }
    guard let type = cursor.decimal().flatMap(UInt16.init(exactly:)),
      cursor.take(through: ", code "), let code = cursor.decimal().flatMap(UInt16.init(exactly:)),
      cursor.take(through: ", value "),
      let value = readPrintedValue(&cursor, type: type, code: code), cursor.isAtComment()
    else { throw error(start, "an event: type, code and value as numbers") }
    return try take(Event(type: type, code: code, value: value), at: time, start)
  }

  private func readPrintedValue(
    _ cursor: inout LineCursor, type: UInt16, code: UInt16
  ) -> Int32? {
    let isScan = type == EventType.miscellaneous && (code == EventType.scan || code == Self.rawScan)
    return isScan
      ? cursor.hexadecimal(UInt32.self).map { Int32(bitPattern: $0) } : cursor.decimal()
  }

  /// The code of the SYN event that is named.
  private func synchronisation(_ start: LineCursor) -> UInt16? {
    let names: [(StaticString, UInt16)] = [
      ("SYN_REPORT", EventType.report), ("Report Sync", EventType.report),
      ("SYN_DROPPED", EventType.dropped), ("SYN_MT_REPORT", 2), ("SYN_CONFIG", 1),
      ("Config Sync", 1),
    ]
    for (name, code) in names {
      var cursor = start
      if cursor.take(through: name) { return code }
    }
    return nil
  }
}

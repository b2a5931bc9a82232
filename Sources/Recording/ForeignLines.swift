import Debounce
import EventDevices

/// The forms of recordings that people have at hand, besides evemu's, when they ask for help:
///
/// ```
/// Event: time 117.021132, type 1 (EV_KEY), code 36 (KEY_J), value 1          evtest
/// - [  1, 190391,   1,  36,       1] # EV_KEY / KEY_J  1                  libinput record: YAML
/// -event3  KEYBOARD_KEY            +1.190s	KEY_J (36) pressed               libinput debug-events --show-keycodes
/// ```
///
/// Most of them lack something, and ``RecordingParser/notes`` says what that costs.
extension RecordingParser {
  /// Reads a line if it has one of these forms.
  mutating func readForeign(_ line: LineCursor) throws(BadLine) -> Entry? {
    // A form that knows the line is the recording's: those behind it are not tried.
    if form == nil || form == .evtest, let entry = try readEvtest(line) { return entry }
    if form == nil || form == .libinputRecord, let entry = try readRecord(line) { return entry }
    return try form == nil || form == .debugEvents ? readDebugEvent(line) : nil
  }
}

/// The state between the lines of a recording that is not evemu's.
struct ForeignState: Sendable {
  /// The device of the first key.
  var node: String?
  /// The names of devices, until the first event of each.
  var names: [String: String] = [:]
  /// The number of devices that a recording of libinput's has described.
  var devices = 0
  /// The keys that moved in a recording of libinput's, and the presses of KEY_A, for which it may replace all letters.
  var keys = KeySet()
  var presses = 0
}

// MARK: - evtest

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
  /// `MSC_RAW`. Its values are printed in hexadecimal, like scan codes.
  private static let rawScan: UInt16 = 3

  private static let synchronisations: [(name: StaticString, code: UInt16)] = [
    ("SYN_REPORT", EventType.report), ("Report Sync", EventType.report),
    ("SYN_DROPPED", EventType.dropped), ("SYN_MT_REPORT", 2), ("SYN_CONFIG", 1),
    ("Config Sync", 1),
  ]

  private mutating func readEvtest(_ line: LineCursor) throws(BadLine) -> Entry? {
    var cursor = line
    if cursor.take(through: "Event: time ") {
      form = .evtest
      return try readPrintedEvent(&cursor)
    }
    if cursor.take("Input driver version is ") {
      form = .evtest
    } else if cursor.take("Input device ID:") {
      form = .evtest
      let words: [StaticString] = ["bus ", "vendor ", "product ", "version "]
      let numbers: [UInt16] = words.compactMap {
        cursor.take(through: $0) ? cursor.hexadecimal() : nil
      }
      try identify { (identity) throws(BadLine) in try identity.setNumbers(numbers) }
    } else if cursor.take("Input device name: \"") {
      form = .evtest
      let name = cursor.rest
      try identify {
        $0.name = String(
          decoding: name.last == UInt8(ascii: "\"") ? name.dropLast() : name, as: UTF8.self)
      }
    }
    return nil
  }

  private mutating func readPrintedEvent(_ cursor: inout LineCursor) throws(BadLine) -> Entry? {
    guard let time = cursor.moment(), cursor.take(",") else {
      throw BadLine(expected: "a time in seconds, such as 12.345678, and a comma")
    }
    cursor.skipBlanks()
    guard cursor.take("type ") else {
      guard let (_, code) = Self.synchronisations.first(where: { cursor.take(through: $0.name) })
      else {
        throw BadLine(expected: "a type, a code and a value, or the name of a SYN event")
      }
      return try take(
        Event(type: EventType.synchronisation, code: code, value: 0), at: time)
    }
    guard let type: UInt16 = cursor.decimal(), cursor.take(through: ", code "),
      let code: UInt16 = cursor.decimal(), cursor.take(through: ", value ")
    else { throw BadLine(expected: "an event: type, code and value as numbers") }
    let isScan = type == EventType.miscellaneous && [EventType.scan, Self.rawScan].contains(code)
    let bits: UInt32? = isScan ? cursor.hexadecimal() : nil
    let value = isScan ? bits.map(Int32.init(bitPattern:)) : cursor.decimal()
    guard let value, cursor.isAtComment() else {
      throw BadLine(expected: "an event: type, code and value as numbers")
    }
    return try take(Event(type: type, code: code, value: value), at: time)
  }
}

// MARK: - libinput record

extension RecordingParser {
  private mutating func readRecord(_ line: LineCursor) throws(BadLine) -> Entry? {
    var cursor = line
    if form == nil {
      guard cursor.take("# libinput record") || cursor.take("libinput:") || cursor.isAt("- [")
      else { return nil }
      form = .libinputRecord
    }
    if cursor.take("- node:") {
      foreign.devices += 1
      if hasBegun {
        note("events of several devices: those of the first one are read, others are left out")
      }
      return nil
    }
    // libinput lists one device after the other, and time begins anew with each.
    if foreign.devices > 1, hasBegun { return nil }
    if cursor.take("name:") {
      cursor.skipBlanks()
      let name = cursor.rest.filter { $0 != UInt8(ascii: "\"") }
      if !name.isEmpty { device.identity.name = String(decoding: name, as: UTF8.self) }
      return nil
    }
    if cursor.take("id: [") {
      let numbers = cursor.numbers().map { UInt16(truncatingIfNeeded: $0) }
      try device.identity.setNumbers(numbers, "decimal")
      return nil
    }
    guard cursor.take("- [") else { return nil }
    let numbers = cursor.numbers()
    guard numbers.count == 5, let type = UInt16(exactly: numbers[2]),
      let code = UInt16(exactly: numbers[3]), let value = Int32(exactly: numbers[4]),
      numbers[0] >= 0, (0..<1_000_000).contains(numbers[1])
    else { throw BadLine(expected: "seconds, microseconds, type, code and value") }
    if type == EventType.key { noteHiddenKeys(code, value) }
    return try take(
      Event(type: type, code: code, value: value), at: numbers[0] * 1_000_000 + numbers[1])
  }

  /// Notes that libinput shows all letters as one key, once that is clear.
  private mutating func noteHiddenKeys(_ code: KeyCode, _ value: Int32) {
    // libinput hides only the keys of a typewriter.
    if (1..<85).contains(code) { foreign.keys.insert(code) }
    if code == 30, value == 1 { foreign.presses += 1 }
    if foreign.presses > 20, foreign.keys == KeySet([30]) {
      note(
        "every letter is KEY_A: “libinput record” hides keys. Record again with --show-keycodes; here, "
          + "strokes of different keys look like strokes of one")
    }
  }
}

// MARK: - libinput debug-events

extension RecordingParser {
  private static let debugEvents: [StaticString] = ["DEVICE_ADDED", "KEYBOARD_KEY", "POINTER_"]

  private mutating func readDebugEvent(_ line: LineCursor) throws(BadLine) -> Entry? {
    var cursor = line
    _ = cursor.take("-")
    let node = cursor.word()
    cursor.skipBlanks()
    guard node.hasPrefix("event"), form != nil || Self.debugEvents.contains(where: cursor.isAt)
    else { return nil }
    form = .debugEvents
    if cursor.take("DEVICE_ADDED") {
      cursor.skipBlanks()
      let text = String(decoding: cursor.rest, as: UTF8.self)
      // The limit keeps a hostile file from filling memory.
      if foreign.names.count < 256, let end = text.ranges(of: " seat").last {
        let name = text[..<end.lowerBound]
        foreign.names[node] = String(name.reversed().drop { $0 == " " }.reversed())
      }
      return nil
    }
    guard cursor.take("KEYBOARD_KEY") || cursor.take("POINTER_BUTTON"), cursor.take(through: "+")
    else { return nil }
    guard let time = cursor.moment(), cursor.take("s") else {
      throw BadLine(expected: "a time, such as +1.234s")
    }
    guard cursor.take(through: "("), let code: KeyCode = cursor.decimal(), cursor.take(")") else {
      throw BadLine(
        expected: "a key by its number, which “libinput debug-events --show-keycodes” prints")
    }
    cursor.skipBlanks()
    let isPress = cursor.take("pressed")
    guard isPress || cursor.take("released") else {
      throw BadLine(expected: "“pressed” or “released”")
    }
    let first = foreign.node ?? node
    foreign.node = first
    guard node == first else {
      note("events of several devices: those of /dev/input/\(first) are read, others are left out")
      return nil
    }
    if let name = foreign.names.removeValue(forKey: node) { device.identity.name = name }
    note(
      "“libinput debug-events” rounds times to milliseconds. It does not show bounces of mouse buttons that libinput "
        + "removed")
    try advance(to: time)
    return .raw(Frame(time: time, [.key(code, down: isPress)]))
  }
}

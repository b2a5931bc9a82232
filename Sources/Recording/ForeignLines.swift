import Debounce
import EventDevices

/// What people have at hand when they ask for help, besides evemu's and evtest's recordings:
///
/// ```
/// - [  1, 190391,   1,  36,       1] # EV_KEY / KEY_J  1                  libinput record: YAML
/// -event3  KEYBOARD_KEY            +1.190s	KEY_J (36) pressed               libinput debug-events --show-keycodes
/// [   11234.190391] /dev/input/event2: EV_KEY  KEY_J  DOWN                  getevent -lt, and without names
/// KeyPress event, serial 34, synthetic NO, window 0x2400001,                xev: three lines that matter
///     root 0x1d5, subw 0x0, time 2763634, (117,113), root:(1077,553),
///     state 0x0, keycode 44 (keysym 0x6a, j), same_screen YES,
/// ```
///
/// Most of them lack something: ``RecordingParser/notes`` says what that costs.
extension RecordingParser {
  /// Reads a line if it is one of these.
  mutating func readForeign(_ start: LineCursor) throws(RecordingError) -> Entry? {
    switch form {
    case .libinputRecord: return try readRecord(start)
    case .debugEvents: return try readDebugEvent(start)
    case .getevent: return try readGetevent(start)
    case .xev: return try readXev(start)
    case .evemu, .evtest: return nil
    case nil: break
    }
    var cursor = start
    if cursor.take("# libinput record") || cursor.take("libinput:") {
      form = .libinputRecord
    } else if cursor.take("- [") {
      return try readRecord(start)
    } else if cursor.take("[") {
      return try readGetevent(start)
    } else if Self.xevTitles.contains(where: { start.line.starts(with: $0.name.utf8) }) {
      return try readXev(start)
    } else if cursor.takeNode() != nil, isDebugEvent(cursor) {
      return try readDebugEvent(start)
    }
    return nil
  }

  /// Notes from which device the recording is, when its first event comes.
  ///
  /// - Returns: Whether an event of that device belongs to it.
  private mutating func belongs(_ node: String) -> Bool {
    if foreign.node == nil { foreign.node = node }
    guard foreign.node != node else { return true }
    note(
      "events of several devices: those of \(foreign.node ?? node) are read, others are left out")
    return false
  }
}

/// What is known between the lines of a recording that is not evemu's.
struct ForeignState: Sendable {
  /// The device of the first key.
  var node: String?
  /// How many devices a recording of libinput's has described.
  var devices = 0
  /// The keys that moved in a recording of libinput's, and how often its only one was pressed.
  var keys = KeySet()
  var presses = 0

  // Of xev:
  /// The event that is being read: whether it is a press, and of a button.
  var pending: (isPress: Bool, isButton: Bool)?
  var time: Microseconds?
  /// A release that may be half of an autorepeat.
  var release: (key: KeyCode, time: Microseconds)?
}

// MARK: - libinput record

extension RecordingParser {
  private mutating func readRecord(_ start: LineCursor) throws(RecordingError) -> Entry? {
    form = .libinputRecord
    var cursor = start
    if cursor.take("- node:") {
      foreign.devices += 1
      if hasBegun {
        note("events of several devices: those of the first one are read, others are left out")
      }
      return nil
    }
    // One device after the other: time begins anew with each.
    if foreign.devices > 1, hasBegun { return nil }
    if cursor.take("name:") {
      cursor.skipBlanks()
      let name = cursor.rest.filter { $0 != UInt8(ascii: "\"") }
      if !name.isEmpty { device.identity.name = String(decoding: name, as: UTF8.self) }
      return nil
    }
    if cursor.take("id: [") {
      let numbers = readNumbers(&cursor)
      guard numbers.count == 4 else { throw error(start, "bus, vendor, product and version") }
      device.identity.bus = UInt16(truncatingIfNeeded: numbers[0])
      device.identity.vendor = UInt16(truncatingIfNeeded: numbers[1])
      device.identity.product = UInt16(truncatingIfNeeded: numbers[2])
      device.identity.version = UInt16(truncatingIfNeeded: numbers[3])
      return nil
    }
    guard cursor.take("- [") else { return nil }
    let numbers = readNumbers(&cursor)
    guard numbers.count == 5, let type = UInt16(exactly: numbers[2]),
      let code = UInt16(exactly: numbers[3]), let value = Int32(exactly: numbers[4]),
      numbers[0] >= 0, (0..<1_000_000).contains(numbers[1])
    else { throw error(start, "seconds, microseconds, type, code and value") }
    if type == EventType.key {
      // Only those of a typewriter are hidden.
      if (1..<85).contains(code) { foreign.keys.insert(code) }
      if code == 30, value == 1 { foreign.presses += 1 }
      if foreign.presses > 20, foreign.keys == KeySet([30]) {
        note(
          "every letter is KEY_A: “libinput record” hides keys. Record again with --show-keycodes; here, "
            + "strokes of different keys look like strokes of one")
      }
    }
    return try take(
      Event(type: type, code: code, value: value), at: numbers[0] * 1_000_000 + numbers[1], start)
  }

  /// Numbers with commas between them, up to a bracket.
  private func readNumbers(_ cursor: inout LineCursor) -> [Int64] {
    var numbers: [Int64] = []
    while numbers.count < 8 {
      cursor.skipBlanks()
      guard let number = cursor.decimal() else { break }
      numbers.append(Int64(number))
      cursor.skipBlanks()
      if !cursor.take(",") { break }
    }
    return cursor.take("]") ? numbers : []
  }
}

// MARK: - libinput debug-events

extension RecordingParser {
  private func isDebugEvent(_ cursor: LineCursor) -> Bool {
    for word in ["DEVICE_ADDED", "KEYBOARD_KEY", "POINTER_"] {
      var rest = cursor
      rest.skipBlanks()
      if rest.rest.starts(with: word.utf8) { return true }
    }
    return false
  }

  private mutating func readDebugEvent(_ start: LineCursor) throws(RecordingError) -> Entry? {
    form = .debugEvents
    var cursor = start
    guard let node = cursor.takeNode() else { return nil }
    cursor.skipBlanks()
    guard cursor.take("KEYBOARD_KEY") || cursor.take("POINTER_BUTTON"), cursor.take(through: "+")
    else { return nil }
    guard let time = cursor.seconds(), cursor.take("s") else {
      throw error(start, "a time, such as +1.234s")
    }
    guard cursor.take(through: "("), let code = cursor.decimal().flatMap(KeyCode.init(exactly:)),
      cursor.take(")")
    else {
      throw error(
        start, "a key by its number, which “libinput debug-events --show-keycodes” prints")
    }
    cursor.skipBlanks()
    let isPress = cursor.take("pressed")
    guard isPress || cursor.take("released") else { throw error(start, "“pressed” or “released”") }
    guard belongs("/dev/input/\(node)") else { return nil }
    note(
      "“libinput debug-events” rounds times to milliseconds. It does not show bounces of mouse buttons that libinput "
        + "removed")
    return try takeFrame(code, isPress, at: time, start)
  }

  /// A frame that is known by one line.
  private mutating func takeFrame(
    _ key: KeyCode, _ isPress: Bool, at time: Microseconds, _ start: LineCursor
  ) throws(RecordingError) -> Entry? {
    _ = try take(.key(key, down: isPress), at: time, start)
    return try take(
      Event(type: EventType.synchronisation, code: EventType.report, value: 0), at: time, start)
  }
}

// MARK: - getevent

extension RecordingParser {
  private mutating func readGetevent(_ start: LineCursor) throws(RecordingError) -> Entry? {
    var cursor = start
    guard cursor.take("[") else { return nil }
    cursor.skipBlanks()
    guard let time = cursor.seconds() else { return nil }
    cursor.skipBlanks()
    guard cursor.take("]") else { return nil }
    cursor.skipBlanks()
    var node: String?
    if cursor.rest.starts(with: "/dev/".utf8) {
      node = String(decoding: cursor.rest.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
      guard cursor.take(through: ":") else { return nil }
    }
    let fields = cursor.rest.split(separator: UInt8(ascii: " ")).map {
      String(decoding: $0, as: UTF8.self)
    }
    // The kernel's log has lines that begin so, too.
    guard fields.count == 3, let type = number(fields[0]) else { return nil }
    form = .getevent
    if let node, !belongs(node) { return nil }
    guard let code = number(fields[1]), let value = valueNumber(fields[2]) else {
      // Of other events than keys, the names say nothing that is needed.
      guard type == EventType.key else { return nil }
      throw error(start, "a key by its name or its number, and DOWN, UP or a number")
    }
    return try take(Event(type: type, code: code, value: value), at: time, start)
  }

  /// A type or a code, by its name or in hexadecimal.
  private func number(_ text: String) -> UInt16? {
    let names = [
      "EV_SYN": EventType.synchronisation, "EV_KEY": EventType.key,
      "EV_MSC": EventType.miscellaneous, "SYN_REPORT": EventType.report,
      "SYN_DROPPED": EventType.dropped, "MSC_SCAN": EventType.scan,
    ]
    return names[text] ?? keyNamed(text) ?? UInt16(text, radix: 16)
  }

  private func valueNumber(_ text: String) -> Int32? {
    ["UP": 0, "DOWN": 1, "REPEAT": 2][text]
      ?? UInt32(text, radix: 16).map { Int32(bitPattern: $0) }
  }
}

// MARK: - xev

extension RecordingParser {
  private static let xevTitles: [(name: String, isPress: Bool, isButton: Bool)] = [
    ("KeyPress event", true, false), ("KeyRelease event", false, false),
    ("ButtonPress event", true, true), ("ButtonRelease event", false, true),
  ]

  /// X's key codes are the kernel's and 8.
  private static let keyCodesOfX = 8

  private mutating func readXev(_ start: LineCursor) throws(RecordingError) -> Entry? {
    form = .xev
    var cursor = start
    for (name, isPress, isButton) in Self.xevTitles where start.line.starts(with: name.utf8) {
      note(
        "xev shows what the X server passed on, in whole milliseconds. It does not show what happened within one, nor "
          + "bounces of mouse buttons that libinput removed")
      foreign.pending = (isPress, isButton)
      foreign.time = nil
      return nil
    }
    guard let pending = foreign.pending else { return nil }
    if cursor.take(through: " time "), let time = cursor.decimalNumber() {
      foreign.time = time * 1000
      return nil
    }
    cursor = start
    guard let time = foreign.time, cursor.take(through: pending.isButton ? "button " : "keycode "),
      let number = cursor.decimal()
    else { return nil }
    foreign.pending = nil
    guard
      let key = pending.isButton
        ? Self.button(number) : KeyCode(exactly: Int(number) - Self.keyCodesOfX),
      Int(key) < EventType.keyCount
    else { return nil }
    return try takeXev(key, pending.isPress, at: time, start)
  }

  private mutating func takeXev(
    _ key: KeyCode, _ isPress: Bool, at time: Microseconds, _ start: LineCursor
  ) throws(RecordingError) -> Entry? {
    let before = foreign.release
    foreign.release = nil
    // The server makes a release and a press at one time for each repeat.
    if isPress, let before, before == (key, time) { return nil }
    var entry: Entry?
    if let before { entry = try takeFrame(before.key, false, at: before.time, start) }
    guard isPress else {
      foreign.release = (key, time)
      return entry
    }
    let press = try takeFrame(key, true, at: time, start)
    guard let entry else { return press }
    later = press
    return entry
  }

  /// The release that was kept, in case that a repeat followed.
  mutating func finishXev() -> Entry? {
    guard let release = foreign.release else { return nil }
    foreign.release = nil
    return .raw(Frame(time: release.time, [.key(release.key, down: false)]))
  }

  /// 4 to 7 are a wheel's.
  private static func button(_ number: Int32) -> KeyCode? {
    [1: 0x110, 2: 0x112, 3: 0x111, 8: 0x113, 9: 0x114][number]
  }
}

// MARK: - Fields

extension LineCursor {
  /// Reads `event3`, with the hyphen before it, as debug-events prints it.
  fileprivate mutating func takeNode() -> String? {
    _ = take("-")
    skipBlanks()
    guard rest.starts(with: "event".utf8) else { return nil }
    let name = rest.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    for _ in name { _ = takeByte() }
    return String(decoding: name, as: UTF8.self)
  }

  /// A decimal number of milliseconds: the server's clock has 32 bits.
  fileprivate mutating func decimalNumber() -> Microseconds? {
    var number: Microseconds?
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte),
      number ?? 0 < 1 << 40
    {
      number = (number ?? 0) * 10 + Microseconds(byte - UInt8(ascii: "0"))
      _ = takeByte()
    }
    return number
  }
}

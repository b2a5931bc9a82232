import Foundation
import Randomness
import Recording
import Testing

@Suite("A bad recording")
struct BadRecordingTests {
  /// What is expected, and lines that are something else.
  private static let badLines: [(String, [String])] = [
    (
      "an event: seconds, type and code in hexadecimal, value",
      [
        "E: 0.1 0001 001e", "E: 0.1 0001 xyz 1", "E: 0.1 0001 10000 1", "E: 0.1 0001 001e 1 2",
        "E: 0.1 0001 001e 2147483648", "E: 0.1 0001 001e -2147483649",
        "E: 0.1 0001 001e 99999999999999999999",
      ]
    ),
    (
      "a time in seconds, such as 12.345678",
      [
        "E: 99 0001 001e 1", "E: -1.0 0001 001e 1", "E: 0.1234567 0001 001e 1",
        "E: 100000000000.0 0001 001e 1", "E: 99999999999999999999999.0 0001 001e 1",
        "# closed: now", "# reset: now",
      ]
    ),
    (
      "four hexadecimal numbers (bus, vendor, product, version)",
      ["I: 0003 0000", "I: 0003 0000 0000 10000", "Input device ID: bus 0x3"]
    ),
    ("eight hexadecimal bytes", ["P: 00 00 00", "P: 00 00 00 00 00 00 00 100"]),
    ("an event type and eight bytes, all hexadecimal", ["B: 20 00 00 00 00 00 00 00 00"]),
    (
      "an axis in hexadecimal, minimum, maximum, fuzz, flat and perhaps resolution",
      ["A: 40 0 1 0 0"]
    ),
    ("a resolution, or nothing more", ["A: 00 0 1 0 0 x"]),
    ("a number in hexadecimal and a state", ["L: 00"]),
    ("the version of a recording, 1.0 to 1.3", ["# EVEMU 2.0"]),
    ("how long keys are usually held, in seconds", ["# usual hold: long"]),
    (
      "a key in hexadecimal, by how many seconds it is held longer, and for how many presses it is bad, if it is",
      ["# learned: 001e", "# learned: 0300 0.0"]
    ),
    ("for how many presses the key is bad, or nothing", ["# learned: 001e 0.0 x"]),
    ("after how many seconds its late bounces came", ["# learned: 001e 0.0 - x"]),
    ("how many late drop-outs it has shown, or nothing", ["# learned: 001e 0.0 1 0.1 x"]),
    (
      "how much evidence a bad key has shown, or nothing",
      ["# learned: 001e 0.0 1 0.1 2 x", "# learned: 001e 0.0 1 0.1 2 3 4"]
    ),
    ("a key in hexadecimal, or nothing", ["# reset: 0.1 0300"]),
    (
      "a time, a key in hexadecimal, press or release, when that came, and what became of it",
      [
        "# outcome: 1.0 001e press 1.0 dissolved", "# outcome: 1.0 0300 press 1.0 passed",
        "# outcome: 1.0 001e pressed 1.0 passed", "# outcome: 1.0 001e press 1.0 waits",
        "# outcome: 1.0 001e press 1.0 withdrawn nothing 1.0",
        "# outcome: 1.0 001e press 1.0 meant", "# outcome: 1.0 001e press 1.0 passed on",
      ]
    ),
    ("a time in seconds, and how many lines are missing", ["# lost: 1.0", "# lost: 1.0 -1"]),
    ("the keys that are down, in hexadecimal", ["# lost: 1.0 1 0300"]),
    ("a time in seconds, such as 12.345678, and a comma", ["Event: time 1, type 1"]),
    (
      "an event: type, code and value as numbers",
      [
        "Event: time 1.0, type 1 (EV_KEY), code 30",
        "Event: time 1.0, type 1 (EV_KEY), code 70000 (?), value 1",
      ]
    ),
    (
      "a type, a code and a value, or the name of a SYN event",
      ["Event: time 1.0, something else"]
    ),
  ]

  @Test("says which line is wrong, what stands there, and what should", arguments: badLines)
  func badLine(expected: String, lines: [String]) throws {
    for line in lines {
      // Lines of evtest stand below no head.
      let head = line.hasPrefix("Event:") || line.hasPrefix("Input") ? "" : "# EVEMU 1.3"
      #expect(
        try mistake(in: Array("\(head)\n\(line)\n".utf8))
          == "test:2: found “\(line)”; expected \(expected)")
    }
  }

  @Test(
    "that breaks off in its last frame is read up to there", arguments: ["truncated", "cut-off"])
  func truncated(name: String) throws {
    var reader = reader(of: try contents(ofFixture: "recordings/\(name).evemu"))
    var count = 0
    while try reader.next() != nil { count += 1 }
    #expect(count > 0)
    #expect(reader.notes.count == 1)
    #expect(reader.notes[0].contains("breaks off within its last frame, which is left out"))
  }

  @Test("in which time runs backwards says so")
  func backwards() throws {
    #expect(
      try mistake(in: contents(ofFixture: "recordings/backwards.evemu"))
        == """
        test:6: found “E: 4.999999 0001 001e 0000”; expected a time no earlier than that of the event \
        before: time runs backwards
        """)
  }

  @Test("may be garbage")
  func garbage() throws {
    let anything =
      "a recording: of evemu-record, evtest, libinput record, or libinput debug-events --show-keycodes"
    #expect(
      try mistake(in: [])
        == "test:1: found an empty file; expected \(anything)")
    #expect(
      try mistake(in: Array("Dear diary,\ntoday nothing.\n".utf8))
        == "test:2: found no line of a recording up to here; expected \(anything)")
    #expect(
      try mistake(in: [0x7f, 0x45, 0x4c, 0x46, 0, 0, 10])
        == "test:1: found bytes that are not text; expected \(anything)")
    #expect(
      try mistake(in: [10] + [UInt8](repeating: 0x61, count: 1 << 20))
        == "test:2: found a line of more than 65536 bytes; expected \(anything)")
  }

  @Test("may have a frame or a mask without end")
  func endless() throws {
    let frame = String(repeating: "E: 0.0 0001 001e 1\n", count: 20000)
    #expect(try mistake(in: Array(frame.utf8))?.contains("no frame has that many events") == true)
    let mask = String(repeating: "B: 01 00 00 00 00 00 00 00 00\n", count: 13)
    #expect(try mistake(in: Array(mask.utf8))?.contains("no more than 96 bytes") == true)
  }

  @Test("sends nothing to the terminal but text")
  func controlCharacters() throws {
    let found = try #require(try mistake(in: Array("E: \u{1B}[2J\u{07}".utf8)))
    #expect(!found.unicodeScalars.contains { $0.properties.generalCategory == .control })
  }

  @Test("never brings the program down, whatever is done to it")
  func mutations() throws {
    var random = SeededRandom(seed: 20_240_607)
    let samples = try [
      "recordings/evemu-1.3.evemu", "recordings/evtest.txt", "recordings/run.evemu",
    ].map { try contents(ofFixture: $0) }
    for _ in 0..<1500 {
      var bytes = random.pick(samples)
      for _ in 0..<Int.random(in: 0..<8, using: &random) { mutate(&bytes, &random) }
      var entries: [RecordingParser.Entry] = []
      do {
        entries = try read(bytes).entries
      } catch is RecordingError {
        continue
      }
      // What is read is replayed as well: the engine must cope with whatever passes here.
      _ = replayed(entries)
    }
  }

  /// Changes bytes in one place.
  private func mutate(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
    guard !bytes.isEmpty else { return }
    func place() -> Int { Int.random(in: bytes.indices, using: &random) }
    let start = place()
    let part = start..<min(start + Int.random(in: 0..<40, using: &random), bytes.count)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: bytes[start] = .random(in: 0...255, using: &random)
    case 1: bytes.removeSubrange(part)
    case 2: bytes.insert(contentsOf: bytes[part], at: place())
    case 3: bytes[start] = .random(in: UInt8(ascii: "0")...UInt8(ascii: "9"), using: &random)
    default: bytes.removeSubrange(start...)
    }
  }
}

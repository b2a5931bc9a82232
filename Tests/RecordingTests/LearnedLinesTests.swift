import Debounce
import EventDevices
import Recording
import Testing

@Suite("What had been learned, in a recording")
struct LearnedLinesTests {
  private let habits = LearnedHabits(
    usualHold: 82_000,
    keys: [
      LearnedHabits.Key(30, offset: -2500, badFor: 873), LearnedHabits.Key(31, offset: 500),
      LearnedHabits.Key(32, badFor: 1000, reach: 62_000), LearnedHabits.Key(33, reach: 70_000),
      LearnedHabits.Key(34, badFor: 7, lateDropOuts: 6), LearnedHabits.Key(35, lateDropOuts: 2),
      LearnedHabits.Key(36, badFor: 800, evidence: 1),
      LearnedHabits.Key(37, badFor: 700, evidence: 2, reach: 50_000, lateDropOuts: 3),
      LearnedHabits.Key(0x110, badFor: 0),
    ])

  private let lines = """
    # usual hold: 0.082000
    # learned: 001e -0.002500 873
    # learned: 001f 0.000500
    # learned: 0020 0.000000 1000 0.062000
    # learned: 0021 0.000000 - 0.070000
    # learned: 0022 0.000000 7 0.000000 6
    # learned: 0023 0.000000 - 0.000000 2
    # learned: 0024 0.000000 800 0.000000 0 1
    # learned: 0025 0.000000 700 0.050000 3 2
    # learned: 0110 0.000000 0

    """

  private func parser(reading text: String) throws -> RecordingParser {
    var parser = RecordingParser(file: "run")
    for line in text.split(separator: "\n") { _ = try parser.read(line: line) }
    return parser
  }

  @Test("stands in its head, and is read from there")
  func head() throws {
    var text = RecordingText(of: RecordedDevice(DeviceIdentity(name: "Desk")))
    text.removeBytes()
    text.append(habits)
    #expect(String(decoding: text.bytes, as: UTF8.self) == lines)
    #expect(try parser(reading: lines).habits == habits)
  }

  @Test("is nothing where nothing was, and in recordings that do not say")
  func none() throws {
    var text = RecordingText(of: RecordedDevice(DeviceIdentity(name: "Desk")))
    text.removeBytes()
    text.append(LearnedHabits())
    #expect(text.bytes.isEmpty)
    #expect(try parser(reading: "# EVEMU 1.3\nN: Desk\nE: 0.1 0001 001e 1").habits.isEmpty)
  }

  @Test("is brought into its range where it is out of range")
  func outOfRange() throws {
    let most = try parser(
      reading: """
        # usual hold: 10.000001
        # learned: 001e 10.000001 1000001 10.000001 1000001
        # learned: 001f -10.000001 - 0.000000 -1
        # learned: 0020 0.000000 1 0.000000 0 -1
        # learned: 0021 0.000000 1 0.000000 0 4
        """)
    let limit: Microseconds = 10_000_000
    #expect(most.habits.usualHold == limit)
    let keys = [
      LearnedHabits.Key(
        30, offset: limit, badFor: 1_000_000, reach: limit, lateDropOuts: 1_000_000),
      LearnedHabits.Key(31, offset: -limit),
      LearnedHabits.Key(32, badFor: 1, evidence: 1), LearnedHabits.Key(33, badFor: 1, evidence: 3),
    ]
    #expect(most.habits.keys == keys)
  }

  @Test("is an error behind an event, and of keys in another order")
  func misplaced() throws {
    for text in [
      "E: 0.1 0001 001e 1\n# usual hold: 0.1", "# learned: 001e 0.0\n# learned: 001e 0.0",
    ] {
      let error = #expect(throws: RecordingError.self) { try parser(reading: text) }
      #expect(error?.line == 2)
    }
  }

  // MARK: Replays

  /// A drop-out of a key that is known to be bad, and one after that was forgotten.
  private let run = """
    # EVEMU 1.3
    N: Desk
    # usual hold: 0.080000
    # learned: 001e 0.000000 12
    E: 0.000000 0001 001e 1
    E: 0.000000 0000 0000 0
    E: 0.100000 0001 001e 0
    E: 0.100000 0000 0000 0
    E: 0.110000 0001 001e 1
    E: 0.110000 0000 0000 0
    E: 0.300000 0001 001e 0
    E: 0.300000 0000 0000 0
    # reset: 0.500000 001e
    E: 1.000000 0001 001e 1
    E: 1.000000 0000 0000 0
    E: 1.100000 0001 001e 0
    E: 1.100000 0000 0000 0

    """

  @Test("is known to its replay, until it was dropped")
  func replay() throws {
    var parser = RecordingParser()
    var entries: [RecordingParser.Entry] = []
    for line in run.split(separator: "\n") {
      if let entry = try parser.read(line: line) { entries.append(entry) }
    }
    #expect(entries.contains(.reset(30, at: 500_000)))
    func edges(knowing habits: LearnedHabits) -> [Microseconds] {
      replayed(entries, Rules(), habits).frames.map(\.time)
    }
    let known = edges(knowing: parser.habits)
    // One stroke, whose release waits, and one whose release does not.
    #expect(known.count == 4)
    #expect(known[1] > 300_000 && known[3] == 1_100_000)
    #expect(edges(knowing: LearnedHabits()).count == 6)
  }

  @Test("has resets, from the moment at which it begins")
  func resets() {
    var text = RecordingText(of: RecordedDevice(DeviceIdentity(name: "Desk")))
    text.removeBytes()
    text.appendReset(of: nil, at: 7_000_000)
    #expect(String(decoding: text.bytes, as: UTF8.self) == "# reset: 0.000000\n")
    text.append(raw: Frame(time: 8_000_000, [.key(30, down: true)]))
    text.removeBytes()
    text.appendReset(of: nil, at: 8_500_000)
    text.appendReset(of: 30, at: 9_000_000)
    #expect(
      String(decoding: text.bytes, as: UTF8.self) == "# reset: 0.500000\n# reset: 1.000000 001e\n")
  }

  @Test("a pause is known to the replay, which passes everything on from there")
  func pause() throws {
    var text = RecordingText(of: RecordedDevice(DeviceIdentity(name: "Desk")))
    text.append(isPaused: false, at: 0)
    text.append(raw: Frame(time: 1_000_000, [.key(30, down: true)]))
    text.append(raw: Frame(time: 1_100_000, [.key(30, down: false)]))
    text.append(isPaused: true, at: 1_500_000)
    for (index, down) in [true, false, true, false].enumerated() {
      text.append(raw: Frame(time: 2_000_000 + Microseconds(index) * 1000, [.key(30, down: down)]))
    }
    let lines = String(decoding: text.bytes, as: UTF8.self)
    #expect(lines.contains("# resumed: 0.000000\n") && lines.contains("# paused: 0.500000\n"))
    var parser = RecordingParser()
    var replay = Replay(Rules())
    for line in lines.split(separator: "\n") {
      if let entry = try parser.read(line: line) { replay.process(entry) }
    }
    #expect(replay.counters.pressesOut == 3 && replay.counters.chatter.total == 0)
  }
}

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

  private func habits(in text: String) throws -> LearnedHabits {
    var reader = reader(of: Array(("# EVEMU 1.3\n" + text).utf8))
    while try reader.next() != nil {}
    return reader.habits
  }

  @Test("stands in its head, and is read from there")
  func head() throws {
    var text = RecordingText(eventsSince: 0)
    text.append(habits)
    #expect(text.string == lines)
    #expect(try habits(in: lines) == habits)
  }

  @Test("is nothing where nothing was, and in recordings that do not say")
  func none() throws {
    var text = RecordingText(eventsSince: 0)
    text.append(LearnedHabits())
    #expect(text.bytes.isEmpty)
    #expect(try habits(in: "N: Desk\nE: 0.1 0001 001e 1").isEmpty)
  }

  @Test("is brought into its range where it is out of range")
  func outOfRange() throws {
    let most = try habits(
      in: """
        # usual hold: 10.000001
        # learned: 001e 10.000001 1000001 10.000001 1000001
        # learned: 001f -10.000001 - 0.000000 -1
        # learned: 0020 0.000000 1 0.000000 0 -1
        # learned: 0021 0.000000 1 0.000000 0 4
        """)
    let limit: Microseconds = 10_000_000
    #expect(most.usualHold == limit)
    let keys = [
      LearnedHabits.Key(
        30, offset: limit, badFor: 1_000_000, reach: limit, lateDropOuts: 1_000_000),
      LearnedHabits.Key(31, offset: -limit),
      LearnedHabits.Key(32, badFor: 1, evidence: 1), LearnedHabits.Key(33, badFor: 1, evidence: 3),
    ]
    #expect(most.keys == keys)
  }

  @Test("is an error behind an event, and of keys in another order")
  func misplaced() throws {
    for text in [
      "E: 0.1 0001 001e 1\n# usual hold: 0.1\n", "# learned: 001e 0.0\n# learned: 001e 0.0\n",
    ] {
      let error = #expect(throws: RecordingError.self) { try habits(in: text) }
      #expect(error?.line == 3)
    }
  }

  @Test("has resets and pauses, from the moment at which it begins, and is read back")
  func notes() throws {
    var text = RecordingText(of: RecordedDevice(DeviceIdentity(name: "Desk")))
    let head = text.bytes
    text.removeBytes()
    text.appendReset(of: nil, at: 7_000_000)
    text.append(isPaused: false, at: 7_500_000)
    #expect(text.string == "# reset: 0.000000\n# resumed: 0.000000\n")
    text.append(raw: Frame(time: 8_000_000, [.key(30, down: true)]))
    text.removeBytes()
    text.appendReset(of: nil, at: 8_500_000)
    text.appendReset(of: 30, at: 9_000_000)
    text.append(isPaused: true, at: 9_500_000)
    #expect(
      text.string
        == "# reset: 0.500000\n# reset: 1.000000 001e\n# paused: 1.500000\n")
    #expect(
      try read(head + text.bytes).entries == [
        .reset(nil, at: 500_000), .reset(30, at: 1_000_000), .paused(true, at: 1_500_000),
      ])
  }
}

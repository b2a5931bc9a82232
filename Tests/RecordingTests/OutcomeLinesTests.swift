import Debounce
import Devices
import Recording
import Testing

@Suite("What the daemon decided, as one who watches reads it")
struct OutcomeLinesTests {
  private func text(_ fill: (inout RecordingText) -> Void) -> String {
    var text = RecordingText(eventsSince: 0)
    fill(&text)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  private func read(_ lines: String) throws -> [RecordingParser.Entry] {
    try RecordingTests.read("# EVEMU 1.3\n" + lines)
  }

  /// An outcome of each kind, with and without what may be missing.
  private static let kinds: [(kind: Outcome.Kind, text: String)] = [
    (.passed, "passed"), (.waits(until: 4_210_158_790), "waits 4210.158790"),
    (.withdrawn(.pressBounce, with: 7), "withdrawn press-bounce 0.000007"),
    (.taken(.throttled, deliveredAt: nil), "taken throttled"),
    (.taken(.throttled, deliveredAt: 9_000_000), "taken throttled 9.000000"),
    (.duplicate, "duplicate"), (.repeated, "repeated"),
    (.postponed(until: 8), "postponed 0.000008"),
    (.emitted, "emitted"), (.vanished(nil), "vanished"),
    (.vanished(.lockedOut), "vanished locked-out"), (.restored(.dropOut), "restored drop-out"),
    (.reclassified(.releaseBounce), "reclassified release-bounce"), (.corrected, "corrected"),
    (.meant(.double, 48), "meant double 0030"), (.continued, "continued"), (.learned, "learned"),
    (.forgot, "forgot"),
  ]

  @Test("is written and read back, whatever it is", arguments: kinds)
  func roundTrip(kind: Outcome.Kind, line: String) throws {
    for isPress in [true, false] {
      let outcome = Outcome(
        key: 30, isPress: isPress, edge: 4_210_133_790, time: 4_210_133_791, kind: kind)
      let text = text { $0.append(outcome) }
      #expect(
        text == "# outcome: 4210.133791 001e \(isPress ? "down" : "up") 4210.133790 \(line)\n")
      #expect(try read(text) == [.outcome(outcome)])
    }
  }

  @Test("says what is missing, drops what was in hand, and goes on from the keys that are down")
  func loss() throws {
    let notice = text { $0.appendLoss(of: 12, held: KeySet([30, 42]), at: 2_500_000) }
    #expect(notice == "# lost: 2.500000 12 001e 002a\n")
    let entries = try read(
      "E: 1.0 0001 001e 1\n# clean: 1.0 0001 001e 1\n\(notice)E: 3.0 0001 001e 0\nE: 3.0 0000 0000 0"
    )
    #expect(
      entries == [
        .lost(lines: 12, held: KeySet([30, 42]), at: 2_500_000),
        .raw(Frame(time: 3_000_000, [.key(30, down: false)])),
      ])
    #expect(
      try read(text { $0.appendLoss(of: 0, held: KeySet(), at: 1) })
        == [.lost(lines: 0, held: KeySet(), at: 1)])
  }

  @Test("is an error with its line if it is broken")
  func broken() throws {
    let edge = "a time, a key in hexadecimal, “down” or “up”, when that was, and what became of it"
    let kind = "what became of the edge, as “passed” or “waits 12.345678”"
    for (line, expected) in [
      ("# outcome: soon 001e down 1.0 passed", edge), ("# outcome: 1.0 0300 down 1.0 passed", edge),
      ("# outcome: 1.0 001e left 1.0 passed", edge), ("# outcome: 1.0 001e down 1.0", edge),
      ("# outcome: 1.0 001e down 1.0 lost", kind), ("# outcome: 1.0 001e down 1.0 waits", kind),
      ("# outcome: 1.0 001e down 1.0 taken by-force", kind),
      ("# outcome: 1.0 001e down 1.0 meant triple 001e", kind),
      ("# outcome: 1.0 001e down 1.0 passed on", kind),
      ("# lost: 1.0", "a time, how many lines are missing, and the keys that are down"),
      ("# lost: 1.0 -1", "a time, how many lines are missing, and the keys that are down"),
      ("# lost: 1.0 1 0300", "keys in hexadecimal"),
    ] {
      var parser = RecordingParser(file: "watch")
      _ = try parser.read(line: "# EVEMU 1.3")
      let error = #expect(throws: RecordingError.self) { try parser.read(line: line) }
      #expect(error?.description == "watch:2: found “\(line)”; expected \(expected)")
    }
  }

  @Test("is the same as the replay of it makes, which goes on from what is missing")
  func replay() throws {
    var replay = Replay(Rules(strategy: .none))
    replay.process(.raw(Frame(time: 0, [.key(30, down: true)])))
    #expect(replay.output.count == 1)
    // The release of one key and the press of another are missing.
    replay.process(.lost(lines: 4, held: KeySet([31]), at: 1_000_000))
    let events = (0..<replay.output.count).flatMap { replay.output[$0].events }
    #expect(events == [.key(30, down: false), .key(31, down: true)])
    replay.process(.outcome(Outcome(key: 30, isPress: true, edge: 0, time: 0, kind: .passed)))
    #expect(replay.output.isEmpty)
  }
}

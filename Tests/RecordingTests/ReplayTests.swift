import Debounce
import Testing

@testable import Recording

@Suite("The replay of a recording")
struct ReplayTests {
  private func replay(_ entries: [RecordingParser.Entry], _ rules: Rules = Rules()) -> Replayed {
    let result = replayed(entries, rules)
    #expect(
      result.counters.pressesIn - result.counters.pressesOut == UInt64(result.suppressed.count))
    return result
  }

  /// Edges of one key that follow each other after the given milliseconds, a press first.
  private func strokes(_ steps: [Double], key: KeyCode = 30) -> [RecordingParser.Entry] {
    var time = 0.0
    return steps.enumerated().map { index, step in
      time += step
      return .raw(Frame(time: Microseconds(time * 1000), [.key(key, down: index % 2 == 0)]))
    }
  }

  private func kinds(_ result: Replayed) -> [Removal] {
    result.suppressed.sorted { $0.time < $1.time }.map(\.kind)
  }

  @Test("gives what the run gave, through a loss of events and to the end")
  func equalsTheRun() throws {
    let (_, entries) = try read(fixture: "recordings/run.evemu")
    let clean = entries.compactMap { if case .clean(let frame) = $0 { frame } else { nil } }
    #expect(!clean.isEmpty)
    #expect(replay(entries).frames == clean)
  }

  @Test("of two recordings of a device in one file is that of one and then of the other")
  func joined() throws {
    // The first ends with a key down, the second begins with a bounce of it.
    func run(_ edges: (Int, Int)...) -> String {
      var text = "# EVEMU 1.3\nN: Worn keyboard\nI: 0003 3434 0120 0111\n"
      // As long as the mask of keys may be.
      for _ in 0..<12 { text += "B: 01 02 00 00 40 00 00 00 00\n" }
      for (time, value) in edges {
        let stamp = "0.\(String(1_000_000 + time).dropFirst())"
        text += "E: \(stamp) 0001 001e \(value)\nE: \(stamp) 0000 0000 0\n"
      }
      return text
    }
    let first = run((0, 1), (80_000, 0), (300_000, 1))
    let second = run((0, 1), (8000, 0), (16_000, 1), (110_000, 0))
    // Nothing is learned: what is learned from the first holds in the second.
    let rules = Rules(strategy: .eagerDefer(EagerDefer(threshold: 25_000)))
    let (one, two) = try (replay(read(first), rules), replay(read(second), rules))
    let both = try replay(read(first + second), rules)
    // There is silence after the first one's last event, and before the second one's first.
    let (end, start): (Microseconds, Microseconds) = (10_300_000, 20_300_000)
    let later = two.frames.map { Frame(time: $0.time + start, $0.events) }
    #expect(both.frames == one.frames + [Frame(time: end, [.key(30, down: false)])] + later)
    #expect(both.counters.pressesIn == one.counters.pressesIn + two.counters.pressesIn)
    #expect(both.suppressed.map(\.kind) == two.suppressed.map(\.kind))
    #expect(!two.suppressed.isEmpty)
  }

  @Test("takes a loss of events as the engine itself does")
  func resynchronisation() {
    var engine = Debouncer(Rules())
    engine.process(Frame(time: 0, [.key(30, down: true), .key(31, down: true)]))
    var recorded = engine
    let led = Event(type: 17, code: 0, value: 1)

    engine.resynchronise(held: KeySet([31, 32]), others: Frame(time: 9, [led]))
    let loss = Event(type: 0, code: 3, value: 0)
    recorded.process(
      recorded: .raw(
        Frame(time: 9, [loss, .key(30, down: false), .key(32, down: true), led])))
    #expect(engine.output.frames == recorded.output.frames)
    #expect(engine.counters == recorded.counters)
    #expect(engine.held == recorded.held && engine.rawHeld == recorded.rawHeld)
  }

  @Test("runs out the deadlines that the end leaves open")
  func deadlines() {
    let rules = Rules(strategy: .defer(Defer(threshold: 20_000)))
    let result = replay(strokes([0, 80]), rules)
    #expect(result.frames.map(\.time) == [20_000, 100_000])
  }

  @Test("lets go of what is held when the device goes, after what was due before")
  func closing() {
    let rules = Rules(strategy: .eagerDefer(EagerDefer(threshold: 20_000)))
    let entries = strokes([0, 80]) + strokes([0], key: 31)
    let frames = replay(
      Array(entries.sorted { time(of: $0) < time(of: $1) }) + [.closed(at: 500_000)], rules
    ).frames
    #expect(
      frames == [
        Frame(time: 0, [.key(30, down: true)]), Frame(time: 0, [.key(31, down: true)]),
        Frame(time: 100_000, [.key(30, down: false)]),
        Frame(time: 500_000, [.key(31, down: false)]),
      ])
  }

  private func time(of entry: RecordingParser.Entry) -> Microseconds {
    if case .raw(let frame) = entry { frame.time } else { 0 }
  }

  @Test("tells what each press was that vanished, the gap before it and its hold")
  func presses() {
    let eagerDefer = Rules(strategy: .eagerDefer(EagerDefer(threshold: 25_000)))
    let throttle = Rules(strategy: .throttle(Throttle(interval: 300_000)))
    for (steps, rules, expected) in [
      // The hold before was short, or the hold after.
      ([0, 5, 3, 90], Rules(), [(8000, .pressBounce, 3000, 90_000)]),
      ([0, 90, 8, 4], Rules(), [(98_000, .releaseBounce, 8000, 4000)]),
      // A stroke that was taken, and one that does not end.
      ([0, 50, 50, 50, 400, 50], throttle, [(100_000, .throttled, 50_000, 50_000)]),
      ([0, 50, 50], throttle, [(100_000, .throttled, 50_000, nil)]),
      // The key stays down through both.
      ([0, 90, 8, 70], eagerDefer, [(98_000, .dropOut, 8000, 70_000)]),
      ([0, 90, 8, 4], eagerDefer, [(98_000, .releaseBounce, 8000, 4000)]),
      (
        [0, 90, 8, 4, 6, 5], eagerDefer,
        [(98_000, .releaseBounce, 8000, 4000), (108_000, .releaseBounce, 6000, 5000)]
      ),
      (
        [0, 4, 8, 3, 6, 90], eagerDefer,
        [(12_000, .pressBounce, 8000, 3000), (21_000, .pressBounce, 6000, 90_000)]
      ),
    ] as [([Double], Rules, [(Microseconds, Removal, Microseconds?, Microseconds?)])] {
      let presses = replay(strokes(steps), rules).suppressed.sorted { $0.time < $1.time }
      #expect(
        presses
          == expected.map {
            Suppression(time: $0.0, key: 30, kind: $0.1, gap: $0.2, hold: $0.3)
          })
    }
  }

  @Test("tells strokes that were taken from those that come later, and from chatter")
  func taken() {
    let latest = Rules(strategy: .throttle(Throttle(interval: 300_000, latest: true)))
    #expect(kinds(replay(strokes([0, 50, 50, 50]), latest)) == [])
    #expect(kinds(replay(strokes([0, 20, 20, 20, 20, 20]), latest)) == [.throttled])

    let group = Rules(groups: [Group(keys: [30, 31], lockout: 500_000)])
    let both = (strokes([0, 80]) + strokes([100, 80], key: 31))
      .sorted { time(of: $0) < time(of: $1) }
    let result = replay(both, group)
    #expect(
      result.suppressed == [
        Suppression(time: 100_000, key: 31, kind: .lockedOut, gap: nil, hold: 80_000)
      ])
    // Chatter of a member stays chatter.
    #expect(kinds(replay(strokes([0, 90, 8, 4]), group)) == [.releaseBounce])
  }

  @Test("finds nothing where nothing vanishes, even within one frame")
  func nothing() {
    let entries: [RecordingParser.Entry] = [
      .raw(Frame(time: 0, [.key(30, down: true), .key(30, down: false), .key(30, down: true)])),
      .raw(Frame(time: 90_000, [.key(30, down: false)])),
    ]
    #expect(replay(entries, Rules(strategy: .none)).suppressed == [])
  }
}

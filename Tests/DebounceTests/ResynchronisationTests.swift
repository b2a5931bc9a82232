import Debounce
import Testing

/// What happens when events were lost, and at the end.
@Suite struct ResynchronisationTests {
  @Test(
    "The state given is the truth, and differences are emitted at once, in one frame",
    arguments: [
      ("A+0 S+0", [.s, .d], [.up(.a), .down(.d)]), ("A+0", [.a], []),
      // What waits is emitted if it is true, and vanishes otherwise.
      ("A+0 A-10", [], [.up(.a)]), ("A+0 A-10", [.a], []),
      ("A+0 A-100 A+120", [.a], [.down(.a)]), ("A+0 A-100 A+120", [], []),
      // It comes before all else, in the order in which it came, though A's deadline is the later one; then come releases.
      ("S+0 S-100 A+101 A-110 S+120", [.s], [.up(.a), .down(.s)]),
      (
        "A+0 S+10 S-100 D+110 S+120 D-121", [.s, .leftShift],
        [.down(.s), .up(.d), .up(.a), .down(.leftShift)]
      ),
      // Modifiers stand around what they modify.
      ("D+0 D-100", [.a, .leftShift], [.down(.leftShift), .down(.a)]),
      ("A+0 LEFTSHIFT+0", [], [.up(.a), .up(.leftShift)]),
    ] as [(String, KeySet, [Event])])
  func truth(text: String, held: KeySet, events: [Event]) {
    let raw = strokes(text)
    let time = (raw.last?.time ?? 0) + 5.ms
    var engine = Debouncer(.confirming)
    _ = engine.process(strokes: raw, completely: false)
    let frames: [Frame] = engine.resynchronise(held: held, at: time)
    #expect(frames == (events.isEmpty ? [] : [Frame(time: time, events)]))
    #expect(engine.held == held && engine.rawHeld == held && engine.deadline == nil)
    // It goes on from there.
    let end: [Frame] = engine.advance(to: .max) + engine.close(at: time)
    #expect(end.count == (held.isEmpty ? 0 : 1) && end.flatMap(\.events).count == held.count)
  }

  /// Whether the loop woke between does not matter.
  @Test("What was due before the loss has lasted")
  func due() {
    for wakes in [false, true] {
      var engine = Debouncer(.confirming)
      var frames = engine.process(strokes: strokes("A+0 A-100 A+120"), completely: false)
      if wakes { frames += engine.advance(to: 1000.ms) }
      frames += engine.resynchronise(held: KeySet(), at: 2000.ms)
      #expect(edges(in: frames).text == "A+0 A-100 A+150 A-2000")
    }
  }

  @Test("Other events pass, and keys among them do not")
  func others() {
    var engine = Debouncer(.confirming)
    #expect(
      engine.resynchronise(
        held: KeySet([.a]),
        others: Frame(time: 5.ms, [.motion(1), .scan(7), .down(.s), .motion(2), .report]))
        == [Frame(time: 5.ms, [.down(.a), .motion(1), .motion(2)])])
  }

  @Test("After a loss each key waits by its own strategy, and its first stroke is no chatter")
  func afterLoss() {
    var engine = Debouncer(Rules(strategy: .none, keys: [.a: .defer(Defer(threshold: 20.ms))]))
    _ = engine.resynchronise(held: KeySet(), at: 0)
    // A's press does not last, and S waits for nobody.
    #expect(engine.play("A+10 S+12 A-15 S-22") == "S+12 S-22")
    #expect(engine.counts(of: .s)?.chatter.total == 0)
  }
}

import Debounce
import Testing

/// What happens when events were lost, and at the end.
@Suite struct ResynchronisationTests {
  @Test("The state given is the truth, and differences are emitted at once")
  func truth() {
    var engine = Debouncer(.confirming)
    _ = engine.process(strokes: strokes("A+0 S+0"))
    #expect(
      engine.resynchronise(held: KeySet([.s, .d]), at: 100.ms)
        == [Frame(time: 100.ms, [.up(.a), .down(.d)])])
    #expect(engine.held == KeySet([.s, .d]))
    #expect(engine.rawHeld == KeySet([.s, .d]))
  }

  @Test("A waiting release is emitted at once if it is true")
  func trueRelease() {
    var engine = Debouncer(.confirming)
    _ = engine.process(strokes: strokes("A+0 A-10"), completely: false)
    #expect(
      engine.resynchronise(held: KeySet(), at: 20.ms) == [Frame(time: 20.ms, [.up(.a)])])
    #expect(engine.deadline == nil)
  }

  @Test("A waiting release vanishes if the key is down")
  func falseRelease() {
    var engine = Debouncer(.confirming)
    _ = engine.process(strokes: strokes("A+0 A-10"), completely: false)
    #expect(engine.resynchronise(held: KeySet([.a]), at: 20.ms).isEmpty)
    #expect(engine.deadline == nil)
    #expect(engine.process(at: 200.ms, .up(.a)) == [Frame(time: 200.ms, [.up(.a)])])
  }

  @Test("A waiting press is emitted at once if it is true")
  func truePress() {
    var engine = Debouncer(.confirming)
    _ = engine.process(strokes: strokes("A+0 A-100 A+120"), completely: false)
    #expect(
      engine.resynchronise(held: KeySet([.a]), at: 130.ms) == [Frame(time: 130.ms, [.down(.a)])])
    #expect(engine.deadline == nil)
  }

  @Test("A waiting press vanishes if the key is up")
  func falsePress() {
    var engine = Debouncer(.confirming)
    _ = engine.process(strokes: strokes("A+0 A-100 A+120"), completely: false)
    #expect(engine.resynchronise(held: KeySet(), at: 130.ms).isEmpty)
    #expect(engine.deadline == nil)
    #expect(engine.advance(to: .max).isEmpty)
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

  @Test("Releases come first, and what waited before all")
  func releasesFirst() {
    var engine = Debouncer(.confirming)
    _ = engine.process(strokes: strokes("A+0 S+10 S-100 D+110 S+120 D-121"), completely: false)
    #expect(
      engine.resynchronise(held: KeySet([.s, .leftShift]), at: 130.ms)
        == [Frame(time: 130.ms, [.down(.s), .up(.d), .up(.a), .down(.leftShift)])])
  }

  @Test("Modifiers stand around what they modify")
  func modifiers() {
    var engine = Debouncer(.confirming)
    let down = KeySet([.a, .leftShift])
    #expect(
      engine.resynchronise(held: down, at: 0)
        == [Frame(time: 0, [.down(.leftShift), .down(.a)])])
    #expect(engine.close(at: 1) == [Frame(time: 1, [.up(.a), .up(.leftShift)])])
  }

  @Test("What waited comes in the order in which it came")
  func order() {
    var engine = Debouncer(.confirming)
    // A's deadline is at 165, S's at 150.
    _ = engine.process(strokes: strokes("S+0 S-100 A+101 A-110 S+120"), completely: false)
    #expect(
      engine.resynchronise(held: KeySet([.s]), at: 130.ms)
        == [Frame(time: 130.ms, [.up(.a), .down(.s)])])
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

  @Test("Nothing is said where nothing differs")
  func nothing() {
    var engine = Debouncer(.confirming)
    _ = engine.process(strokes: strokes("A+0"))
    #expect(engine.resynchronise(held: KeySet([.a]), at: 10.ms).isEmpty)
  }

  @Test("After a loss each key waits by its own strategy, and its first stroke is no chatter")
  func afterLoss() {
    var engine = Debouncer(Rules(strategy: .none, keys: [.a: .defer(Defer(threshold: 20.ms))]))
    _ = engine.resynchronise(held: KeySet(), at: 0)
    // A's press does not last, and S waits for nobody.
    let clean = edges(in: engine.process(strokes: strokes("A+10 S+12 A-15 S-22")))
    #expect(clean.text == "S+12 S-22")
    #expect(engine.counts(of: .s)?.chatter.total == 0)
  }

  @Test("Closing releases what the clone holds, and no more")
  func closing() {
    var engine = Debouncer(.confirming)
    _ = engine.process(
      strokes: strokes("A+0 S+0 D+0 S-10 D-100 LEFTSHIFT+120 LEFTSHIFT-125 D+130"),
      completely: false)
    let frames: [Frame] = engine.close(at: 140.ms)
    #expect(frames.count == 1)
    #expect(frames.allSatisfy { $0.time == 140.ms })
    #expect(
      Set(edges(in: frames).map(\.description.withoutJoint)) == ["A-140", "LEFTSHIFT-140"])
    #expect(engine.held.isEmpty)
    #expect(engine.deadline == nil)
    #expect(engine.advance(to: .max).isEmpty)
    #expect(engine.close(at: 150.ms).isEmpty)
  }
}

extension String {
  fileprivate var withoutJoint: String { hasPrefix("& ") ? String(dropFirst(2)) : self }
}

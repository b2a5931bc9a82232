import StrokeFixtures
import Testing

@testable import Debounce

/// What strokes mean, where `meanings.strokes` cannot show it: frames, losses, new rules, reports.
@Suite("A key with meanings")
struct MeaningTests {
  private static let enter: KeyCode = 28
  private static let escape: KeyCode = 1
  private static let rules = Rules(
    strategy: .none, meanings: [.a: Meanings(single: .a, double: enter, hold: escape)])

  @Test("emits a tap as two frames, and nothing else in them")
  func taps() {
    var engine = Debouncer(Self.rules)
    let press = Frame(time: 0, [.scan(7), .down(.a), .motion(3)])
    #expect(engine.process(press) == [Frame(time: 0, [.motion(3)])])
    #expect(engine.process(at: 50.ms, .scan(7), .up(.a)) == [])
    #expect(engine.deadline == 250.ms)
    #expect(engine.held.isEmpty)
    #expect(!engine.isAtRest)
    #expect(
      engine.advance(to: 250.ms) == [
        Frame(time: 250.ms, [.down(.a)]), Frame(time: 250.ms, [.up(.a)]),
      ])
    #expect(engine.isAtRest)
    #expect(engine.deadline == nil)
  }

  @Test("is decided before another key of the same frame, and after what came before that")
  func frames() {
    var engine = Debouncer(Self.rules)
    _ = engine.process(at: 0, .down(.a))
    #expect(
      engine.process(at: 30.ms, .motion(1), .scan(9), .down(.s), .motion(2)) == [
        Frame(time: 30.ms, [.motion(1)]), Frame(time: 30.ms, [.down(.a)]),
        Frame(time: 30.ms, [.scan(9), .down(.s), .motion(2)]),
      ])
    #expect(engine.held == KeySet([.a, .s]))
  }

  @Test("does not repeat by itself: what it emits repeats")
  func repeats() {
    var engine = Debouncer(Self.rules)
    _ = engine.process(at: 0, .down(.a))
    #expect(engine.process(at: 260.ms, .held(.a)) == [])
    #expect(engine.counters.repeats == 1)
    #expect(engine.advance(to: 500.ms).map(\.events) == [[.down(Self.escape)]])
    #expect(engine.process(at: 600.ms, .held(.a)) == [])
  }

  @Test("is a single press when the device goes before it is decided")
  func closing() {
    func end(_ text: String, at time: Microseconds) -> String {
      var engine = Debouncer(Self.rules)
      engine.play(text, completely: false)
      let end = edges(in: engine.close(at: time)).text
      #expect(engine.held.isEmpty && engine.deadline == nil)
      return end
    }
    #expect(end("A+0", at: 100.ms) == "A+100 A-100")
    #expect(end("A+0 A-50", at: 100.ms) == "A+100 A-100")
    // The long press was due before.
    #expect(end("A+0", at: 600.ms) == "ESC+500 ESC-600")
  }

  @Test("is a single press when events were lost, and goes on from the state given")
  func losses() {
    var engine = Debouncer(Self.rules)
    _ = engine.process(at: 0, .down(.a))
    #expect(engine.resynchronise(held: [.a], at: 100.ms) == [Frame(time: 100.ms, [.down(.a)])])
    #expect(engine.held == [.a])
    #expect(engine.resynchronise(held: [], at: 200.ms) == [Frame(time: 200.ms, [.up(.a)])])
    // A press that nobody saw begin.
    #expect(
      engine.resynchronise(held: [.a, .s], at: 300.ms) == [
        Frame(time: 300.ms, [.down(.a), .down(.s)])
      ])
    #expect(engine.deadline == nil)
    #expect(engine.process(at: 900.ms, .up(.a)).map(\.events) == [[.up(.a)]])
    _ = engine.process(at: 1000.ms, .down(.a))
    #expect(engine.advance(to: 1500.ms).map(\.events) == [[.down(Self.escape)]])
  }

  @Test("has new meanings from its next stroke on")
  func adoption() {
    var engine = Debouncer(Self.rules)
    engine.play("A+0", completely: false)
    engine.adopt(Rules(strategy: .none, meanings: [.a: Meanings(single: .d)]))
    // The second press of the old double press.
    let strokes = "A-50 A+100 A-150 A+200"
    #expect(engine.play(strokes, completely: false) == "ENTER+100 ENTER-150 D+200")
    engine.adopt(Rules(strategy: .none))
    #expect(engine.play("A-250 A+300", completely: false) == "D-250 A+300")
    engine.adopt(Self.rules)
    #expect(engine.play("A-350", completely: false) == "A-350")
  }

  @Test("that is eager leaves nothing to be emitted when it is up")
  func eager() {
    var engine = Debouncer(
      Rules(
        strategy: .none,
        meanings: [.a: Meanings(single: .a, double: Self.enter, isEager: true)]))
    _ = engine.process(at: 0, .down(.a))
    _ = engine.process(at: 50.ms, .up(.a))
    #expect(engine.deadline == 250.ms && engine.isAtRest)
  }

  @Test("is counted by what its strokes were taken for")
  func counts() {
    var engine = Debouncer(Self.rules)
    engine.play("A+0 A-50 A+100 A-150 A+400 A-1000 A+2000 A-2020 A+2030 A-2090")
    let counters = engine.counters
    #expect((counters.singles, counters.doubles, counters.holds) == (1, 1, 1))
    #expect((counters.continuations, counters.pressesOut) == (1, 5))
    #expect(engine.counts(of: .a)?.strokes == 5)
    #expect(engine.counts(of: Self.enter) == nil)
  }

  @Test("reports what its strokes were taken for, and when")
  func outcomes() {
    var engine = Debouncer(Self.rules)
    engine.reportsOutcomes = true
    for frame in strokes("A+0 A-50 A+100 A-150 A+400 A-420 A+425 A-1000").frames {
      engine.process(frame)
    }
    let meant = engine.outcomes.filter { $0.kind != .passed }
    #expect(
      meant.map(\.kind) == [.meant(.double, Self.enter), .continued, .meant(.hold, Self.escape)])
    #expect(meant.map(\.edge) == [0, 425.ms, 400.ms])
    #expect(meant.map(\.time) == [100.ms, 425.ms, 900.ms])
    #expect(meant.allSatisfy { $0.key == .a })
  }

  @Test("emits nothing that no kernel knows")
  func unknownKeys() {
    var engine = Debouncer(
      Rules(
        strategy: .none,
        meanings: [.a: Meanings(single: 0x300, double: .max), 0x301: Meanings(single: .a)]))
    #expect(engine.process(at: 0, .down(.a)).map(\.events) == [[.down(.a)]])
    #expect(engine.process(at: 9.ms, .up(.a)).map(\.events) == [[.up(.a)]])
  }

  @Test("calculates with any times")
  func extremes() {
    for time in [Microseconds.min, -1, 0, .max] {
      var engine = Debouncer(
        Rules(
          strategy: .none,
          meanings: [
            .a: Meanings(
              single: .a, double: .s, hold: .d, within: time, after: time, shortestGap: time)
          ]))
      let edges = edges(in: engine.process(strokes: strokes("A+0 A-50 A+100 A-150")))
      #expect(edges.filter(\.isDown).count == edges.filter { !$0.isDown }.count)
      engine.close(at: .max)
      #expect(engine.held.isEmpty)
    }
  }

  /// An edge at the very deadline of a meaning is decided on first.
  @Test("takes what comes at the very end of its time for within it")
  func endOfTime() {
    let holding = Rules(
      strategy: .none, keys: [.s: .defer(Defer(threshold: 20.ms))],
      meanings: [.a: Meanings(single: .a, hold: .d, after: 500.ms)])
    for text in ["A+0 A-500", "A+0 S+499 A-500 S-600"] {
      #expect(debounce(strokes(text), holding).allSatisfy { $0.key != .d })
    }
    var engine = Debouncer(holding)
    _ = engine.process(at: 0, .down(.a))
    #expect(edges(in: engine.resynchronise(held: KeySet(), at: 500.ms)).allSatisfy { $0.key == .a })

    let deferring = Rules(
      strategy: .defer(Defer(press: 20.ms, release: 0)),
      meanings: [.a: Meanings(single: .a, double: .d, within: 250.ms)])
    #expect(debounce(strokes("A+0 A-100 A+250 A-400"), deferring).contains { $0.key == .d })

    let doubling = Rules(
      strategy: .none,
      meanings: [
        .a: Meanings(single: .a, double: .d, within: 250.ms, isEager: true, shortestGap: 0)
      ])
    #expect(debounce(strokes("A+0 A-250 A+250 A-300"), doubling).contains { $0.key == .d })
  }

  /// Of what is no key, scan codes alone belong to a key: other numbers of a device, and other axes, are nothing of the kind.
  @Test("has no part in other events that are no scan codes")
  func otherEvents() {
    let rules = Rules(strategy: .defer(Defer(threshold: 20.ms)))
    for event in [Event(type: 4, code: 5, value: 9), Event(type: 2, code: 4, value: 9)] {
      var engine = Debouncer(rules)
      #expect(engine.process(at: 0, event, .down(.a)) == [Frame(time: 0, [event])])
      #expect(engine.advance(to: .max) == [Frame(time: 20.ms, [.down(.a)])])
    }
  }

  /// A scan code goes with its key, and with no other.
  @Test("that loses its meanings keeps its scan codes")
  func scanCodes() {
    var engine = Debouncer(Rules(strategy: .none, meanings: [.a: Meanings(single: .s)]))
    #expect(engine.process(at: 0, .scan(7), .down(.a)) == [Frame(time: 0, [.down(.s)])])
    #expect(engine.process(at: 50.ms, .scan(7), .up(.a)) == [Frame(time: 50.ms, [.up(.s)])])
    engine.adopt(Rules(strategy: .none))
    for (time, down) in [(100, true), (150, false)] {
      let events: [Event] = [.scan(7), .key(.a, down: down)]
      #expect(engine.process(Frame(time: time.ms, events)) == [Frame(time: time.ms, events)])
    }
  }
}

extension KeySet: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: KeyCode...) { self.init(elements) }
}

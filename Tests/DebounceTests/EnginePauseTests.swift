import StrokeFixtures
import Testing

@testable import Debounce

@Suite("A pause of the engine")
struct EnginePauseTests {
  private static let eager = Strategy.eager(Eager(threshold: 30.ms))

  @Test("passes all that the switch does, as it comes")
  func all() {
    var engine = Debouncer(
      Rules(
        strategy: Self.eager, groups: [Group(keys: [1, 2], lockout: 1000.ms)],
        meanings: [48: Meanings(single: 49)], wheel: WheelRules(reversal: 80.ms, first: 0)))
    engine.pause()
    let events: [Event] = [
      .down(.a), .up(.a), .down(.a), .up(.a), .down(1), .down(2), .down(48), .up(48),
      Event(type: 2, code: 8, value: 1), Event(type: 2, code: 8, value: -1),
    ]
    for (index, event) in events.enumerated() {
      #expect(engine.process(at: index.ms, event).flatMap(\.events) == [event])
    }
    #expect(engine.counters.chatter.total == 0 && engine.counters.suppressed == 0)
    #expect(engine.counters.pressesOut == engine.counters.pressesIn)
    #expect(engine.countedKeys.isEmpty)
  }

  @Test("begins and ends for each key when it is idle: no stroke is decided on by both")
  func idle() {
    var engine = Debouncer(Rules(strategy: Self.eager))
    engine.play("A+0", completely: false)
    engine.pause()
    // The bounce of the stroke in hand is still removed, and another key's passes.
    #expect(engine.play("A-2 A+4 S+5 S-6 S+7 A-200") == "S+5 S-6 S+7 A-200")
    engine.resume()
    // Still down: its release passes at once, whatever follows.
    #expect(engine.play("S-400 S+402 S-404").hasPrefix("S-400"))
    #expect(engine.isAtRest)
    #expect(engine.play("A+1000 A-1002 A+1004 A-1150") == "A+1000 A-1150")
  }

  /// An engine that has these habits, and is paused.
  private func paused(_ habits: LearnedHabits, _ rules: Rules = Rules()) -> Debouncer {
    var engine = Debouncer(rules)
    engine.install(habits)
    engine.pause()
    return engine
  }

  private static let bad = LearnedHabits(keys: [.init(.a, offset: 500, badFor: 5)])

  /// So many edges of the key, one each interval.
  private func edges(_ count: Int, every interval: Microseconds) -> [Edge] {
    (0..<count).map { Edge(.a, down: $0 % 2 == 0, at: Microseconds($0) * interval) }
  }

  @Test("takes nothing away from what was learned, and adds nothing")
  func learning() {
    var engine = paused(Self.bad)
    // More presses than the evidence holds for, and as a machine would make them.
    _ = engine.process(strokes: edges(200, every: 3.ms))
    #expect(engine.isBad(.a))
    engine.resume()
    #expect(engine.habits == Self.bad && !engine.hasTypedLikeAMachine)
  }

  @Test("does not have a spike taken for a machine's second stroke after the one that passed")
  func spikes() {
    var engine = Debouncer(Rules(strategy: .adaptive(Adaptive(confirm: 0, dropout: 12.ms))))
    func playSpike(at start: Int) -> String {
      let spike = "LEFTSHIFT+\(start) LEFTSHIFT-\(start + 25) LEFTSHIFT+\(start + 33)"
      let end = start + 54
      return engine.play(spike + " LEFTSHIFT-\(end) & A+\(end) & A-\(end)")
    }
    #expect(playSpike(at: 0).filter { $0 == "+" }.count == 1)
    engine.pause()
    _ = playSpike(at: 2000)
    engine.resume()
    #expect(playSpike(at: 4000).filter { $0 == "+" }.count == 1)
  }

  @Test("keeps new rules waiting until it ends")
  func adoption() {
    var engine = paused(Self.bad)
    engine.adopt(Rules(strategy: .defer(Defer(threshold: 30.ms))))
    #expect(engine.play("A+0 A-1 A+2 A-3") == "A+0 A-1 A+2 A-3")
    engine.resume()
    // What another strategy had learned goes with it.
    #expect(engine.habits.keys.isEmpty)
    #expect(engine.play("A+1000", completely: false).isEmpty)
  }

  @Test("does not lose what was learned before, though it is read during the pause")
  func installed() {
    var engine = Debouncer(Rules(keys: [.s: .adaptive(Adaptive()).named]))
    engine.pause()
    let habits = LearnedHabits(keys: [.init(.a, badFor: 5, reach: 20.ms)])
    let isInstalled = engine.install(habits)
    #expect(isInstalled && engine.habits == habits)
    engine.resume()
    #expect(engine.habits == habits && engine.isBad(.a))
    // How late a named key's bounces came is no evidence, and stays, too.
    let late = LearnedHabits(keys: [.init(.a, reach: 20.ms)])
    #expect(paused(late, Rules(keys: [.a: .adaptive(Adaptive()).named])).habits == late)
  }

  @Test("goes on in a second one for a key that was held from one to the other")
  func twice() {
    var engine = paused(Self.bad)
    _ = engine.process(strokes: edges(21, every: 300.ms))
    engine.resume()
    engine.pause()
    engine.play("A-10000")
    engine.resume()
    #expect(engine.habits == Self.bad)
  }

  @Test("has presses that are no part of the evidence")
  func evidence() {
    var engine = Debouncer(Rules(strategy: .adaptive(Adaptive(within: 50))))
    engine.play("A+0 A-8 A+14 A-100 A+300 A-400")
    let before = engine.habits.keys.map(\.badFor)
    #expect(before.count == 1 && before[0] != nil)
    engine.pause()
    engine.play("A+600 A-700 A+900 A-1000 A+1200 A-1300")
    engine.resume()
    #expect(engine.habits.keys.map(\.badFor) == before)
  }
}

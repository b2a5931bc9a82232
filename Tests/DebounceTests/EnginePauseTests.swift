import Testing

@testable import Debounce

@Suite("A pause of the engine")
struct EnginePauseTests {
  private static let rules = Rules(
    strategy: .eager(Eager(threshold: 30_000)), groups: [Group(keys: [1, 2], lockout: 1_000_000)],
    meanings: [48: Meanings(single: 49)], wheel: WheelRules(reversal: 80_000, first: 0))

  private struct Run {
    var engine: Debouncer
    var emitted: [Event] = []

    init(_ rules: Rules = EnginePauseTests.rules) { engine = Debouncer(rules) }

    mutating func send(_ events: Event..., at milliseconds: Int) {
      engine.process(Frame(time: Microseconds(milliseconds) * 1000, events))
      take()
    }

    mutating func take() {
      emitted += engine.takeFrames().flatMap(\.events)
    }
  }

  @Test("passes all that the switch does, as it comes")
  func all() {
    var run = Run()
    run.engine.pause()
    var events: [Event] = []
    for (index, event) in [
      Event.key(30, down: true), .key(30, down: false), .key(30, down: true),
      .key(30, down: false), .key(1, down: true), .key(2, down: true), .key(48, down: true),
      .key(48, down: false), Event(type: 2, code: 8, value: 1), Event(type: 2, code: 8, value: -1),
    ].enumerated() {
      run.send(event, at: index)
      events.append(event)
    }
    #expect(run.emitted == events)
    #expect(run.engine.counters.chatter.total == 0 && run.engine.counters.suppressed == 0)
    #expect(run.engine.counters.pressesOut == run.engine.counters.pressesIn)
    #expect(run.engine.countedKeys.isEmpty)
  }

  @Test("begins and ends for each key when it is idle: no stroke is decided on by both")
  func idle() {
    var run = Run()
    run.send(.key(30, down: true), at: 0)
    run.engine.pause()
    // The bounce of the stroke in hand is still removed, and another key's passes.
    for (time, down) in [(2, false), (4, true)] { run.send(.key(30, down: down), at: time) }
    run.send(.key(31, down: true), at: 5)
    run.send(.key(31, down: false), at: 6)
    run.send(.key(31, down: true), at: 7)
    run.send(.key(30, down: false), at: 200)
    run.engine.advance(to: 300_000)
    run.take()
    #expect(
      run.emitted == [
        .key(30, down: true), .key(31, down: true), .key(31, down: false), .key(31, down: true),
        .key(30, down: false),
      ])
    run.emitted = []
    run.engine.resume()
    // Still down: its release passes at once, whatever follows.
    run.send(.key(31, down: false), at: 400)
    run.send(.key(31, down: true), at: 402)
    run.send(.key(31, down: false), at: 404)
    run.engine.advance(to: 600_000)
    run.take()
    #expect(run.emitted.first == .key(31, down: false))
    #expect(run.engine.isAtRest)
    run.emitted = []
    for (time, down) in [(1000, true), (1002, false), (1004, true), (1150, false)] {
      run.send(.key(30, down: down), at: time)
    }
    run.engine.advance(to: 2_000_000)
    run.take()
    #expect(run.emitted == [.key(30, down: true), .key(30, down: false)])
  }

  @Test("takes nothing away from what was learned, and adds nothing")
  func learning() {
    let habits = LearnedHabits(
      usualHold: 90_000, keys: [LearnedHabits.Key(30, offset: 500, badFor: 5)])
    var run = Run(Rules())
    run.engine.install(habits)
    run.engine.pause()
    // More presses than the evidence holds for, and as a machine would make them.
    for round in 0..<200 { run.send(.key(30, down: round % 2 == 0), at: round * 3) }
    #expect(run.engine.isBad(30))
    run.engine.resume()
    #expect(run.engine.habits == habits)
    #expect(!run.engine.hasTypedLikeAMachine)
  }

  @Test("does not have a spike taken for a machine's second stroke after the one that passed")
  func spikes() {
    func playSpike(_ run: inout Run, at start: Int) {
      for (time, down) in [(0, true), (25, false), (33, true)] {
        run.send(.key(42, down: down), at: start + time)
      }
      run.send(.key(42, down: false), .key(30, down: true), .key(30, down: false), at: start + 54)
      run.engine.advance(to: Microseconds(start + 1000) * 1000)
      run.take()
    }
    var run = Run(Rules(strategy: .adaptive(Adaptive(confirm: 0, dropout: 12_000))))
    playSpike(&run, at: 0)
    #expect(run.emitted == [.key(42, down: true), .key(42, down: false)])
    run.engine.pause()
    playSpike(&run, at: 2000)
    run.engine.resume()
    run.emitted = []
    playSpike(&run, at: 4000)
    #expect(run.emitted == [.key(42, down: true), .key(42, down: false)])
  }

  @Test("keeps new rules waiting until it ends")
  func adoption() {
    var run = Run(Rules())
    run.engine.install(LearnedHabits(keys: [LearnedHabits.Key(30, badFor: 5)]))
    run.engine.pause()
    run.engine.adopt(Rules(strategy: .defer(Defer(threshold: 30_000))))
    for (time, down) in [(0, true), (1, false), (2, true), (3, false)] {
      run.send(.key(30, down: down), at: time)
    }
    #expect(run.emitted.count == 4)
    run.engine.resume()
    // What another strategy had learned goes with it.
    #expect(run.engine.habits.keys.isEmpty)
    run.emitted = []
    run.send(.key(30, down: true), at: 1000)
    #expect(run.emitted.isEmpty)
  }

  @Test("does not lose what was learned before, though it is read during the pause")
  func installed() {
    let habits = LearnedHabits(
      usualHold: 90_000, keys: [LearnedHabits.Key(30, badFor: 5, reach: 20_000)])
    var run = Run(Rules(keys: [31: .adaptive(Adaptive()).named]))
    run.engine.pause()
    let isInstalled = run.engine.install(habits)
    #expect(isInstalled && run.engine.habits == habits)
    run.engine.resume()
    #expect(run.engine.habits == habits && run.engine.isBad(30))
  }

  @Test("does not lose how late a named key's bounces came")
  func reach() {
    let habits = LearnedHabits(keys: [LearnedHabits.Key(30, reach: 20_000)])
    var run = Run(Rules(keys: [30: .adaptive(Adaptive()).named]))
    run.engine.install(habits)
    run.engine.pause()
    #expect(run.engine.habits == habits)
  }

  @Test("goes on in a second one for a key that was held from one to the other")
  func twice() {
    let habits = LearnedHabits(keys: [LearnedHabits.Key(30, badFor: 5)])
    var run = Run(Rules())
    run.engine.install(habits)
    run.engine.pause()
    for round in 0..<21 { run.send(.key(30, down: round % 2 == 0), at: round * 300) }
    run.engine.resume()
    run.engine.pause()
    run.send(.key(30, down: false), at: 10_000)
    run.engine.resume()
    #expect(run.engine.habits.keys.first?.badFor == 5)
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

import Debounce
import Testing

@Suite struct CounterTests {
  private func counters(_ text: String, _ rules: Rules = Rules()) -> Counters {
    var engine = Debouncer(rules)
    engine.play(text)
    return engine.counters
  }

  /// Presses' bounces, releases' bounces, drop-outs; of some just short of a limit, and at the limit.
  @Test(
    "Each kind of chatter is counted as what it is",
    arguments: [
      (.adaptive(Adaptive()), "A+0 A-8 A+14 A-120", [1, 0, 0]),
      (.adaptive(Adaptive()), "A+0 A-100 A+108 A-113", [0, 1, 0]),
      (.adaptive(Adaptive()), "A+0 A-8 A+14 A-300 A+309 A-600", [1, 0, 1]),
      // A drop-out with a hold of 30 ms after it stays one.
      (.eagerDefer(EagerDefer(threshold: 20.ms)), "A+0 A-100 A+110 A-139.999", [0, 1, 0]),
      (.eagerDefer(EagerDefer(threshold: 20.ms)), "A+0 A-100 A+110 A-140", [0, 0, 1]),
      // A hold of 30 ms is no press bounce.
      (.eagerDefer(EagerDefer(threshold: 50.ms)), "A+0 A-29.999 A+40 A-200", [1, 0, 0]),
      (.eagerDefer(EagerDefer(threshold: 50.ms)), "A+0 A-30 A+40 A-200", [0, 0, 1]),
      // A gap of 50 ms is no release bounce's.
      (.defer(Defer(threshold: 20.ms)), "A+0 A-100 A+149.999 A-155", [0, 1, 0]),
      (.defer(Defer(threshold: 20.ms)), "A+0 A-100 A+150 A-155", [1, 0, 0]),
    ] as [(Strategy, String, [UInt64])])
  func kinds(strategy: Strategy, text: String, kinds: [UInt64]) {
    #expect(counters(text, Rules(strategy: strategy)).chatter.kinds == kinds)
  }

  /// Where the release waits, its bounce looks like a drop-out until the next release shows the short hold.
  @Test(
    "Kinds of chatter are told apart where the strategy does not ask",
    arguments: [StrategyKind.defer, .eager, .eagerDefer, .prompt])
  func strategies(kind: StrategyKind) {
    let rules = Rules(strategy: kind.strategy(threshold: 15.ms))
    #expect(counters("A+0 A-8 A+14 A-120", rules).chatter.kinds == [1, 0, 0])
    #expect(counters("A+0 A-100 A+108 A-113", rules).chatter.kinds == [0, 1, 0])
  }

  @Test("Learning and forgetting are counted")
  func learning() {
    let rules = Rules(strategy: .adaptive(Adaptive(within: 2)))
    let learned = counters("A+0 A-8 A+14 A-100 A+200 A-208 A+214 A-300", rules)
    #expect((learned.learned, learned.forgotten) == (1, 0))
    let forgotten = counters("A+0 A-8 A+14 A-100 A+200 A-300 A+400 A-500 A+600 A-700", rules)
    #expect((forgotten.learned, forgotten.forgotten) == (1, 1))
    let twoKeys = counters("A+0 A-8 A+14 A-100 S+200 S-208 S+214 S-300", rules)
    #expect((twoKeys.learned, twoKeys.forgotten) == (2, 0))
  }

  @Test("Counts that are too large to be added up are the largest number")
  func overflow() {
    var counters = Counters()
    (
      counters.chatter.pressBounces, counters.chatter.dropOuts, counters.tooSoon, counters.tooShort
    ) = (.max, 1, .max, 1)
    #expect((counters.chatter.total, counters.suppressed) == (.max, .max))
  }

  /// Whoever begins to watch in between hears of the end of what began before.
  @Test("An outcome that is taken back, and was not counted, takes no count away")
  func takenBack() {
    var counters = Counters()
    for kind in [Outcome.Kind.restored(.throttled), .reclassified(.pressBounce)] {
      counters.count(Outcome(key: 30, isPress: true, edge: 0, time: 0, kind: kind))
    }
    #expect(
      (counters.throttled, counters.chatter.dropOuts, counters.chatter.pressBounces) == (0, 0, 1))
  }
}

import Debounce
import Testing

@Suite struct CounterTests {
  private func counters(_ text: String, _ rules: Rules = Rules()) -> Counters {
    var engine = Debouncer(rules)
    engine.play(text)
    return engine.counters
  }

  @Test("Each kind of chatter is counted as what it is")
  func kinds() {
    let pressBounce = counters("A+0 A-8 A+14 A-120")
    #expect(pressBounce.chatter.pressBounces == 1)
    #expect(pressBounce.chatter.total == 1)
    let releaseBounce = counters("A+0 A-100 A+108 A-113")
    #expect(releaseBounce.chatter.releaseBounces == 1)
    #expect(releaseBounce.chatter.total == 1)
    let dropOut = counters("A+0 A-8 A+14 A-300 A+309 A-600")
    #expect(dropOut.chatter.dropOuts == 1)
    #expect(dropOut.chatter.total == 2)
  }

  @Test(
    "Kinds of chatter are told apart where the strategy does not ask",
    arguments: [
      Strategy.defer(Defer(threshold: 15.ms)), .eager(Eager(threshold: 15.ms)),
      .eagerDefer(EagerDefer(threshold: 15.ms)), .prompt(Prompt(threshold: 15.ms)),
    ])
  func strategies(strategy: Strategy) {
    let rules = Rules(strategy: strategy)
    let pressBounce = counters("A+0 A-8 A+14 A-120", rules)
    #expect((pressBounce.chatter.pressBounces, pressBounce.chatter.total) == (1, 1))
    let releaseBounce = counters("A+0 A-100 A+108 A-113", rules)
    #expect(releaseBounce.chatter.total == 1)
    // Where the release waits, its bounce looks like a drop-out until the next release shows the short hold.
    #expect(releaseBounce.chatter.releaseBounces == 1)
  }

  /// Chatter just short of a limit, and at the limit: presses' bounces, releases' bounces, drop-outs.
  @Test(
    "Kinds of chatter have their limits",
    arguments: [
      // A drop-out with a hold of 30 ms after it stays one.
      (Strategy.eagerDefer(EagerDefer(threshold: 20.ms)), "A-1100 A+1110 A-1139.999", [0, 1, 0]),
      (.eagerDefer(EagerDefer(threshold: 20.ms)), "A-1100 A+1110 A-1140", [0, 0, 1]),
      // A hold of 30 ms is no press bounce.
      (.eagerDefer(EagerDefer(threshold: 50.ms)), "A-1029.999 A+1040 A-1200", [1, 0, 0]),
      (.eagerDefer(EagerDefer(threshold: 50.ms)), "A-1030 A+1040 A-1200", [0, 0, 1]),
      // A gap of 50 ms is no release bounce's.
      (.defer(Defer(threshold: 20.ms)), "A-1100 A+1149.999 A-1155", [0, 1, 0]),
      (.defer(Defer(threshold: 20.ms)), "A-1100 A+1150 A-1155", [1, 0, 0]),
    ] as [(Strategy, String, [UInt64])])
  func limits(strategy: Strategy, text: String, kinds: [UInt64]) {
    let chatter = counters("A+1000 " + text, Rules(strategy: strategy)).chatter
    let counted = [chatter.pressBounces, chatter.releaseBounces, chatter.dropOuts]
    #expect(counted.map { UInt64($0) } == kinds)
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

import StrokeFixtures
import Testing

@testable import Debounce

/// What is decided at the very limits of times and codes.
@Suite struct BoundaryTests {
  private func counters(_ text: String, _ rules: Rules) -> Counters {
    var engine = Debouncer(rules)
    _ = engine.process(strokes: strokes(text))
    return engine.counters
  }

  // MARK: Codes

  /// One more than the largest that the kernel can send.
  private static let beyond = KeyCode(EventType.keyCount)

  @Test func theFirstCodeThatNoKernelSendsIsNoKey() {
    let beyond = Self.beyond
    var set = KeySet([beyond])
    set.insert(beyond)
    set.remove(beyond)
    #expect(set.isEmpty && !set.contains(beyond))

    var engine = Debouncer(
      Rules(
        keys: [beyond: .none], groups: [Group(keys: [.a, beyond], lockout: 10.ms)],
        meanings: [
          beyond: Meanings(single: .a),
          .d: Meanings(single: beyond, double: beyond, hold: beyond),
        ]))
    let habits = LearnedHabits(keys: [.init(beyond, offset: 5.ms, badFor: 3)])
    let isInstalled = engine.install(habits)
    #expect(isInstalled)
    #expect(engine.habits.isEmpty)
    engine.add(KeyCounts(), of: beyond)
    engine.reset(beyond)
    #expect(engine.counts(of: beyond) == nil && !engine.isBad(beyond))
    // It passes as it is, and what means it means nothing.
    let events: [Event] = [.down(beyond), .up(beyond), .up(beyond)]
    for event in events {
      #expect(engine.process(at: 0, event) == [Frame(time: 0, [event])])
    }
    #expect(engine.process(at: 0, .held(beyond)).isEmpty)
    #expect(engine.counters.repeats == 1 && engine.counters.duplicates == 0)
    #expect(edges(in: engine.process(strokes: strokes("D+10 D-100"))).text == "D+10 D-100")
    #expect(engine.resynchronise(held: KeySet([beyond]), at: 200.ms).isEmpty)
  }

  @Test func theLastCodeIsAKeyLikeOthers() throws {
    let last = Self.beyond - 1
    #expect(KeySet([last]).contains(last))
    var engine = Debouncer(
      Rules(
        strategy: .eager(Eager(threshold: 10.ms)),
        meanings: [.d: Meanings(single: last), last: Meanings(single: .s)]))
    #expect(engine.process(at: 0, .down(last)) == [Frame(time: 0, [.down(.s)])])
    #expect(engine.process(at: 1.ms, .up(last)).isEmpty)
    #expect(engine.process(at: 2.ms, .held(last)).isEmpty)
    #expect(engine.counters.repeats == 1)
    #expect(engine.advance(to: .max) == [Frame(time: 10.ms, [.up(.s)])])
    #expect(engine.process(at: 50.ms, .down(.d)) == [Frame(time: 50.ms, [.down(last)])])
    #expect(engine.held == KeySet([last]))
    #expect(try #require(engine.counts(of: last)).strokes == 1)
  }

  @Test(arguments: [0, beyond - 1])
  func eachCodeIsPutRightAfterALoss(code: KeyCode) {
    var engine = Debouncer()
    #expect(engine.resynchronise(held: KeySet([code]), at: 0) == [Frame(time: 0, [.down(code)])])
    #expect(engine.close(at: 5) == [Frame(time: 5, [.up(code)])])
  }

  @Test func aSetCountsItsKeys() {
    var set = KeySet([0, 63, 64, 700])
    #expect(set.count == 4)
    #expect(Array(set) == [0, 63, 64, 700])
    #expect(Array(KeySet([Self.beyond - 1])) == [Self.beyond - 1])
    set.remove(700)
    #expect(Array(set) == [0, 63, 64])
    set.remove(64)
    #expect(Array(set) == [0, 63])
    set.removeAll()
    #expect(set.isEmpty && Array(set) == [])
  }

  /// Of what is no key, scan codes alone belong to a key: other numbers of a device, and other axes, are nothing of the kind.
  @Test func whatIsNoScanCodePassesOnItsOwn() {
    let rules = Rules(strategy: .defer(Defer(threshold: 20.ms)))
    for event in [Event(type: 4, code: 5, value: 9), Event(type: 2, code: 4, value: 9)] {
      var engine = Debouncer(rules)
      #expect(engine.process(at: 0, event, .down(.a)) == [Frame(time: 0, [event])])
      #expect(engine.advance(to: .max) == [Frame(time: 20.ms, [.down(.a)])])
    }
  }

  @Test func whatIsNewIsEmpty() {
    let frame = Frame(capacity: 4)
    #expect(frame.isEmpty && !frame.movesKeys && frame.time == 0 && Frame() == frame)
    let counts = KeyCounts()
    #expect((counts.strokes, counts.learned, counts.forgotten) == (0, 0, 0))
    #expect((counts.suppressed, counts.nearMisses, counts.chatter.total) == (0, 0, 0))
  }

  // MARK: Chatter

  @Test func aDropOutWithAHoldOfThirtyMillisecondsAfterItStaysOne() {
    let rules = Rules(strategy: .eagerDefer(EagerDefer(threshold: 20.ms)))
    let short = counters("A+1000 A-1100 A+1110 A-1139.999", rules)
    #expect((short.chatter.releaseBounces, short.chatter.dropOuts) == (1, 0))
    let long = counters("A+1000 A-1100 A+1110 A-1140", rules)
    #expect((long.chatter.releaseBounces, long.chatter.dropOuts) == (0, 1))
  }

  @Test func aHoldOfThirtyMillisecondsIsNoPressBounce() {
    let rules = Rules(strategy: .eagerDefer(EagerDefer(threshold: 50.ms)))
    let short = counters("A+1000 A-1029.999 A+1040 A-1200", rules)
    #expect((short.chatter.pressBounces, short.chatter.dropOuts) == (1, 0))
    let long = counters("A+1000 A-1030 A+1040 A-1200", rules)
    #expect((long.chatter.pressBounces, long.chatter.dropOuts) == (0, 1))
  }

  @Test func aGapOfFiftyMillisecondsIsNoReleaseBounce() {
    let rules = Rules(strategy: .defer(Defer(threshold: 20.ms)))
    let short = counters("A+1000 A-1100 A+1149.999 A-1155", rules)
    #expect((short.chatter.releaseBounces, short.chatter.pressBounces) == (1, 0))
    let long = counters("A+1000 A-1100 A+1150 A-1155", rules)
    #expect((long.chatter.releaseBounces, long.chatter.pressBounces) == (0, 1))
  }

  @Test func theIntervalsOfChatterAreCountedAsLongAsTheyAre() throws {
    var engine = Debouncer(Rules(strategy: .eagerDefer(EagerDefer(threshold: 20.ms))))
    _ = engine.process(strokes: strokes("A+1000 A-1300 A+1309 A-1600"))
    let removed = try #require(engine.counts(of: .a)).removedGaps.values
    #expect(removed == [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])

    // Before a first stroke that vanishes there is no gap.
    var deferring = Debouncer(Rules(strategy: .defer(Defer(threshold: 20.ms))))
    _ = deferring.process(strokes: strokes("A+1000 A-1004"))
    let counts = try #require(deferring.counts(of: .a))
    #expect((counts.removedGaps.total, counts.removedHolds.total) == (0, 1))
    #expect(counts.removedHolds.values[3] == 1)
  }

  // MARK: Strategies

  /// Lock-outs are half open: at its very end the lock has ended.
  @Test func anEdgeAtTheEndOfALockPassesAtOnce() {
    var engine = Debouncer(Rules(strategy: .eager(Eager(threshold: 20.ms))))
    _ = engine.process(at: 0, .down(.a))
    #expect(engine.process(at: 20.ms, .up(.a)) == [Frame(time: 20.ms, [.up(.a)])])
    #expect(engine.deadline == nil)
  }

  @Test func aStrategyWaitsForNoLongerThanItSays() {
    func waits(_ strategy: Strategy) -> [Microseconds] {
      [true, false].map { strategy.longestWait(ofPress: $0) }
    }
    #expect(waits(.none) == [0, 0])
    #expect(waits(.bounceKeys(BounceKeys(delay: 100.ms))) == [0, 0])
    #expect(waits(.slowKeys(SlowKeys(delay: 100.ms))) == [100.ms, 0])
    #expect(waits(.throttle(Throttle(interval: 100.ms))) == [0, 0])
    #expect(waits(.throttle(Throttle(interval: 100.ms, latest: true))) == [100.ms, 100.ms])
    #expect(waits(.defer(Defer(press: 5.ms, release: 7.ms))) == [5.ms, 7.ms])
    #expect(waits(.eagerDefer(EagerDefer(press: 5.ms, release: 7.ms))) == [0, 7.ms])
  }

  @Test func adaptiveWaitsForNoLongerThanItSays() {
    let usual = Strategy.adaptive(Adaptive())
    #expect(usual.longestWait(ofPress: false) == 106.ms)
    // A bad key's very short stroke, with a long threshold.
    let long = Strategy.adaptive(Adaptive(threshold: 100.ms))
    #expect(long.longestWait(ofPress: false) == 280.ms)
  }

  @Test func aKeyWaitsForNoLongerThanItsRulesSay() {
    let rules = Rules(
      strategy: .adaptive(Adaptive()),
      keys: [
        .s: .defer(Defer(press: 5.ms, release: 7.ms)), .d: .defer(Defer(press: 500.ms, release: 0)),
      ])
    func waits(_ key: KeyCode, _ rules: Rules) -> [Microseconds] {
      [true, false].map { rules.longestWait(of: key, isPress: $0) }
    }
    // A press may be one that was taken for chatter, and then comes after its own contact of 33 ms.
    #expect(waits(.a, rules) == [139.ms, 106.ms])
    // In order behind a press of A.
    #expect(waits(.s, rules) == [106.ms, 7.ms])
    #expect(waits(.d, rules) == [500.ms, 0])
    #expect(waits(.s, Rules(strategy: .none, keys: [.a: .none])) == [0, 0])
    let oneKey = Rules(strategy: .none, keys: [.a: .adaptive(Adaptive(threshold: 100.ms))])
    #expect(waits(.a, oneKey) == [313.ms, 280.ms])
    #expect(waits(.s, oneKey) == [280.ms, 0])
  }

  /// Whatever K does, the press of X waits behind it no longer than an edge of K would.
  @Test func aPressWaitsNoLongerBehindOneKeyHoweverManyOthersFollow() {
    let rules = Rules(strategy: .adaptive(Adaptive()))
    let clean = debounce(
      strokes(
        """
        K+0 K-10 K+15 K-25 X+30 K+50 K-55 Y+60 K+85 K-93 Z+94 K+120 K-122 W+130 K+150 K-152 V+160 \
        K+180 K-182 U+190 X-300 Y-310 Z-320 W-330 V-340 U-350
        """), rules)
    #expect(
      clean.filter(\.isDown).text == "K+0 X+136 Y+166 Z+200 W+223 V+223 U+223")
  }

  /// A release of a key that is decided by itself is not held back.
  @Test func onlyWhatAdaptiveDecidesAndPressesWaitBehindAKey() {
    let rules = Rules(
      strategy: .adaptive(Adaptive()), keys: [.s: .eagerDefer(EagerDefer(press: 0, release: 10.ms))]
    )
    let clean = debounce(
      strokes("S+0 K+100 K-110 K+115 K-125 S-126 X+130 X-300"), rules)
    #expect(clean.text == "S+0 K+100 S-136 K-170 X+170 X-300")
  }

  @Test func theShortestWaitIsAWait() {
    let clean = debounce(strokes("A+0 A-10"), Rules(strategy: .slowKeys(SlowKeys(delay: 1))))
    #expect(clean.map(\.time) == [1, 10.ms])
    let deferred = debounce(strokes("A+0 A-10"), Rules(strategy: .defer(Defer(threshold: 1))))
    #expect(deferred.map(\.time) == [1, 10.ms + 1])
  }

  @Test func aThresholdOfZeroLeavesFramesWhole() {
    for strategy in [
      Strategy.defer(Defer(threshold: 0)), .eager(Eager(threshold: 0)),
      .eagerDefer(EagerDefer(threshold: 0)), .prompt(Prompt(quiet: 0)),
    ] {
      var engine = Debouncer(Rules(strategy: strategy))
      for events: [Event] in [[.motion(1), .down(.a), .motion(2)], [.motion(1), .up(.a)]] {
        #expect(engine.process(Frame(time: 5, events)) == [Frame(time: 5, events)])
      }
    }
  }

  /// A near miss is a press that passes after a gap that is not much longer than those of chatter.
  @Test func nearMissesAreCountedWhereGapsDecide() throws {
    func nearMisses(_ text: String, _ strategy: Strategy) throws -> UInt32 {
      var engine = Debouncer(Rules(strategy: strategy))
      _ = engine.process(strokes: strokes(text))
      return try #require(engine.counts(of: .a)).nearMisses
    }
    #expect(try nearMisses("A+0 A-100 A+100 A-200", .none) == 0)
    // Without a time for drop-outs it is the other one that decides: 25 and 30 ms, packaged.
    let gap = "A+0 A-100 A+149 A-300"
    #expect(try nearMisses(gap, .adaptive(Adaptive(dropout: 0))) == 1)
    #expect(try nearMisses(gap, .adaptive(Adaptive(dropout: 1))) == 0)
  }

  @Test func limitsBeginAtNothing() {
    #expect(Meanings.withinLimits == 20.ms...2000.ms)
    #expect(Meanings.afterLimits == 20.ms...10_000.ms)
    var engine = Debouncer(Rules(strategy: .adaptive(Adaptive())))
    engine.install(LearnedHabits(usualHold: -5))
    #expect(engine.habits.usualHold == 0)
  }

  @Test func strategiesForHandsTakeStrokes() {
    let hands = StrategyKind.allCases.filter { $0.packaged.isAccessibility }
    #expect(Set(hands.map(\.name)) == ["bounce-keys", "slow-keys"])
    let taking = StrategyKind.allCases.filter { $0.packaged.suppressesStrokes }
    #expect(Set(taking.map(\.name)) == ["bounce-keys", "throttle"])
  }

  /// A modifier that comes up at the very deadline of a press was down when that press was made.
  @Test func aPressThatIsDueGoesOutBeforeItsModifierComesUp() throws {
    var engine = Debouncer(Rules(strategy: .adaptive(Adaptive())))
    _ = engine.process(strokes: strokes("LEFTSHIFT+0 A+10 A-100 A+108"), completely: false)
    let due = try #require(engine.deadline)
    let frames = engine.process(at: due, .up(.leftShift)) + engine.advance(to: .max)
    #expect(edges(in: frames).map(\.key) == [.a, .leftShift])
  }

  /// Strokes that overlap are a finger's, however short: nothing of a machine's burst.
  @Test func aShortStrokeBesideAnotherKeyIsNoMachines() {
    let clean = debounce(
      strokes("X+0 X-20 A+25 S+27 A-30 A+36 A-120 S-130"), Rules(strategy: .adaptive(Adaptive())))
    #expect(clean.filter { $0.key == .a }.map(\.isDown) == [true, false])
  }

  /// Presses keep the order of the switches: in one frame, that of its events.
  @Test func aPressOfTheSameFrameThatCameFirstGoesOutFirst() {
    let rules = Rules(
      strategy: .adaptive(Adaptive()), keys: [.s: .defer(Defer(press: 5.ms, release: 0))])
    let clean = debounce(strokes("A+0 A-100 A+108 & S+108 S-300 A-310"), rules)
    #expect(clean.filter(\.isDown).map(\.key) == [.a, .a, .s])
  }

  /// A press that waits for its own sake pushes out no suspicious one that came before it, not even in the same frame: that one
  /// may still prove a bounce.
  @Test func aPressDoesNotPushOutASuspiciousOneOfTheSameFrame() {
    let rules = Rules(
      strategy: .adaptive(Adaptive()), keys: [.s: .defer(Defer(press: 5.ms, release: 0))])
    // A's second press is a bounce of its release, which is known at 120.
    #expect(
      debounce(strokes("A+0 A-100 A+108 & S+108 A-120 S-300"), rules).text
        == "A+0 A-100 S+120 S-300")
    // The other way round, S came first, and waits for nobody.
    #expect(
      debounce(strokes("A+0 A-100 S+108 & A+108 A-120 S-300"), rules).text
        == "A+0 A-100 S+113 S-300")
    // It lasts, and S goes out after it.
    #expect(
      debounce(strokes("A+0 A-100 A+108 & S+108 A-200 S-300"), rules).text
        == "A+0 A-100 A+133 S+133 A-200 S-300")
  }

  /// Nor does a stroke that `throttle` put off.
  /// S and D come in one frame. S waits for A, and D's press, which came after S's, is decided later.
  @Test func aPressThatIsPostponedStaysBeforeThoseOfItsFrame() {
    let rules = Rules(
      strategy: .adaptive(Adaptive()), keys: [.s: .defer(Defer(press: 10.ms, release: 0))])
    #expect(
      debounce(strokes("D+0 A+5 D-100 A-100 A+110 S+115 D+115 D-138 A-300 S-310"), rules).text
        == "D+0 A+5 D-100 A-100 A+135 S+135 A-300 S-310")
  }

  @Test func aStrokePutOffDoesNotPushOutASuspiciousPress() {
    let rules = Rules(
      strategy: .adaptive(Adaptive()),
      keys: [.s: .throttle(Throttle(interval: 100.ms, latest: true))])
    // A's second press is a bounce of its release, which is known at 120; it would have been decided at 133.
    #expect(
      debounce(strokes("A+0 S+15 S-40 A-100 A+108 S+109 S-112 A-120"), rules).text
        == "A+0 S+15 S-40 A-100 S+133 S-133")
    // It lasts, and S's stroke goes out after it.
    #expect(
      debounce(strokes("A+0 S+15 S-40 A-100 A+108 S+109 S-112 A-200"), rules).text
        == "A+0 S+15 S-40 A-100 A+133 S+133 S-133 A-200")
    // Held, it is let go in its time.
    #expect(
      debounce(strokes("A+0 S+15 S-40 A-100 A+108 S+109 A-120 S-300"), rules).text
        == "A+0 S+15 S-40 A-100 S+133 S-300")
  }

  /// A stroke that is let go and proves a machine's goes out after a press that came earlier in the same frame.
  @Test func aSecondStrokeDoesNotOvertakeAPressOfTheSameFrame() {
    let rules = Rules(
      strategy: .adaptive(Adaptive(confirm: 40.ms)),
      keys: [.a: .adaptive(Adaptive(confirm: 21.ms))])
    let clean = debounce(
      strokes("S+0 S-25 A+30 S+100 S-125 A-130 A+140 & S+140 S-160 A-300"), rules)
    #expect(clean.filter(\.isDown).map(\.key) == [.s, .a, .s, .a, .s])
  }

  /// What waits for two others waits for the second when the first has vanished.
  @Test func aQueuedPressWaitsForAllThatCameBefore() {
    var engine = Debouncer(Rules(strategy: .adaptive(Adaptive())))
    _ = engine.process(
      strokes: strokes("A+0 S+10 A-100 S-101 A+108 S+109 D+110"), completely: false)
    // A's press was a bounce of its release; S's is not decided yet.
    #expect(engine.process(at: 112.ms, .up(.a)).isEmpty)
    let rest = edges(in: engine.process(strokes: strokes("D-300 S-310")))
    #expect(rest.filter(\.isDown).map(\.key) == [.s, .d])
  }

  // MARK: adaptive

  private func adaptive(_ text: String) -> Debouncer {
    var engine = Debouncer(Rules(strategy: .adaptive(Adaptive())))
    _ = engine.process(strokes: strokes(text))
    return engine
  }

  private func clean(_ text: String, _ rule: Adaptive = Adaptive(), flush: Flush = .modifiers)
    -> [Edge]
  {
    debounce(strokes(text), Rules(strategy: .adaptive(rule), flush: flush))
  }

  private func presses(_ edges: [Edge], of key: KeyCode = .a) -> Int {
    edges.count { $0.key == key && $0.isDown }
  }

  @Test func aPressThatIsLetGoAtItsDeadlineHasNotLasted() {
    #expect(clean("A+0 A-100 A+110 A-135").text == "A+0 A-100")
    #expect(clean("A+0 A-100 A+110 A-135.001").map(\.isDown) == [true, false, true, false])
  }

  @Test func aPressThatWaitsForOneThatVanishesGoesOutWithThat() {
    let rules = Rules(
      strategy: .adaptive(Adaptive()), keys: [.s: .defer(Defer(press: 5.ms, release: 0))])
    // A's second press is a bounce, which is known at 120.
    #expect(
      debounce(strokes("A+0 A-100 A+108 S+109 A-120 S-300"), rules).text == "A+0 A-100 S+120 S-300")
  }

  /// What is pressed behind strokes that may be several waits until that is decided, whatever its strategy; a release does not.
  @Test func pressesWaitBehindStrokesThatMayBeSeveral() {
    let deferring = Rules(
      strategy: .adaptive(Adaptive()), keys: [.s: .defer(Defer(press: 5.ms, release: 0))])
    #expect(
      debounce(strokes("A+0 A-10 A+20 A-40 S+45 S-200"), deferring).text
        == "A+0 A-80 S+80 S-200")
    let passing = Rules(strategy: .adaptive(Adaptive()), keys: [.s: .none])
    #expect(
      debounce(strokes("A+0 A-10 A+20 S+30 A-40 S-50"), passing).text == "A+0 S+30 S-50 A-80")
  }

  /// A stroke of exactly 33 ms, from before the key had this strategy.
  @Test func aStrokeOfThirtyThreeMillisecondsIsNoMachines() {
    func clean(_ second: String, _ confirm: Microseconds) -> String {
      var engine = Debouncer(Rules(strategy: .none))
      _ = engine.process(strokes: strokes("A+0 A-33"), completely: false)
      engine.adopt(Rules(strategy: .adaptive(Adaptive(confirm: confirm))))
      let bounce = engine.process(strokes: strokes(second), completely: false)
      return edges(in: bounce + engine.process(strokes: strokes("A+500 A-600"))).text
    }
    // What comes after it and is let go at once is evidence against the switch, whose releases wait from then on.
    #expect(clean("A+41 A-51", 25.ms) == "A+500 A-625")
    // It is not the first of two as short as each other.
    #expect(clean("A+41 A-71", 40.ms) == "A+500 A-625")
  }

  /// Nor is the second of two as short as each other one of exactly 33 ms.
  @Test func aSecondStrokeOfThirtyThreeMillisecondsIsNoMachines() {
    #expect(clean("A+0 A-30 A+60 A-93", Adaptive(confirm: 40.ms)).text == "A+0 A-55")
    #expect(presses(clean("A+0 A-30 A+60 A-92.999", Adaptive(confirm: 40.ms))) == 2)
  }

  /// A machine may send a key down, up and down again at one time. No wait is left where so short a hold is expected, however long it was.
  @Test func afterPressesOfOneTimeNothingWaits() {
    var engine = Debouncer(Rules(strategy: .adaptive(Adaptive(dropout: 100.ms))))
    engine.install(LearnedHabits(keys: [.init(.a, badFor: 10)]))
    let clean = edges(
      in: engine.process(strokes: strokes("S+0 S-10 D+20 D-30 A+40 A-40 A+40 A-140")))
    #expect(clean.filter { $0.key == .a }.text == "A+40 A-40 A+40 A-140")
  }

  @Test func aStrokeOfFortyFiveMillisecondsIsNotVeryShort() {
    for (text, clean) in [("A+0 A-45", "A+0 A-45"), ("A+0 A-44.999", "A+0 A-55")] {
      var engine = Debouncer()
      engine.install(LearnedHabits(usualHold: 140.ms))
      #expect(edges(in: engine.process(strokes: strokes(text))).text == clean)
    }
  }

  @Test func aReleaseIsEarlyBeforeFiftyFourPercentOfTheUsualHold() {
    for (text, clean) in [("A+0 A-48.6", "A+0 A-73.6"), ("A+0 A-48.599", "A+0 A-86.099")] {
      var engine = Debouncer()
      engine.install(LearnedHabits(keys: [.init(.a, badFor: 10)]))
      #expect(edges(in: engine.process(strokes: strokes(text))).text == clean)
    }
  }

  @Test func aShortThresholdMakesABadKeyNoLessSuspicious() {
    var engine = Debouncer(Rules(strategy: .adaptive(Adaptive(threshold: 10.ms))))
    engine.install(LearnedHabits(keys: [.init(.a, badFor: 100)]))
    // After a gap of 35 ms, and after a stroke of 10 ms.
    #expect(
      edges(in: engine.process(strokes: strokes("A+0 A-100 A+135 A-140"))).text == "A+0 A-110")
    #expect(edges(in: engine.process(strokes: strokes("A+1000 A-1010"))).text == "A+1000 A-1055")
  }

  @Test func sixtyMillisecondsAreNotTooShortForAFinger() {
    // The second press vanishes; from the release before it to its own it is so long.
    let bounces = [("A+0 A-100 A+135 A-159.999", 1), ("A+0 A-100 A+135 A-160", 0)]
    for (text, learned) in bounces {
      let engine = adaptive(text)
      #expect((engine.counters.pressesOut, engine.counters.learned) == (1, UInt64(learned)))
    }
  }

  @Test func aGapThatIsNotSuspiciousAtItsTempoIsNoEvidence() {
    #expect(adaptive("A+0 A-46 A+62 A-100 A+114 A-160").counters.learned == 0)
  }

  @Test func aHeldContactProvesOneStrokeHoweverManyShortOnesFollow() {
    let chatter = (0..<9).map { "A+\(110 + 10 * $0) A-\(115 + 10 * $0)" }.joined(separator: " ")
    #expect(clean("A+0 A-8 A+14 A-100 \(chatter) A+200 A-400").text == "A+0 A-425")
  }

  // MARK: Machines

  /// No switch moves a modifier between two contacts.
  @Test(arguments: [
    ("A+0 A-8 LEFTSHIFT+10 A+14 A-100 LEFTSHIFT-200", 2),
    ("A+0 A-8 & LEFTSHIFT+8 A+14 A-100 LEFTSHIFT-200", 2),
    ("S+0 A+1 A-8 LEFTSHIFT+8.001 & S-8.001 A+14 A-100 LEFTSHIFT-200", 2),
    // In the same frame, before the release.
    ("A+0 LEFTSHIFT+8 & A-8 A+14 A-100 LEFTSHIFT-200", 2),
    // A report says that everything is up, and the kernel names modifiers first: “Aa”.
    ("LEFTSHIFT+0 & A+0 LEFTSHIFT-2 & A-2 A+7 A-9", 2),
    ("LEFTSHIFT+0 A+1 A-8 A+14 A-100 LEFTSHIFT-200", 1),
  ])
  func aModifierThatMovesBetweenTwoShortStrokesShowsAMachine(text: String, count: Int) {
    #expect(presses(clean(text)) == count)
  }

  @Test func theReleaseBounceOfAModifierShowsNoMachine() {
    #expect(
      clean("LEFTSHIFT+0 LEFTSHIFT-100 LEFTSHIFT+108 LEFTSHIFT-112").text
        == "LEFTSHIFT+0 LEFTSHIFT-100")
  }

  /// Two short strokes of one key, the first of which went out before its time because of another key's press.
  @Test(arguments: [
    ("A+0 A-10 S+12 A+20 A-38 S-300", 25, 2), ("A+0 A-10 S+12 A+20 A-38.001 S-300", 25, 1),
    ("A+0 A-18 S+20 A+28 A-38 S-300", 25, 2), ("A+0 A-18 S+20 A+28 A-37.999 S-300", 25, 1),
    // From 33 ms on a contact is no machine's.
    ("A+0 A-30 S+32 A+40 A-72.999 S-300", 60, 2), ("A+0 A-30 S+32 A+40 A-73 S-300", 60, 1),
  ])
  func twoShortStrokesOfAKeyAreAsLongAsEachOther(text: String, confirm: Int, count: Int) {
    // However the second one ends, the key is up after it, and its next press goes out.
    let edges = clean(text + " A+1000 A-1100", Adaptive(confirm: confirm.ms), flush: .all)
    #expect(presses(edges) == count + 1)
  }

  @Test(arguments: [
    // Contacts of 10 and 18 ms, then gaps of as much.
    ("A+0 A-10 A+20 A-38 A+48 A-58", 3), ("A+0 A-10 A+20 A-38.001 A+48 A-58", 1),
    ("A+0 A-10 A+20 A-30 A+48 A-58", 3), ("A+0 A-10 A+20 A-30 A+48.001 A-58", 1),
  ])
  func contactsAndGapsOfAMachineDifferByEightMillisecondsAtMost(text: String, count: Int) {
    #expect(presses(clean(text)) == count)
  }

  @Test func anOverlapEndsAMachinesTyping() {
    // What comes after a gap of 2 ms waits again.
    let clean = clean("A+0 A-1 S+2 S-3 A+4 S+5 S-200 A-210")
    #expect(clean.contains(Edge(.s, down: true, at: 30.ms)))
  }

  @Test func noMachineIsTypingAfterALoss() {
    var engine = Debouncer()
    _ = engine.resynchronise(held: KeySet(), at: 0)
    #expect(presses(edges(in: engine.process(strokes: strokes("A+1 A-6 A+10 A-100")))) == 1)
  }

  /// A key that repeats what a machine sends: after so many even contacts, for so long, they are delivered though the last one
  /// goes on.
  private static let burst = "A+0 A-10 A+20 A-30 A+40 A-50 A+60 A-70 A+80 A-90 A+100"

  @Test func theStrokesOfABurstAreDeliveredAndProveNothing() throws {
    let held = adaptive(Self.burst + " A-250")
    #expect((held.counters.pressesOut, held.counters.learned) == (6, 0))
    let counts = try #require(held.counts(of: .a))
    #expect(counts.removedGaps.values.allSatisfy { $0 == 0 })
    #expect(
      (counts.chatter.pressBounces, counts.chatter.releaseBounces, counts.chatter.dropOuts) == (
        0, 0, 0
      ))
    // No more of them are delivered when a finger's stroke of another key ends the machine's typing.
    #expect(presses(clean(Self.burst + " S+105 A-110 S-300")) == 6)
  }

  /// Until then a held contact may come, which proves them bounces.
  @Test func aBurstIsNotDeliveredBeforeItHasGoneOnForAHundredMilliseconds() {
    let early = "A+0 A-10 A+20 A-30 A+40 A-50 A+60 A-70 A+80 A-90 A+99.999 A-250"
    #expect(presses(clean(early)) == 1)
    #expect(presses(clean(early.replacing("A+99.999", with: "A+100"))) == 6)
  }

  /// However many presses come behind strokes that may be several, their end waits for 106 ms at most.
  @Test func theEndOfStrokesThatMayBeSeveralIsPutOffOnlySoFar() {
    let clean = clean("A+0 A-10 A+20 A-30 S+60 D+90 F+120 S-300 D-310 F-320")
    #expect(clean.contains(Edge(.a, down: false, at: 136.ms)))
  }

  @Test func whatWaitsGoesOutWhenABurstShowsAMachine() {
    let clean = clean("A+0 A-10 A+20 A-30 A+40 A-50 A+60 A-70 S+75 A+80 A-90 A+100 A-110 S-120")
    #expect(clean.contains(Edge(.s, down: true, at: 100.ms)))
  }

  /// While it goes on, nothing of it is delivered: a bad key crackles.
  @Test func theStrokesOfABurstCountForABadKeyAndComeWhenItEnds() {
    func run(_ text: String) -> Debouncer {
      var engine = Debouncer(Rules(strategy: .adaptive(Adaptive(within: 20))))
      engine.install(LearnedHabits(keys: [.init(.a, badFor: 20)]))
      _ = engine.process(strokes: strokes(text))
      return engine
    }
    let even = run("A+0 A-25 A+50 A-75 A+100 A-125")
    #expect(even.counters.pressesOut == 3)
    #expect(even.habits.keys.map(\.badFor) == [17])
    // Faster than a machine from press to press: one stroke, and its beginning bounced.
    let fast = run("A+0 A-20 A+44.999 A-64.999 A+89.998 A-110")
    #expect(fast.counters.pressesOut == 1)
    #expect(run(Self.burst + " A-250").counters.pressesOut == 1)
  }

  @Test func theWindowInWhichAPressIsSuspiciousIsHalfOpen() {
    let rules = Rules(strategy: .adaptive(Adaptive()))
    // At 90 ms from press to press, half of 90 is usual, and half of 40 is the window.
    let text = "A+0 A-70 A+90 A-160 "
    #expect(
      debounce(strokes(text + "A+180 A-250"), rules).contains(Edge(.a, down: true, at: 180.ms)))
    let early = debounce(strokes(text + "A+179.999 A-250"), rules)
    #expect(!early.contains(Edge(.a, down: true, at: 179_999)))
    #expect(early.filter(\.isDown).count == 3)
  }

  @Test func aStrokeOfTwentyMillisecondsIsLearnedFrom() {
    #expect(adaptive("A+0 A-19.999").habits.isEmpty)
    #expect(adaptive("A+0 A-20").habits.usualHold == LearnedHabits.packagedHold - 1.ms)
  }

  @Test func aGapThatAFingerCanMakeIsNoEvidence() {
    #expect(adaptive("A+0 A-40 A+54.999 A-200").counters.learned == 1)
    #expect(adaptive("A+0 A-40 A+55 A-200").counters.learned == 0)
    #expect(adaptive("A+0 A-46 A+59.999 A-200").counters.learned == 1)
    #expect(adaptive("A+0 A-46 A+60 A-200").counters.learned == 0)
  }

  @Test func twentySuspiciousPressesMustHaveLastedSinceOneDidNot() {
    var evidence = Evidence()
    for _ in 0..<19 { evidence.last() }
    #expect(!evidence.isContactless)
    evidence.lasted = 0
    for _ in 0..<19 { evidence.last() }
    #expect(!evidence.isContactless)
    evidence.last()
    #expect(evidence.isContactless)
    // Evidence ends it, and when that has run out all twenty count anew.
    _ = evidence.note(afterPress: 1, within: 1, isNamed: false)
    evidence.forget()
    for _ in 0..<19 { evidence.last() }
    #expect(!evidence.isContactless)
  }

  @Test func aKeyThatIsNoLongerAdaptiveIsNoBadKey() {
    var engine = adaptive("A+0 A-8 A+14 A-100 A+300 A-400")
    #expect(engine.device.badKeys == 1)
    engine.adopt(Rules(strategy: .adaptive(Adaptive()), keys: [.s: .none]))
    #expect(engine.device.badKeys == 1)
    engine.adopt(Rules(strategy: .none))
    #expect(engine.device.badKeys == 0)
  }

  @Test func aKeyThatHasRecoveredIsNoBadKey() {
    var engine = Debouncer(Rules(strategy: .adaptive(Adaptive(within: 2))))
    _ = engine.process(
      strokes: strokes("A+0 A-8 A+14 A-100 A+200 A-300 A+400 A-500 A+600 A-700"))
    #expect(engine.counters.forgotten == 1)
    #expect(engine.device.badKeys == 0)
  }

  // MARK: Wheels

  /// A movement, with the kernel's numbers: 2 is `EV_REL`, 8 `REL_WHEEL` and 6 `REL_HWHEEL`.
  private func turn(_ code: UInt16, _ steps: Int32) -> Event {
    Event(type: 2, code: code, value: steps)
  }

  @Test func aWheelThatIsNotWatchedPassesWhateverItSends() {
    var engine = Debouncer(Rules(strategy: .none))
    for code: UInt16 in [6, 8] {
      for steps: Int32 in [1, -1, 1] {
        let events = [turn(code, steps), .down(.a), .up(.a)]
        #expect(engine.process(Frame(time: 5, events)) == [Frame(time: 5, events)])
      }
    }
  }

  @Test func aWheelThatIsWatchedIsTheKernels() {
    for code: UInt16 in [6, 8, 11, 12] {
      var engine = Debouncer(Rules(strategy: .none, wheel: WheelRules(reversal: 80.ms, first: 0)))
      #expect(engine.process(at: 0, turn(code, 1)).count == 1)
      #expect(engine.process(at: 10.ms, turn(code, -1)).isEmpty)
    }
  }

  // MARK: Rules at work

  @Test func anEngineIsAtRestWhenNothingIsDownOrWaits() {
    var engine = Debouncer(Rules(strategy: .defer(Defer(threshold: 20.ms))))
    #expect(engine.isAtRest)
    _ = engine.process(at: 0, .down(.a))
    // The switch is down, and the clone is not.
    #expect(engine.held.isEmpty && !engine.isAtRest)
    engine.advance(to: 50.ms)
    _ = engine.process(at: 60.ms, .up(.a))
    #expect(engine.rawHeld.isEmpty && !engine.isAtRest)
    engine.advance(to: .max)
    #expect(engine.isAtRest)
  }

  /// A device that is handed over then would lose the stroke.
  @Test func anEngineIsNotAtRestWhileAStrokeIsPutOff() {
    var engine = Debouncer(Rules(strategy: .throttle(Throttle(interval: 500.ms, latest: true))))
    _ = engine.process(strokes: strokes("A+0 A-50 A+100 A-150"), completely: false)
    #expect(!engine.isAtRest)
    #expect(edges(in: engine.advance(to: 500.ms)).map(\.key) == [.a, .a])
    #expect(engine.isAtRest)
  }

  /// An edge at the very deadline of a meaning is decided on first.
  @Test func whatComesAtTheEndOfAMeaningsTimeIsWithinIt() {
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

  @Test func aKeyThatIsFoundUpAfterALossAdoptsItsNewRules() {
    var engine = Debouncer(Rules(strategy: .defer(Defer(threshold: 20.ms))))
    _ = engine.process(strokes: strokes("A+0"))
    engine.adopt(Rules(strategy: .none))
    _ = engine.resynchronise(held: KeySet(), at: 50.ms)
    #expect(engine.process(at: 60.ms, .down(.a)) == [Frame(time: 60.ms, [.down(.a)])])
  }

  /// A scan code goes with its key, and with no other.
  @Test func aKeyWithoutMeaningsKeepsItsScanCodes() {
    var engine = Debouncer(Rules(strategy: .none, meanings: [.a: Meanings(single: .s)]))
    #expect(engine.process(at: 0, .scan(7), .down(.a)) == [Frame(time: 0, [.down(.s)])])
    #expect(engine.process(at: 50.ms, .scan(7), .up(.a)) == [Frame(time: 50.ms, [.up(.s)])])
    engine.adopt(Rules(strategy: .none))
    for (time, down) in [(100, true), (150, false)] {
      let events: [Event] = [.scan(7), .key(.a, down: down)]
      #expect(engine.process(Frame(time: time.ms, events)) == [Frame(time: time.ms, events)])
    }
  }

  @Test func aStrokeThatIsPutOffKeepsTheScanCodesOfBothItsEdges() {
    var engine = Debouncer(Rules(strategy: .throttle(Throttle(interval: 100.ms, latest: true))))
    var frames: [Frame] = []
    for (number, (time, down)) in [(0, true), (10, false), (20, true), (30, false)].enumerated() {
      frames += engine.process(at: time.ms, .scan(Int32(number)), .key(.a, down: down))
    }
    frames += engine.advance(to: .max)
    #expect(
      frames == [
        Frame(time: 0, [.scan(0), .down(.a)]), Frame(time: 10.ms, [.scan(1), .up(.a)]),
        Frame(time: 100.ms, [.scan(2), .down(.a)]), Frame(time: 100.ms, [.scan(3), .up(.a)]),
      ])
  }

  @Test func thePressesOfAPauseAreNoPartOfTheEvidence() {
    var engine = Debouncer(Rules(strategy: .adaptive(Adaptive(within: 50))))
    _ = engine.process(strokes: strokes("A+0 A-8 A+14 A-100 A+300 A-400"))
    let before = engine.habits.keys.map(\.badFor)
    #expect(before.count == 1 && before[0] != nil)
    engine.pause()
    _ = engine.process(strokes: strokes("A+600 A-700 A+900 A-1000 A+1200 A-1300"))
    engine.resume()
    #expect(engine.habits.keys.map(\.badFor) == before)
  }

  @Test func whatWasTakenIsGivenBackOnlyIfItLasts() {
    var engine = Debouncer(
      Rules(strategy: .none, groups: [Group(keys: [.a, .s], lockout: 100.ms)]))
    _ = engine.process(strokes: strokes("A+0 S+10"))
    #expect(engine.counters.lockedOut == 1)
    _ = engine.resynchronise(held: KeySet([.a, .s]), at: 20.ms)
    #expect(engine.counters.lockedOut == 0)

    var throttling = Debouncer(
      Rules(strategy: .throttle(Throttle(interval: 100.ms, latest: true))))
    _ = throttling.process(strokes: strokes("A+0 A-10 A+20 A-30"), completely: false)
    #expect(throttling.counters.throttled == 1)
    _ = throttling.resynchronise(held: KeySet(), at: 40.ms)
    #expect(throttling.counters.throttled == 1)
  }
}

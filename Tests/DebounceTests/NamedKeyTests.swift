<<<<<<< HEAD
import Randomness
=======
>>>>>>> engine/main
import Testing

@testable import Debounce

<<<<<<< HEAD
/// What the settings' naming a key costs, as `check --verbose` and `status` say it. What it does is in `adaptive-named.strokes`.
@Suite("What a name costs")
struct NamedKeyTests {
  private static func rule(
    _ threshold: Int, suspect: Int? = nil, dropout: Int? = nil
  ) -> Adaptive {
    Adaptive(
      threshold: threshold.ms, dropout: dropout?.ms, suspect: suspect?.ms, isNamed: true)
  }

  private static let rules = [
    rule(15), rule(25), rule(40), rule(60), rule(20, suspect: 80), rule(60, dropout: 10),
  ]

  private func cost(_ rule: Adaptive) throws -> NamedKeyCost {
    try #require(NamedKeyCost(of: .adaptive(rule)))
  }

  @Test("is nothing for a key that is not named")
  func unnamed() {
    #expect(NamedKeyCost(of: .adaptive(Adaptive(threshold: 40.ms))) == nil)
    #expect(NamedKeyCost(of: Strategy.eagerDefer(EagerDefer(threshold: 40.ms)).named) == nil)
    #expect(NamedKeyCost(of: Strategy.adaptive(Adaptive()).named) != nil)
  }

  @Test("is said in full")
  func sentences() throws {
    let sentences = try cost(Self.rule(40)).sentences
    #expect(
      sentences.prefix(3) == [
        "a press within 96 ms of the key's last release comes up to 25 ms late, and is lost if it is shorter",
        "a release comes 40 ms late, an early one 60, and that of a very short stroke up to 112 ms after its press; "
          + "a press that comes meanwhile is lost",
        "another key's press behind a chain of such strokes comes as late",
      ])
    #expect(
      sentences[3].hasPrefix(
        "of a hundred taps, each held for half of the time, are lost: 0 at 8 a second, "))
    #expect(try cost(Self.rule(12, suspect: 80)).sentences[0].contains("within 80 ms"))
    #expect(try cost(Adaptive(threshold: 12_500, isNamed: true)).sentences[1].contains(" 12.5 ms"))
  }

  @Test("is fast taps, more of them the longer the threshold, and none of a mouse's button")
  func taps() throws {
    let lost = try [15, 25, 40, 60].map { try cost(Self.rule($0)).lostTaps(perSecond: 12) }
    #expect(lost[0] == 0 && lost[1] < 2)
    #expect(lost[2] > 2 && lost[3] > 60, "\(lost)")
    #expect(try cost(Self.rule(20, suspect: 80)).lostTaps(perSecond: 12) == 0)
    // What is said of games is said where it is so.
    #expect(try cost(Self.rule(25)).insteadForGames == nil)
    #expect(try cost(Self.rule(40)).insteadForGames?.contains("eager-defer") == true)
    // A threshold without its wait takes none for it.
    let short = try cost(Self.rule(60, dropout: 10))
    #expect(try short.lostTaps(perSecond: 12) < cost(Self.rule(60)).lostTaps(perSecond: 12))
  }

  /// Plays strokes of the key 30 that chatter, and others, and looks at what is late.
  private func lateness(_ rule: Adaptive, seed: UInt64) -> (
    others: Microseconds, press: Microseconds, release: Microseconds
  ) {
    var random = SeededRandom(seed: seed)
    var rules = Rules()
    rules.keys[30] = .adaptive(rule)
    var engine = Debouncer(rules)
    var (output, log) = (FrameQueue(), OutcomeLog())
    var worst: (others: Microseconds, press: Microseconds, release: Microseconds) = (0, 0, 0)
    var time: Microseconds = 0
    func process(_ key: KeyCode, _ down: Bool, at time: Microseconds) {
      engine.process(Frame(time: time, [.key(key, down: down)]), into: &output, outcomes: &log)
    }
    for _ in 0..<200 {
      var edges: [(Microseconds, KeyCode, Bool)] = []
      var edge = time
      for _ in 0..<random.pick([1, 2, 3, 5]) {
        let hold = random.pick([1, 4, 12, 30, 80]).ms
        edges += [(edge, 30, true), (edge + hold, 30, false)]
        edge += hold + random.pick([1, 4, 12, 30, 70]).ms
      }
      let other = time + random.pick([2, 10, 35, 60]).ms
      edges += [(other, 31, true), (other + 90.ms, 31, false)]
      for (time, key, down) in edges.sorted(by: { $0.0 < $1.0 }) { process(key, down, at: time) }
      time = max(edge, other) + 600.ms
      engine.advance(to: time, into: &output, outcomes: &log)
      output.removeAll()
    }
    for outcome in log.outcomes {
      guard case .emitted = outcome.kind else { continue }
      let late = outcome.time - outcome.edge
      if outcome.key != 30 {
        if outcome.isPress { worst.others = max(worst.others, late) }
      } else if outcome.isPress {
        worst.press = max(worst.press, late)
      } else {
        worst.release = max(worst.release, late)
      }
    }
    return worst
  }

  @Test("is never more than what is said", arguments: rules.indices)
  func bounds(_ index: Int) throws {
    let rule = Self.rules[index]
    let windows = try cost(rule).windows
    for seed in 0..<UInt64(20) {
      let late = lateness(rule, seed: seed)
      #expect(late.others <= max(windows.settle, windows.confirm), "seed \(seed)")
      #expect(late.release <= max(windows.settle, windows.earlyDropout), "seed \(seed)")
    }
  }

  @Test("stays, whatever is dropped of what was learned")
  func reset() {
    var rules = Rules()
    rules.keys[30] = .adaptive(Self.rule(40))
    var engine = Debouncer(rules)
    #expect(engine.isBridging(30) && engine.isNamed(30))
    engine.reset(30)
    #expect(engine.isBridging(30))
    engine.reset()
    #expect(engine.isBridging(30) && !engine.isBridging(31))
    rules.keys = [:]
    engine.adopt(rules)
    #expect(!engine.isBridging(30))
=======
/// Keys that the settings name: what is worn, a person says. What they answer stands in `adaptive-named.strokes`.
@Suite struct NamedKeyTests {
  private static func rules(_ rule: Adaptive = Adaptive(threshold: 40.ms)) -> Rules {
    Rules(keys: [.a: Strategy.adaptive(rule).named])
  }

  /// A drop-out after 90 ms.
  private func bridges(_ engine: inout Debouncer, at time: Int) -> Bool {
    let dropOut = "A+\(time) A-\(time + 90) A+\(time + 110) A-\(time + 200)"
    return edges(in: engine.process(strokes: strokes(dropOut))).filter(\.isDown).count == 1
  }

  @Test func isBadFromTheStartAndAfterAReset() {
    var engine = Debouncer(Self.rules())
    #expect(engine.isNamed(.a) && engine.isBridging(.a))
    #expect(!engine.isNamed(.s) && !engine.isBridging(.s))
    #expect(bridges(&engine, at: 0))
    engine.reset(.a)
    #expect(bridges(&engine, at: 1000))
    engine.reset()
    #expect(bridges(&engine, at: 2000))
  }

  @Test func staysSoWhateverItShows() {
    var engine = Debouncer(Self.rules(Adaptive(threshold: 40.ms, within: 1)))
    // A bounce would be evidence; of a key that is bad without it, it is none, and none runs out.
    _ = engine.process(strokes: strokes("A+0 A-8 A+14 A-100"))
    for round in 1..<30 {
      _ = engine.process(strokes: strokes("A+\(round * 1000) A-\(round * 1000 + 100)"))
    }
    #expect(engine.counters.learned == 0 && engine.counters.forgotten == 0)
    #expect(engine.habits.keys.allSatisfy { $0.badFor == nil })
    #expect(bridges(&engine, at: 50_000))
  }

  @Test func isNeverTakenForOneWithoutContacts() {
    var engine = Debouncer(Self.rules())
    for round in 0..<30 {
      _ = engine.process(strokes: strokes("A+\(round * 300) A-\(round * 300 + 200)"))
    }
    let double = edges(in: engine.process(strokes: strokes("A+9050 A-9250 A+9320 A-9500")))
    #expect(double.text == "A+9050 A-9290 A+9345 A-9540")
  }

  @Test func countsAsABadKeyBesideTheOthersWhileItIsNamed() {
    var engine = Debouncer(Self.rules())
    // Early, and not very short.
    #expect(edges(in: engine.process(strokes: strokes("S+0 S-40"))).text == "S+0 S-55")
    engine.adopt(Rules())
    #expect(edges(in: engine.process(strokes: strokes("S+1000 S-1040"))).text == "S+1000 S-1040")
    engine.adopt(Self.rules())
    #expect(engine.device.badKeys == 1)
    engine.pause()
    engine.resume()
    #expect(engine.device.badKeys == 1)
    engine.adopt(Rules(strategy: .none))
    #expect(engine.device.badKeys == 0)
  }

  /// What `[debounce]` sets is meant for keys when they become bad.
  @Test func numbersForAllKeysNameNone() {
    var engine = Debouncer(Rules(strategy: .adaptive(Adaptive(threshold: 60.ms, suspect: 80.ms))))
    #expect(!engine.isBridging(.a))
    #expect(
      edges(in: engine.process(strokes: strokes("A+0 A-90 A+160 A-174"))).text
        == "A+0 A-90 A+160 A-215")
    var bad = Debouncer(Rules(strategy: .adaptive(Adaptive(threshold: 60.ms, suspect: 80.ms))))
    bad.install(LearnedHabits(keys: [.init(.a, badFor: 10)]))
    #expect(
      edges(in: bad.process(strokes: strokes("A+0 A-90 A+165 A-175"))).text == "A+0 A-150")
  }

  @Test func howLateItsBouncesCameIsKept() {
    var first = Debouncer(Self.rules(Adaptive(threshold: 15.ms)))
    _ = first.process(strokes: strokes("A+0 A-100 A+190 A-198"))
    #expect(first.habits.keys == [.init(.a, offset: 500, reach: 90.ms)])
    var engine = Debouncer(Self.rules(Adaptive(threshold: 15.ms)))
    engine.install(first.habits)
    #expect(engine.habits.keys == first.habits.keys)
    #expect(
      edges(in: engine.process(strokes: strokes("A+0 A-100 A+190 A-198"))).filter(\.isDown).count
        == 1)
  }

  @Test func whatABadKeyCostsFollowsFromItsThreshold() {
    let windows = Adaptive(threshold: 60.ms).ofBadKeys
    #expect(
      windows
        == Adaptive.Windows(
          suspect: 144.ms, confirm: 25.ms, settle: 168.ms, dropout: 60.ms, earlyDropout: 90.ms))
    // No less than a healthy key's.
    let short = Adaptive(threshold: 10.ms, dropout: 5.ms).ofBadKeys
    #expect((short.suspect, short.settle, short.dropout) == (40.ms, 55.ms, 5.ms))
    #expect(Adaptive(suspect: 20.ms).ofBadKeys.suspect == 20.ms)
>>>>>>> engine/main
  }
}

import StrokeFixtures
import Testing

@testable import Debounce

/// What the engine reports of each raw edge.
@Suite struct OutcomeTests {
  /// That of a bad key, whose releases wait.
  private static let bad = Strategy.adaptive(
    Adaptive(threshold: 15.ms, confirm: 30.ms, dropout: 20.ms, suspect: 50.ms, isNamed: true))

  /// The outcomes of strokes, as text: `A+120 waits(150) A-130 withdrawn(release-bounce,120)`.
  private func outcomes(
    _ text: String, _ rules: Rules = Rules(strategy: Self.bad),
    held: KeySet? = nil
  ) -> [String] {
    var engine = Debouncer(rules)
    engine.reportsOutcomes = true
    let frames = strokes(text).frames
    for frame in frames { engine.process(frame) }
    if let held {
      engine.resynchronise(held: held, others: Frame(time: (frames.last?.time ?? 0) + 1.ms))
    } else {
      engine.advance(to: .max)
    }
    return engine.outcomes.map(\.text)
  }

  @Test("Nothing is reported to those who have not asked")
  func unasked() {
    var engine = Debouncer()
    engine.play("A+0 A-100")
    #expect(engine.outcomes.isEmpty)
  }

  private static let group = [Group(keys: [.a, .s], lockout: 100.ms)]

  @Test(
    "Each edge has its outcomes",
    arguments: [
      (
        Rules(strategy: bad), "A+0 A-100",
        ["A+0 passed", "A-100 waits 120", "A-100 emitted at 120"]
      ),
      // A stroke as short as a machine's has the evidence on its key looked at. There is none that could run out.
      (Rules(), "A+0 A-30", ["A+0 passed", "A-30 waits 55", "A-30 emitted at 55"]),
      // Chatter is withdrawn with the edge that waited.
      (
        Rules(strategy: bad), "A+0 A-8 A+14 A-100",
        [
          "A+0 passed", "A-8 waits 55", "A+14 withdrawn press-bounce with 8", "A-100 waits 120",
          "A-100 emitted at 120",
        ]
      ),
      (
        Rules(strategy: bad), "A+0 A-100 A+130 A-134",
        [
          "A+0 passed", "A-100 waits 120", "A-100 emitted at 120", "A+130 waits 160",
          "A-134 withdrawn release-bounce with 130",
        ]
      ),
      // A drop-out that proves a release bounce is reclassified, and the contact bounces on.
      (
        Rules(strategy: bad), "A+0 A-100 A+110 A-115 A+120 A-200",
        [
          "A+0 passed", "A-100 waits 120", "A+110 withdrawn drop-out with 100",
          "A+110 reclassified release-bounce at 115", "A-115 waits 135",
          "A+120 withdrawn release-bounce with 115", "A-200 waits 220", "A-200 emitted at 220",
        ]
      ),
      (
        Rules(strategy: bad), "A+0 A-100 A+110 A-300",
        [
          "A+0 passed", "A-100 waits 120", "A+110 withdrawn drop-out with 100", "A-300 waits 320",
          "A-300 emitted at 320",
        ]
      ),
      // A stroke that is taken has two edges that are.
      (
        Rules(strategy: .throttle(Throttle(interval: 100.ms))), "A+0 A-10 A+20 A-30",
        ["A+0 passed", "A-10 passed", "A+20 suppressed throttled", "A-30 suppressed throttled"]
      ),
      (
        Rules(strategy: .throttle(Throttle(interval: 100.ms, latest: true))), "A+0 A-10 A+20 A-30",
        [
          "A+0 passed", "A-10 passed", "A+20 suppressed throttled until 100",
          "A-30 suppressed throttled", "A+20 restored throttled at 100", "A+20 emitted at 100",
          "A-30 emitted at 100",
        ]
      ),
      // What hands did not mean is no chatter.
      (
        Rules(strategy: .bounceKeys(BounceKeys(delay: 300.ms))), "A+0 A-80 A+150 A-190",
        ["A+0 passed", "A-80 passed", "A+150 suppressed too-soon", "A-190 suppressed too-soon"]
      ),
      (
        Rules(strategy: .slowKeys(SlowKeys(delay: 300.ms))), "A+0 A-80 A+150 A-500",
        [
          "A+0 waits 300", "A-80 withdrawn too-short with 0", "A+150 waits 450",
          "A+150 emitted at 450", "A-500 passed",
        ]
      ),
      // A press that is locked out while it waits vanishes; a stroke that is locked out is taken however short it is.
      (
        Rules(strategy: .defer(Defer(press: 20.ms, release: 0)), keys: [.s: .none], groups: group),
        "S+0 A+10 S-40 A-50",
        [
          "S+0 passed", "A+10 waits 30", "A+10 vanished locked-out at 30", "S-40 passed",
          "A-50 suppressed locked-out",
        ]
      ),
      (
        Rules(groups: group), "A+0 S+10 S-20 A-300",
        ["A+0 passed", "S+10 suppressed locked-out", "S-20 suppressed locked-out", "A-300 passed"]
      ),
      // No edge waits until now.
      (Rules(strategy: .defer(Defer(threshold: 0))), "A+0 A-10", ["A+0 passed", "A-10 passed"]),
      (rules("rules eager-defer press=20"), "A+0 A-20", ["A+0 passed", "A-20 passed"]),
      // The release that goes out first is reported first.
      (
        Rules(strategy: bad), "LEFTSHIFT+0 LEFTSHIFT-100 A+110",
        [
          "LEFTSHIFT+0 passed", "LEFTSHIFT-100 waits 120", "LEFTSHIFT-100 emitted at 110",
          "A+110 passed",
        ]
      ),
    ])
  func each(rules: Rules, text: String, expected: [String]) {
    #expect(outcomes(text, rules) == expected)
  }

  @Test(
    "Among the outcomes are these, in this order, and none that begin so",
    arguments: [
      // A press that waits for an earlier one is postponed.
      (
        rules("key S defer press=5"), "A+0 A-100 A+108 S+109 S-300 A-310",
        ["S+109 postponed 133 at 114"], nil
      ),
      // It is not postponed until now: what waits for another until its own time is over goes out with it then.
      (
        rules("key S defer press=5", "key D defer press=23"),
        "A+0 A-100 A+107 S+108 D+109 D-300 S-310 A-320",
        ["S+108 postponed 132 at 113", "A+107 emitted at 132", "S+108 emitted at 132"]
          + ["D+109 emitted at 132"], "D+109 postponed"
      ),
      // A stroke put off is postponed as a press is, and not until now, either.
      (
        rules("key S defer press=5", "key D throttle interval=100 latest=true"),
        "A+0 D+15 D-40 A-100 A+108 D+109 D-112 A-200", ["D+109 postponed 133 at 115"], nil
      ),
      (
        rules("key S defer press=5", "key D throttle interval=118 latest=true"),
        "A+0 D+14 D-40 A-100 A+107 S+108 D+109 D-111 S-310 A-320",
        ["S+108 postponed 132 at 113", "A+107 emitted at 132", "S+108 emitted at 132"]
          + ["D+109 emitted at 132"], "D+109 postponed"
      ),
      // A release is postponed behind which a press waits, unless it waits long enough already.
      (Rules(), "A+0 A-10 A+20 A-30 S+40 S-140", ["A-30 postponed 73 at 40"], nil),
      (Rules(), "A+0 A-10 A+20 A-30 S+35 S-140", ["S+35 waits 70"], "A-30 postponed"),
      // A press at the very deadline of one that waits comes after it, and has nothing to wait for.
      (
        Rules(), "A+0 A-100 A+110 S+135 S-300 A-310", ["A+110 emitted at 135", "S+135 passed"], nil
      ),
      (
        rules("key S none"), "A+0 A-100 A+110 S+135 S-300 A-310",
        ["A+110 emitted at 135", "S+135 passed"], nil
      ),
      // A held contact is evidence at once that its beginning bounced. Its release waits as that of any worn key: half as long
      // again, as it is early. A shorter one may be a machine's: that is open until the stroke has ended.
      (
        Rules(), "A+0 A-8 A+14 A-47", ["A-47 waits 84", "A-47 learned", "A-47 emitted at 84"], nil
      ),
      (Rules(), "A+0 A-8 A+14 A-46.999", ["A-46.999 learned at 86"], "A-46.999 learned at 4"),
      // A worn key that is tapped fast; then another key's short stroke shows a machine.
      (
        Rules(), "A+0 A-8 A+14 A-100 A+1000 A-1060 A+1130 A-1158 A+1163 A-1168 S+1170 S-1172",
        ["A+1163 reclassified release-bounce at 1168", "A+1163 restored release-bounce at 1172"],
        nil
      ),
      // What was delivered was no chatter: neither is the contact in hand, though it is short.
      (
        Rules(), "A+0 A-10 A+20 A-30 A+40 A-50 A+150 A-160", ["A+40 emitted at 90"],
        "A+150 reclassified"
      ),
      // Nor does it bounce: what it withdraws, once a finger has ended the machine's typing, is a drop-out.
      (
        Rules(),
        "A+0 A-5 A+35 A-40 A+75 A-80 A+115 A-120 A+155 A-160 A+195 S+205 A-206 A+246 A-256 A+286",
        ["A+155 emitted at 195", "A+286 withdrawn drop-out with 256"], nil
      ),
      // A meaning is that of a press. A press that came too soon for a second one is continued.
      (rules("rules none", "meaning A single=S"), "A+0 A-10", ["A+0 meant single S"], "A-10 meant"),
      (
        rules("rules none", "meaning A single=A double=S"), "A+0 A-100 A+110 A-600",
        ["A+110 continued"], nil
      ),
    ] as [(Rules, String, [String], String?)])
  func among(rules: Rules, text: String, expected: [String], absent: String?) {
    let all = outcomes(text, rules)
    #expect(all.filter { expected.contains($0) } == expected, "\(all)")
    if let absent { #expect(!all.contains { $0.hasPrefix(absent) }, "\(all)") }
  }

  @Test("What says nothing new is a duplicate or a repeat")
  func nothingNew() {
    var engine = Debouncer()
    engine.reportsOutcomes = true
    engine.process(Frame(time: 5.ms, [.up(.a), .held(.a)]))
    #expect(engine.outcomes.map(\.text) == ["A-5 duplicate", "A+5 repeated"])
    #expect((engine.counters.duplicates, engine.counters.repeats) == (1, 1))
  }

  @Test("After lost events what waited is emitted or vanishes, and the rest is corrected")
  func losses() {
    #expect(
      outcomes("A+0 S+0 S-100 A-105", held: KeySet([.s, .d])) == [
        "A+0 passed", "S+0 passed", "S-100 waits 120", "A-105 waits 125",
        "S-100 vanished at 106", "A-105 emitted at 106", "D+106 corrected",
      ])
  }

  @Test("What a loss shows to be meant is restored with its press")
  func restoredByLoss() {
    let rules = Rules(strategy: .none, groups: Self.group)
    #expect(
      outcomes("S+0 A+10", rules, held: KeySet([.a, .s])) == [
        "S+0 passed", "A+10 suppressed locked-out", "A+10 restored locked-out at 11",
        "A+10 corrected at 11",
      ])
  }

  @Test("The strokes of a burst are restored with their presses")
  func burst() {
    let burst = "A+0 A-10 A+20 A-30 A+40 A-50 A+60 A-70 A+80 A-90 A+100 A-110"
    let all = outcomes(burst, Rules())
    let restored = all.filter { $0.contains(" restored ") }.map { $0.prefix { $0 != " " } }
    #expect(restored == ["A+20", "A+40", "A+60", "A+80", "A+100"], "\(all)")
  }

  /// Of streams, a property says so. These are what it does not have: meanings, what is forgotten, and what comes after a loss.
  @Test(
    "Counters sum up outcomes",
    arguments: [
      (
        "A+0 A-8 A+14 A-100 A+200 A-300 A+400 A-500 A+600 A-700",
        Rules(strategy: .adaptive(Adaptive(within: 2)))
      ),
      (
        "A+0 A-100 A+150 A-200 A+1000 A-1100 A+2000 A-2900 A+4000 A-4010 A+4012 A-4900",
        Rules(strategy: .none, meanings: [.a: Meanings(single: .a, double: .s, hold: .d)])
      ),
    ])
  func sum(_ text: String, _ rules: Rules) {
    var engine = Debouncer(rules)
    engine.reportsOutcomes = true
    engine.play(text)
    engine.resynchronise(held: KeySet([.d]), others: Frame(time: 9100.ms))
    engine.close(at: 9200.ms)
    let counters = engine.outcomes.reduce(into: Counters()) { $0.count($1) }
    #expect(counters == engine.counters, "\(engine.outcomes.map(\.text))")
  }
}

extension Outcome {
  fileprivate var text: String {
    func ms(_ time: Microseconds) -> String { "\(time / 1000)" }
    let late = time == edge ? "" : " at " + ms(time)
    let what =
      switch kind {
      case .passed: "passed"
      case .waits(let until): "waits " + ms(until)
      case .withdrawn(let removal, let edge): "withdrawn \(removal) with " + ms(edge)
      case .suppressed(let removal, let until):
        "suppressed \(removal)" + (until.map { " until " + ms($0) } ?? "")
      case .duplicate: "duplicate"
      case .repeated: "repeated"
      case .postponed(let until): "postponed " + ms(until)
      case .emitted: "emitted"
      case .vanished(let removal): "vanished" + (removal.map { " \($0)" } ?? "")
      case .restored(let removal): "restored \(removal)"
      case .reclassified(let removal): "reclassified \(removal)"
      case .corrected: "corrected"
      case .meant(let meaning, let key): "meant \(meaning.rawValue) \(KeyName.name(of: key))"
      case .continued: "continued"
      case .learned: "learned"
      case .forgot: "forgot"
      }
    return "\(Edge(key, down: isPress, at: edge)) \(what)\(late)"
  }
}

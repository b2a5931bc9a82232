import StrokeFixtures
import Testing

@testable import Debounce

/// New rules for an engine at work, and when it is at rest.
@Suite struct AdoptionTests {
  private static let old = Rules(strategy: .defer(Defer(threshold: 20.ms)))
  private static let new = Rules(strategy: .eagerDefer(EagerDefer(threshold: 10.ms)))

  @Test(
    "A key adopts new rules when it is up and nothing of it waits",
    arguments: [
      (old, "S+0 S-100", new, "A+200 A-300", "S+20 S-120 A+200 A-310"),
      // It is down, and ends its stroke by the old rules; a release that passes lets it change over.
      (old, "A+0", new, "A-100 A+200 A-300", "A+20 A-120 A+200 A-310"),
      (Rules(strategy: .none), "A+0", old, "A-100 A+200 A-300", "A+0 A-100 A+220 A-320"),
      // Its release waits, and the press cancels that: the stroke goes on, by the old rules.
      (old, "A+0 A-100", new, "A+110 A-200 A+300 A-400", "A+20 A-220 A+300 A-410"),
      // A press of `adaptive` has vanished. Nobody waits for one that `defer` holds back.
      (
        Rules(), "A+0 A-100 A+108 A-112",
        Rules(strategy: .none, keys: [.a: .defer(Defer(press: 20.ms, release: 0))]),
        "A+200 S+205 A-300 S-310", "A+0 A-100 S+205 A+220 A-300 S-310"
      ),
      // Another key's press sends its release before its deadline; or the second lone short stroke does, which shows a machine.
      (
        Rules(strategy: .eagerDefer(EagerDefer(threshold: 20.ms)), flush: .all), "A+0 A-50",
        Rules(strategy: .none, flush: .all), "S+60 A+100 A-105", "A+0 A-60 S+60 A+100 A-105"
      ),
      (
        Rules(), "A+0 A-10", Rules(keys: [.a: .defer(Defer(threshold: 20.ms))]),
        "S+15 S-20 A+30 A-60", "A+0 S+15 A-20 S-20 A+50 A-80"
      ),
      // Keys of their own and others are told apart.
      (
        old, "D+0 D-50", Rules(strategy: .none, keys: [.a: new.strategy]),
        "A+100 S+101 S-102 A-200", "D+20 D-70 A+100 S+101 S-102 A-210"
      ),
    ])
  func whenIdle(old: Rules, before: String, new: Rules, after: String, clean: String) {
    var engine = Debouncer(old)
    let first = engine.play(before, completely: false)
    engine.adopt(new)
    #expect((first.isEmpty ? "" : first + " ") + engine.play(after) == clean)
  }

  @Test("The last of many rules holds")
  func many() {
    var engine = Debouncer(Self.old)
    _ = engine.process(at: 0, .down(.a))
    for threshold in 1...300 {
      engine.adopt(Rules(strategy: .defer(Defer(threshold: threshold.ms))))
    }
    engine.adopt(Self.new)
    #expect(engine.play("A-100") == "A+20 A-120")
    #expect(engine.play("A+200 A-300") == "A+200 A-310")
  }

  @Test("What was learned of a key stays if its strategy does")
  func learned() {
    let rules = Rules(strategy: .adaptive(Adaptive(threshold: 25.ms)))
    var engine = Debouncer(rules)
    engine.play("A+0 A-8 A+14 A-200")
    #expect(engine.isBad(.a))
    engine.adopt(Rules(strategy: .adaptive(Adaptive(threshold: 30.ms))))
    #expect(engine.isBad(.a))
    engine.adopt(Self.old)
    #expect(!engine.isBad(.a))
  }

  @Test("A lock goes on as long as its group stays")
  func lock() {
    let group = Group(keys: [.a, .s], lockout: 500.ms)
    let rules = Rules(strategy: .none, groups: [group])
    var engine = Debouncer(rules)
    engine.play("A+0 A-50")
    engine.adopt(rules)
    #expect(edges(in: engine.process(strokes: strokes("S+100 S-150"))).isEmpty)
    engine.adopt(Rules(strategy: .none))
    #expect(engine.play("S+200 S-250") == "S+200 S-250")
  }

  @Test("A key that is found up after a loss adopts its new rules")
  func losses() {
    var engine = Debouncer(Rules(strategy: .defer(Defer(threshold: 20.ms))))
    engine.play("A+0")
    engine.adopt(Rules(strategy: .none))
    _ = engine.resynchronise(held: KeySet(), at: 50.ms)
    #expect(engine.process(at: 60.ms, .down(.a)) == [Frame(time: 60.ms, [.down(.a)])])
  }

  @Test("An engine is at rest when nothing is down or waits")
  func rest() {
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
  @Test("An engine is not at rest while a stroke is put off")
  func putOff() {
    var engine = Debouncer(Rules(strategy: .throttle(Throttle(interval: 500.ms, latest: true))))
    engine.play("A+0 A-50 A+100 A-150", completely: false)
    #expect(!engine.isAtRest)
    #expect(edges(in: engine.advance(to: 500.ms)).map(\.key) == [.a, .a])
    #expect(engine.isAtRest)
  }

  @Test("A key that is no longer `adaptive` is no bad key")
  func badKeys() {
    var engine = adaptiveEngine("A+0 A-8 A+14 A-100 A+300 A-400")
    #expect(engine.device.badKeys == 1)
    engine.adopt(Rules(strategy: .adaptive(Adaptive()), keys: [.s: .none]))
    #expect(engine.device.badKeys == 1)
    engine.adopt(Rules(strategy: .none))
    #expect(engine.device.badKeys == 0)
  }
}

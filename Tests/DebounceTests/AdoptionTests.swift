import StrokeFixtures
import Testing

@testable import Debounce

/// New rules for an engine at work, and when it is at rest.
@Suite struct AdoptionTests {
  private static let old = Rules(strategy: .defer(Defer(threshold: 20.ms)))
  private static let new = Rules(strategy: .eagerDefer(EagerDefer(threshold: 10.ms)))

  @Test("An idle key adopts at once")
  func idle() {
    var engine = Debouncer(Self.old)
    engine.adopt(Self.new)
    #expect(edges(in: engine.process(at: 0, .down(.a))).text == "A+0")
  }

  @Test("A key that is down ends its stroke by the old rules")
  func down() {
    var engine = Debouncer(Self.old)
    _ = engine.process(at: 0, .down(.a))
    engine.adopt(Self.new)
    #expect(edges(in: engine.process(strokes: strokes("A-100"))).text == "A+20 A-120")
    #expect(edges(in: engine.process(strokes: strokes("A+200 A-300"))).text == "A+200 A-310")
  }

  @Test("A key whose release passes adopts with it")
  func passingRelease() {
    var engine = Debouncer(Rules(strategy: .none))
    _ = engine.process(at: 0, .down(.a))
    engine.adopt(Self.old)
    #expect(
      edges(in: engine.process(strokes: strokes("A-100 A+200 A-300"))).text == "A-100 A+220 A-320")
  }

  /// What `adaptive` made of a bounce has no part in how the key's next press waits.
  @Test("Nothing of a press that vanished is left")
  func vanished() {
    var engine = Debouncer(Rules(strategy: .adaptive(Adaptive())))
    _ = engine.process(strokes: strokes("A+0 A-100 A+108 A-112"))
    engine.adopt(Rules(strategy: .none, keys: [.a: .defer(Defer(press: 20.ms, release: 0))]))
    // Nobody waits for a press that `defer` holds back.
    #expect(
      edges(in: engine.process(strokes: strokes("A+200 S+205 A-300 S-310"))).text
        == "S+205 A+220 A-300 S-310")
  }

  @Test("A release that waits is not forgotten")
  func waiting() {
    var engine = Debouncer(Self.old)
    #expect(
      edges(in: engine.process(strokes: strokes("A+0 A-100"), completely: false)).text == "A+20")
    engine.adopt(Self.new)
    // The press cancels the release that waits: the stroke goes on, by the old rules.
    #expect(edges(in: engine.process(strokes: strokes("A+110 A-200"))).text == "A-220")
    #expect(edges(in: engine.process(strokes: strokes("A+300 A-400"))).text == "A+300 A-410")
  }

  @Test("The last of many rules holds")
  func many() {
    var engine = Debouncer(Self.old)
    _ = engine.process(at: 0, .down(.a))
    for threshold in 1...300 {
      engine.adopt(Rules(strategy: .defer(Defer(threshold: threshold.ms))))
    }
    engine.adopt(Self.new)
    #expect(edges(in: engine.process(strokes: strokes("A-100"))).text == "A+20 A-120")
    #expect(edges(in: engine.process(strokes: strokes("A+200 A-300"))).text == "A+200 A-310")
  }

  @Test("A release that is flushed lets the key change over")
  func flushed() {
    var engine = Debouncer(Rules(strategy: .eagerDefer(EagerDefer(threshold: 20.ms)), flush: .all))
    _ = engine.process(strokes: strokes("A+0 A-50"), completely: false)
    engine.adopt(Rules(strategy: .none, flush: .all))
    // Another key's press sends A's release before its deadline.
    _ = engine.process(strokes: strokes("S+60"), completely: false)
    #expect(edges(in: engine.process(strokes: strokes("A+100 A-105"))).text == "A+100 A-105")
  }

  @Test("A release that a machine's typing flushes does so, too")
  func flushedByMachine() {
    var engine = Debouncer()
    _ = engine.process(strokes: strokes("A+0 A-10"), completely: false)
    engine.adopt(Rules(keys: [.a: .defer(Defer(threshold: 20.ms))]))
    // The second lone short stroke shows a machine.
    let flushed = edges(in: engine.process(strokes: strokes("S+15 S-20"), completely: false))
    #expect(flushed.text == "S+15 A-20 S-20")
    #expect(edges(in: engine.process(strokes: strokes("A+30 A-60"))).text == "A+50 A-80")
  }

  @Test("Keys of their own and others are told apart")
  func ownKeys() {
    var engine = Debouncer(Self.old)
    engine.adopt(Rules(strategy: .none, keys: [.a: Self.new.strategy]))
    #expect(
      edges(in: engine.process(strokes: strokes("A+0 S+1 S-2 A-100"))).text == "A+0 S+1 S-2 A-110")
  }

  @Test("What was learned of a key stays if its strategy does")
  func learned() {
    let rules = Rules(strategy: .adaptive(Adaptive(threshold: 25.ms)))
    var engine = Debouncer(rules)
    _ = engine.process(strokes: strokes("A+0 A-8 A+14 A-200"))
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
    _ = engine.process(strokes: strokes("A+0 A-50"))
    engine.adopt(rules)
    #expect(edges(in: engine.process(strokes: strokes("S+100 S-150"))).isEmpty)
    engine.adopt(Rules(strategy: .none))
    #expect(edges(in: engine.process(strokes: strokes("S+200 S-250"))).text == "S+200 S-250")
  }

  @Test("A key that is found up after a loss adopts its new rules")
  func losses() {
    var engine = Debouncer(Rules(strategy: .defer(Defer(threshold: 20.ms))))
    _ = engine.process(strokes: strokes("A+0"))
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
    _ = engine.process(strokes: strokes("A+0 A-50 A+100 A-150"), completely: false)
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

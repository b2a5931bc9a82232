import Testing

@testable import Debounce

/// Strokes that are taken whole, where events are lost, and the groups' edges.
@Suite struct GroupTests {
  private let rules = Rules(strategy: .none, groups: [Group(keys: [.a, .s], lockout: 100.ms)])

  @Test("A stroke that is taken is not held")
  func held() {
    var engine = Debouncer(rules)
    engine.play("A+0 S+10")
    #expect(engine.held == KeySet([.a]))
    #expect(engine.rawHeld == KeySet([.a, .s]))
    #expect(edges(in: engine.close(at: 20.ms)).text == "A-20")
  }

  @Test("After lost events the state given is the truth for a taken stroke, too")
  func losses() {
    var engine = Debouncer(rules)
    engine.play("A+0 S+10")
    #expect(
      engine.resynchronise(held: KeySet([.s]), at: 20.ms)
        == [Frame(time: 20.ms, [.up(.a), .down(.s)])])
    #expect(engine.play("S-30") == "S-30")
  }

  @Test("A taken stroke that ended among lost events leaves nothing")
  func lostEnd() {
    var engine = Debouncer(rules)
    engine.play("A+0 S+10")
    #expect(engine.resynchronise(held: KeySet([.a]), at: 20.ms).isEmpty)
    #expect(engine.play("S+150 S-160") == "S+150 S-160")
  }

  @Test("A stroke that `throttle` put off is told at once after lost events")
  func postponed() {
    var engine = Debouncer(Rules(strategy: .throttle(Throttle(interval: 100.ms, latest: true))))
    engine.play("A+0 A-10 A+20", completely: false)
    #expect(
      engine.resynchronise(held: KeySet([.a]), at: 30.ms) == [Frame(time: 30.ms, [.down(.a)])])
    #expect(engine.deadline == nil)
  }

  @Test("A key belongs to the first group that names it")
  func firstGroup() {
    let rules = Rules(
      strategy: .none,
      groups: [
        Group(keys: [.a, .s], lockout: 10.ms), Group(keys: [.a, .d, 0xffff], lockout: 100.ms),
      ])
    #expect(debounce(strokes("A+0 S+5 D+6 S-7 D-8 A-9"), rules).text == "A+0 D+6 D-8 A-9")
  }

  @Test("Taken strokes are counted")
  func counts() {
    var grouped = Debouncer(rules)
    grouped.play("A+0 S+10 S-20 S+30 S-40 A-50")
    #expect(grouped.counters.lockedOut == 2)
    #expect(grouped.counters.pressesOut == 1)
    #expect(grouped.counters.chatter.total == 0)

    var first = Debouncer(Rules(strategy: .throttle(Throttle(interval: 100.ms))))
    first.play("A+0 A-10 A+20 A-30 A+40 A-50")
    #expect(first.counters.throttled == 2)

    var latest = Debouncer(Rules(strategy: .throttle(Throttle(interval: 100.ms, latest: true))))
    latest.play("A+0 A-10 A+20 A-30 A+40 A-50")
    #expect(latest.counters.throttled == 1)
    #expect(latest.counters.pressesOut == 2)
  }

  @Test("A taken press is given back after lost events only if it lasts")
  func givenBack() {
    var engine = Debouncer(Rules(strategy: .none, groups: [Group(keys: [.a, .s], lockout: 100.ms)]))
    engine.play("A+0 S+10")
    #expect(engine.counters.lockedOut == 1)
    _ = engine.resynchronise(held: KeySet([.a, .s]), at: 20.ms)
    #expect(engine.counters.lockedOut == 0)

    var throttling = Debouncer(Rules(strategy: .throttle(Throttle(interval: 100.ms, latest: true))))
    throttling.play("A+0 A-10 A+20 A-30", completely: false)
    #expect(throttling.counters.throttled == 1)
    _ = throttling.resynchronise(held: KeySet(), at: 40.ms)
    #expect(throttling.counters.throttled == 1)
  }
}

import Testing

@testable import Debounce

/// Strokes that are taken whole, where events are lost, and the groups' edges.
@Suite struct GroupTests {
  private let rules = Rules(strategy: .none, groups: [Group(keys: [.a, .s], lockout: 100.ms)])

  private let throttle = Rules(strategy: .throttle(Throttle(interval: 100.ms, latest: true)))

  /// An engine that has decided on the strokes, of which some may wait.
  private func engine(_ rules: Rules, _ text: String) -> Debouncer {
    var engine = Debouncer(rules)
    engine.play(text, completely: false)
    return engine
  }

  @Test("A stroke that is taken is not held")
  func held() {
    var engine = engine(rules, "A+0 S+10")
    #expect(engine.held == [.a] && engine.rawHeld == [.a, .s])
    #expect(edges(in: engine.close(at: 20.ms)).text == "A-20")
  }

  @Test("After lost events the state given is the truth for a taken stroke, too")
  func losses() {
    var lasting = engine(rules, "A+0 S+10")
    #expect(edges(in: lasting.resynchronise(held: [.s], at: 20.ms)).text == "A-20 & S+20")
    #expect(lasting.play("S-30") == "S-30")
    // It ended among the lost events, and leaves nothing.
    var ended = engine(rules, "A+0 S+10")
    #expect(ended.resynchronise(held: [.a], at: 20.ms).isEmpty)
    #expect(ended.play("S+150 S-160") == "S+150 S-160")
    // `throttle` had put it off.
    var putOff = engine(throttle, "A+0 A-10 A+20")
    #expect(edges(in: putOff.resynchronise(held: [.a], at: 30.ms)).text == "A+30")
    #expect(putOff.deadline == nil)
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

  @Test("Taken strokes are counted, and given back after lost events if they last")
  func counts() {
    var grouped = engine(rules, "A+0 S+10 S-20 S+30 S-40 A-50 A+60 S+70")
    #expect((grouped.counters.lockedOut, grouped.counters.pressesOut) == (3, 2))
    #expect(grouped.counters.chatter.total == 0)
    grouped.resynchronise(held: [.a, .s], others: Frame(time: 80.ms))
    #expect(grouped.counters.lockedOut == 2)

    let first = engine(
      Rules(strategy: .throttle(Throttle(interval: 100.ms))), "A+0 A-10 A+20 A-30 A+40 A-50")
    #expect(first.counters.throttled == 2)
    var latest = engine(throttle, "A+0 A-10 A+20 A-30 A+40 A-50")
    var ended = latest
    ended.resynchronise(held: [], others: Frame(time: 60.ms))
    #expect(ended.counters.throttled == 2)
    latest.advance(to: .max)
    #expect((latest.counters.throttled, latest.counters.pressesOut) == (1, 2))
  }
}

import Debounce
import Testing

/// Time that runs backwards, jumps, or goes to its ends.
@Suite struct ClockTests {
  @Test("Time that runs backwards is a gap of zero")
  func backwards() {
    var engine = Debouncer(.confirming)
    _ = engine.process(at: 1000.ms, .down(.a))
    // The hold counts as 0: a press bounce, if a press follows within `settle`.
    #expect(engine.process(at: 400.ms, .up(.a)).isEmpty)
    #expect(engine.deadline == 455.ms)
    #expect(engine.process(at: 455.ms, .down(.a)).isEmpty)
    #expect(engine.counters.chatter.pressBounces == 1)
  }

  @Test("After a step back, time is measured from there")
  func stepBack() {
    var engine = Debouncer(.confirming)
    _ = engine.process(at: 1000.ms, .down(.a))
    #expect(engine.process(at: 400.ms, .down(.s)) == [Frame(time: 400.ms, [.down(.s)])])
    #expect(engine.process(at: 429.ms, .up(.a)).isEmpty)
    #expect(engine.deadline == 455.ms)
    #expect(engine.process(at: 450.ms, .up(.s)) == [Frame(time: 450.ms, [.up(.s)])])
    #expect(engine.advance(to: 455.ms) == [Frame(time: 455.ms, [.up(.a)])])
  }

  @Test("A glitch ahead does not make later gaps look like nothing")
  func glitch() {
    var engine = Debouncer(.confirming)
    _ = engine.process(at: 0, .down(.a))
    _ = engine.process(at: 3_600_000.ms, .up(.a))
    _ = engine.process(at: 200.ms, .down(.s))
    _ = engine.process(at: 300.ms, .up(.s))
    #expect(engine.process(at: 400.ms, .down(.s)) == [Frame(time: 400.ms, [.down(.s)])])
  }

  @Test("Advancing to the past changes nothing")
  func past() {
    var engine = Debouncer(.confirming)
    engine.play("A+100 A-110", completely: false)
    #expect(engine.advance(to: 0).isEmpty)
    #expect(engine.advance(to: .min).isEmpty)
    #expect(engine.deadline == 155.ms)
    #expect(engine.advance(to: 155.ms - 1).isEmpty)
    #expect(engine.advance(to: 155.ms) == [Frame(time: 155.ms, [.up(.a)])])
  }

  @Test("A frame from before a deadline that has fired comes after it")
  func late() {
    var engine = Debouncer(.confirming)
    engine.play("A+0 A-10", completely: false)
    #expect(engine.advance(to: 70.ms) == [Frame(time: 55.ms, [.up(.a)])])
    #expect(engine.process(at: 54.ms, .down(.s)) == [Frame(time: 54.ms, [.down(.s)])])
    #expect(engine.process(at: 104.ms, .up(.s)) == [Frame(time: 104.ms, [.up(.s)])])
  }

  private static let times: [Microseconds] = [.min, .min + 1, -1, 0, .max - 1, .max]

  @Test("No time is too far away", arguments: times)
  func extremes(time: Microseconds) {
    for other in [Microseconds.min, -5, 0, 5, .max] {
      var engine = Debouncer(.confirming)
      var frames: [Frame] = []
      for (step, moment) in [time, other, time, other, time, other].enumerated() {
        frames += engine.process(at: moment, .key(.a, down: step % 2 == 0))
      }
      frames += engine.close(at: time)
      #expect(edges(in: frames).count % 2 == 0)
      #expect(engine.held.isEmpty)
    }
  }

  @Test("What waits at the end of time is due when all time has passed")
  func endOfTime() {
    var engine = Debouncer(Rules(strategy: .defer(Defer(threshold: 5.ms))))
    _ = engine.process(at: .max, .down(.a))
    #expect(edges(in: engine.advance(to: .max)).count == 1)
    #expect(engine.deadline == nil)
  }

  @Test("A deadline at the time of a frame is not yet past")
  func sameTime() {
    var engine = Debouncer(.confirming)
    engine.play("A+0 A-10", completely: false)
    #expect(engine.process(at: 55.ms, .down(.s)) == [Frame(time: 55.ms, [.down(.s)])])
    #expect(engine.deadline == 55.ms)
    #expect(engine.process(at: 56.ms, .up(.s)) == [Frame(time: 55.ms, [.up(.a)])])
  }

  @Test("Looking at a deadline just in time comes before what is read afterwards")
  func justInTime() {
    let rules = Rules(strategy: .defer(Defer(threshold: 5.ms)))
    var unasked = Debouncer(rules)
    #expect(unasked.process(strokes: strokes("A+0 A-5")).isEmpty)
    var asked = Debouncer(rules)
    _ = asked.process(at: 0, .down(.a))
    #expect(edges(in: asked.advance(to: 5.ms)).text == "A+5")
    #expect(asked.play("A-5") == "A-10")
  }
}

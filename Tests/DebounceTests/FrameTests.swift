import Testing

@testable import Debounce

/// What happens to the rest of a frame while its keys are debounced.
@Suite struct FrameTests {
  @Test(
    "A frame of which nothing waits passes whole",
    arguments: [
      // Events that are not keys keep their order.
      [.motion(1), .scan(7), .down(.a), .scan(5), .motion(2), .down(.s), .scan(6)],
      // Codes that no kernel sends pass.
      [.scan(7), .down(0x300), .down(.a), .up(0xffff)],
      // It may be longer than any before.
      (0..<5000).map { .motion($0) } + [.down(.a)],
    ] as [[Event]])
  func whole(events: [Event]) {
    for strategy in [Rules.confirming.strategy, .slowKeys(SlowKeys(delay: 0))] {
      var engine = Debouncer(Rules(strategy: strategy))
      #expect(engine.process(Frame(time: 0, events)) == [Frame(time: 0, events)])
    }
  }

  @Test("A withdrawn key takes its scan code along")
  func withdrawn() {
    var engine = Debouncer(.confirming)
    engine.play("A+0 A-8", completely: false)
    #expect(
      engine.process(at: 14.ms, .scan(7), .down(.a), .scan(8), .down(.s))
        == [Frame(time: 14.ms, [.scan(8), .down(.s)])])
  }

  @Test("A deferred edge is a frame of its own with its own scan code")
  func deferred() {
    var engine = Debouncer(.confirming)
    _ = engine.process(at: 0, .scan(7), .down(.a))
    #expect(engine.process(at: 10.ms, .scan(9), .up(.a)).isEmpty)
    #expect(engine.process(at: 54.ms, .down(.s)) == [Frame(time: 54.ms, [.down(.s)])])
    #expect(engine.advance(to: 55.ms) == [Frame(time: 55.ms, [.scan(9), .up(.a)])])
  }

  @Test("A stroke that was put off has its own scan codes")
  func putOff() {
    var engine = Debouncer(Rules(strategy: .throttle(Throttle(interval: 100.ms, latest: true))))
    engine.play("A+0 A-10", completely: false)
    _ = engine.process(at: 20.ms, .scan(7), .down(.a))
    _ = engine.process(at: 30.ms, .scan(9), .up(.a))
    #expect(
      engine.advance(to: 100.ms) == [
        Frame(time: 100.ms, [.scan(7), .down(.a)]), Frame(time: 100.ms, [.scan(9), .up(.a)]),
      ])
  }

  @Test("Two keys of a frame are judged each for itself")
  func twoKeys() {
    var engine = Debouncer(.confirming)
    engine.play("A+0")
    _ = engine.process(at: 90.ms, .down(.s))
    #expect(engine.process(at: 100.ms, .up(.a), .up(.s)) == [Frame(time: 100.ms, [.up(.a)])])
    #expect(engine.advance(to: .max) == [Frame(time: 145.ms, [.up(.s)])])
  }

  @Test("Motion comes after what was due before")
  func motionAfterDue() {
    var engine = Debouncer(.confirming)
    engine.play("BTN_LEFT+0 BTN_LEFT-8", completely: false)
    #expect(
      engine.process(at: 200.ms, .motion(1))
        == [Frame(time: 55.ms, [.up(.buttonLeft)]), Frame(time: 200.ms, [.motion(1)])])
  }

  @Test("Motion is free while no key waits")
  func freeMotion() {
    var engine = Debouncer(.confirming)
    let before = engine.freeAxes
    engine.play("BTN_LEFT+0")
    let whileHeld = engine.freeAxes
    engine.play("BTN_LEFT-8", completely: false)
    let whileItWaits = engine.freeAxes
    engine.advance(to: .max)
    #expect([before, whileHeld, whileItWaits, engine.freeAxes] == [.max, .max, 0, .max])
  }

  @Test("Motion is not free while a stroke is undecided")
  func undecided() {
    var engine = Debouncer(
      Rules(strategy: .none, meanings: [.a: Meanings(single: 30, double: 300)]))
    _ = engine.process(at: 0, .down(.a))
    let whileHeld = engine.freeAxes
    engine.advance(to: .max)
    #expect([whileHeld, engine.freeAxes] == [0, .max])
  }

  @Test("Motion that has passed moves the clock")
  func clock() {
    var engine = Debouncer(Rules(strategy: .eager(Eager(threshold: 30.ms))))
    engine.play("A+0 A-40")
    engine.passed(frameAt: 900.ms)
    #expect(engine.process(at: 50.ms, .down(.a)) == [Frame(time: 50.ms, [.down(.a)])])
  }

  @Test("The report at the end of a frame is understood")
  func report() {
    var engine = Debouncer(.confirming)
    #expect(engine.process(at: 0, .down(.a), .report) == [Frame(time: 0, [.down(.a)])])
  }

  @Test("No frame is empty")
  func empty() {
    var engine = Debouncer(.confirming)
    #expect(engine.process(at: 0).isEmpty)
    #expect(engine.process(at: 1.ms, .report).isEmpty)
    #expect(engine.process(at: 2.ms, .scan(7), .up(.a)).isEmpty)
    #expect(engine.process(at: 3.ms, .held(.a)).isEmpty)
  }

  @Test("Keys without a strategy pass in their frame")
  func withoutStrategy() {
    var engine = Debouncer(Rules(keys: [.s: Strategy.none]))
    engine.play("A+0 & S+0")
    #expect(
      engine.process(at: 5.ms, .up(.a), .scan(3), .up(.s))
        == [Frame(time: 5.ms, [.scan(3), .up(.s)])])
  }

  @Test("A frame tells whether keys move in it")
  func movesKeys() {
    #expect(Frame(time: 0, [.motion(1), .scan(7), .up(.a)]).movesKeys)
    #expect(!Frame(time: 0, [.motion(1), .scan(7)]).movesKeys)
  }

  @Test("What passes keeps its order beside a key that chatters", arguments: [0, 1, 40, 1000])
  func besideChatter(step: Microseconds) {
    var engine = Debouncer(Rules(strategy: .none, keys: [.s: .adaptive(Adaptive())]))
    var (sent, received): ([[Event]], [[Event]]) = ([], [])
    var (time, held): (Microseconds, Bool) = (0, false)
    for round in 0..<600 {
      let key = KeyCode(2 + round % 9)
      for down in [true, false] {
        time += step
        let events: [Event] = [.scan(Int32(round)), .key(key, down: down)]
        sent.append(events)
        let frames: [Frame] = engine.process(Frame(time: time, events))
        for event in frames.flatMap({ Array($0.events) }) where event.code == .s {
          #expect((event.value == 1) != held)
          held.toggle()
        }
        received += frames.map { Array($0.events) }.filter { !$0.contains { $0.code == .s } }
      }
      // Its release is there: the stroke has come out whole, whatever waited.
      #expect(received == sent)
      (sent, received) = ([], [])
      for down in [true, false] {
        time += step
        for event in engine.process(at: time, .key(.s, down: down)).flatMap({ Array($0.events) })
        where event.type == EventType.key && event.code == .s {
          #expect((event.value == 1) != held)
          held.toggle()
        }
      }
    }
  }
}

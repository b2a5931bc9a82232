import AllocationCounter
import Randomness
import Testing

@testable import Debounce

/// A wheel whose encoder gives steps in the other direction.
@Suite("A wheel that runs backwards")
struct WheelTests {
  private static let rules = Rules(strategy: .none, reversal: 80.ms)

  private static func wheel(_ steps: Int32, code: UInt16 = 8) -> Event {
    Event(type: EventType.relative, code: code, value: steps)
  }

  /// Plays steps of the wheel: milliseconds, and where it turns.
  ///
  /// - Returns: What is passed on, in the same form.
  private func turned(
    _ steps: [(Int, Int32)], code: UInt16 = 8, _ rules: Rules = rules
  ) -> (passed: [String], leftOut: UInt64) {
    var engine = Debouncer(rules)
    var frames: [Frame] = []
    for (time, value) in steps {
      frames += engine.process(at: time.ms, Self.wheel(value, code: code))
    }
    frames += engine.close(at: 100_000.ms)
    return (
      frames.flatMap { frame in frame.events.map { "\(frame.time / 1000) \($0.value)" } },
      engine.counters.reversals
    )
  }

  @Test("leaves out a step against the last one, unless a second one follows")
  func reversals() {
    for code in [8, 6, 11, 12] as [UInt16] {
      let (passed, leftOut) = turned([(0, 1), (20, 1), (40, -1), (60, 1), (80, 1)], code: code)
      #expect(passed == ["0 1", "20 1", "60 1", "80 1"])
      #expect(leftOut == 1)
    }
    var (passed, leftOut) = turned([(0, 1), (40, -1), (90, -1), (130, -1)])
    #expect(passed == ["0 1", "90 -1", "90 -1", "130 -1"])
    #expect(leftOut == 0)
    // The second one comes too late: the first was none, and the wheel has been turned back by now.
    (passed, leftOut) = turned([(0, 1), (40, -1), (121, -1), (150, -1)])
    #expect(passed == ["0 1", "121 -1", "150 -1"])
    #expect(leftOut == 1)
    // One that waits when the device goes is left out.
    for code in [8, 6] as [UInt16] {
      (passed, leftOut) = turned([(0, 1), (40, -1)], code: code)
      #expect(passed == ["0 1"])
      #expect(leftOut == 1)
    }
  }

  @Test("takes the very end of the time for within it")
  func limits() {
    #expect(turned([(0, 1), (80, -1), (160, -1)]).passed == ["0 1", "160 -1", "160 -1"])
    #expect(turned([(0, 1), (81, -1), (90, 1)]).passed == ["0 1", "81 -1"])
  }

  @Test("holds a step for the shortest time, too")
  func shortest() {
    var engine = Debouncer(Rules(strategy: .none, reversal: 1))
    let passes = engine.passesUnchanged(Frame(time: 0, [Self.wheel(1)]))
    #expect(!passes)
    #expect(engine.process(at: 0, Self.wheel(1)).count == 1)
    #expect(engine.process(at: 1, Self.wheel(-1)).isEmpty)
  }

  @Test("passes on as it is what no wheel sends in one frame")
  func noSteps() {
    for (whole, fine) in [(8, 11), (6, 12)] as [(UInt16, UInt16)] {
      var engine = Debouncer(Self.rules)
      _ = engine.process(at: 0, Self.wheel(1, code: whole))
      let odd = [
        [Self.wheel(0, code: whole)], [Self.wheel(-1, code: whole), Self.wheel(-1, code: whole)],
        [Self.wheel(120, code: fine), Self.wheel(-1, code: whole)],
      ]
      for events in odd {
        #expect(engine.process(Frame(time: 10.ms, events)) == [Frame(time: 10.ms, events)])
      }
    }
  }

  @Test("is not passed on unseen while it is watched, as other axes are")
  func freeAxes() {
    var engine = Debouncer(Self.rules)
    let watched: UInt16 = 1 << 6 | 1 << 8 | 1 << 11 | 1 << 12
    let before = engine.freeAxes
    engine.adopt(Rules(strategy: .none))
    #expect(before == ~watched && engine.freeAxes == .max)
    // The shortest span that there is.
    engine.adopt(Rules(strategy: .none, reversal: 1))
    #expect(engine.freeAxes == ~watched)
  }

  @Test("is left alone without the setting")
  func off() {
    let (passed, leftOut) = turned([(0, 1), (5, -1), (9, 1)], Rules(strategy: .none))
    #expect(passed == ["0 1", "5 -1", "9 1"])
    #expect(leftOut == 0)
    var engine = Debouncer(Rules(strategy: .none))
    let passes = engine.passesUnchanged(Frame(time: 0, [Self.wheel(1)]))
    #expect(passes)
  }

  @Test("takes notches and their fractions in one frame for one step, and holds nothing else of it")
  func frames() {
    var engine = Debouncer(Self.rules)
    let motion = Event.motion(3)
    let (fine, whole) = (Self.wheel(-120, code: 11), Self.wheel(-1))
    _ = engine.process(at: 0, Self.wheel(120, code: 11), Self.wheel(1))
    #expect(
      engine.process(at: 10.ms, motion, fine, whole, Self.wheel(1, code: 6)) == [
        Frame(time: 10.ms, [motion, Self.wheel(1, code: 6)])
      ])
    // Both pass, each as the frame's part that it was.
    #expect(
      engine.process(at: 30.ms, motion, fine, whole) == [
        Frame(time: 30.ms, [fine, whole]), Frame(time: 30.ms, [motion, fine, whole]),
      ])
    let passes = [fine, motion].map { engine.passesUnchanged(Frame(time: 40.ms, [$0])) }
    #expect(passes == [false, true])
  }

  @Test("has its axes apart")
  func axes() {
    var engine = Debouncer(Self.rules)
    let (up, left) = (Self.wheel(1), Self.wheel(-1, code: 6))
    for (time, event) in [(0, up), (10, left), (20, up), (30, left)] {
      #expect(engine.process(at: time.ms, event).map(\.events) == [[event]])
    }
  }

  @Test("begins anew when events were lost, and when the setting goes")
  func losses() {
    var engine = Debouncer(Self.rules)
    _ = engine.process(at: 0, Self.wheel(1))
    _ = engine.process(at: 10.ms, Self.wheel(-1))
    _ = engine.resynchronise(held: KeySet(), at: 20.ms)
    #expect(engine.counters.reversals == 1)
    #expect(engine.process(at: 30.ms, Self.wheel(-1)).count == 1)
    _ = engine.process(at: 40.ms, Self.wheel(1))
    engine.adopt(Rules(strategy: .none))
    #expect(engine.counters.reversals == 2)
    #expect(engine.process(at: 50.ms, Self.wheel(1)).count == 1)
  }

  /// What is said of a wheel, in other words: by looking at the steps before and after each.
  private func expected(_ steps: [(Int, Int32)]) -> [String] {
    var passed: [String] = []
    var last: (time: Int, value: Int32)?
    var index = 0
    while index < steps.count {
      let (time, value) = steps[index]
      if let last, last.value == -value, time - last.time <= 80 {
        let next = index + 1 < steps.count ? steps[index + 1] : nil
        guard let next, next.1 == value, next.0 - time <= 80 else {
          index += 1
          continue
        }
        passed += ["\(next.0) \(value)", "\(next.0) \(value)"]
        index += 1
      } else {
        passed.append("\(time) \(value)")
      }
      last = (steps[index].0, value)
      index += 1
    }
    return passed
  }

  @Test("does what is said of it on random turns, however often it is asked")
  func random() {
    for seed in 0..<UInt64(500) {
      var random = SeededRandom(seed: seed)
      var (time, steps): (Int, [(Int, Int32)]) = (0, [])
      for _ in 0..<20 {
        steps.append((time, random.pick([1, -1])))
        time += random.pick([1, 20, 79, 80, 81, 200])
      }
      let (passed, leftOut) = turned(steps)
      #expect(passed == expected(steps), "\(steps)")
      #expect(Int(leftOut) == steps.count - passed.count)
    }
  }

  @Test(
    "allocates nothing", .enabled(if: allocation_count() >= 0, "a sanitizer counts allocations"))
  func allocations() {
    var engine = Debouncer(Self.rules)
    var output = FrameQueue()
    var frame = Frame(time: 0, [Self.wheel(120, code: 11), Self.wheel(1), .motion(1)])
    let back = Frame(time: 0, [Self.wheel(-120, code: 11), Self.wheel(-1)])
    var frames = ContiguousArray([frame, back, frame, back, back])
    func play(_ count: Int) {
      for round in 0..<count {
        for index in frames.indices {
          frames[index].time = Microseconds(round * 100 + index * 10) * 1000
          if !engine.passesUnchanged(frames[index]) {
            engine.process(frames[index], into: &output)
          }
          output.removeAll()
        }
      }
    }
    play(100)
    let before = allocation_count()
    play(1000)
    #expect(allocation_count() == before)
    frame.removeAll()
  }
}

import AllocationCounter
import Randomness
import Testing

@testable import Debounce

/// Wheels and knobs whose encoders give steps that no finger made.
@Suite("A wheel whose encoder is worn")
struct WheelTests {
  /// Nothing waits at the start.
  private static let rules = Rules(strategy: .none, wheel: WheelRules(reversal: 80.ms, first: 0))

  private static func wheel(_ steps: Int32, code: UInt16 = 8) -> Event {
    Event(type: EventType.relative, code: code, value: steps)
  }

  /// Plays steps of the wheel: milliseconds, and where it turns.
  ///
  /// - Parameters:
  ///   - code: The axis; of one that has fractions, each of 120 is a notch.
  ///   - hasTime: Whether what waits may become due at the end.
  ///   - eager: Asks the engine at each millisecond what is due.
  /// - Returns: What is passed on, in the same form.
  private func turned(
    _ steps: [(Int, Int32)], code: UInt16 = 8, _ rules: Rules = rules, hasTime: Bool = true,
    eager: Bool = false
  ) -> (passed: [String], leftOut: UInt64) {
    var engine = Debouncer(rules)
    var frames: [Frame] = []
    var last = 0
    for (time, value) in steps {
      if eager { for time in last...time { frames += engine.advance(to: time.ms - 1) } }
      last = time
      frames += engine.process(at: time.ms, Self.wheel(value, code: code))
    }
    if hasTime { frames += engine.advance(to: 100_000.ms) }
    frames += engine.close(at: hasTime ? 100_001.ms : last.ms)
    return (
      frames.flatMap { frame in frame.events.map { "\(frame.time / 1000) \($0.value)" } },
      engine.counters.reversals
    )
  }

  @Test("wakes nobody for a first step of which a pause has made an end")
  func pausedFirstStep() {
    var engine = Debouncer(Rules(strategy: .none, wheel: WheelRules(reversal: 80.ms)))
    _ = engine.process(at: 1000.ms, Self.wheel(1))
    #expect(engine.deadline != nil)
    engine.pause()
    #expect(engine.deadline == nil)
  }

  @Test("leaves out a step against the last one, unless a second one follows")
  func reversals() {
    for code in [8, 6, 0, 9] as [UInt16] {
      var rules = Self.rules
      rules.wheel.axes = [code]
      #expect(
        turned([(0, 1), (20, 1), (40, -1), (60, 1), (80, 1)], code: code, rules)
          == (["0 1", "20 1", "60 1", "80 1"], 1))
    }
    #expect(
      turned([(0, 1), (40, -1), (90, -1), (130, -1)])
        == (["0 1", "90 -1", "90 -1", "130 -1"], 0))
    // The second one comes too late: the first was none, and the wheel has been turned back by now.
    #expect(turned([(0, 1), (40, -1), (121, -1), (150, -1)]) == (["0 1", "121 -1", "150 -1"], 1))
    // One that waits when the device goes is left out.
    for code in [8, 6] as [UInt16] {
      #expect(turned([(0, 1), (40, -1)], code: code) == (["0 1"], 1))
    }
  }

  @Test("takes the very end of the time for within it")
  func limits() {
    #expect(turned([(0, 1), (80, -1), (160, -1)]).passed == ["0 1", "160 -1", "160 -1"])
    #expect(turned([(0, 1), (81, -1), (90, 1)]).passed == ["0 1", "81 -1"])
    #expect(turned([(0, 15), (30, -15), (110, -15)], code: 11) == (["0 15"], 1))
  }

  @Test("counts in notches, of which fractions are as much as they are")
  func fractions() {
    func fractions(_ counts: [Int], of fraction: Int32 = 15, each interval: Int) -> [(Int, Int32)] {
      var (steps, time): ([(Int, Int32)], Int) = ([], 0)
      for count in counts {
        for _ in 0..<abs(count) {
          steps.append((time, count > 0 ? fraction : -fraction))
          time += interval
        }
      }
      return steps
    }
    for code in [11, 12] as [UInt16] {
      // A whole notch back, in eight.
      let (passed, leftOut) = turned(fractions([8, -8, 16], each: 4), code: code)
      #expect(passed.count == 24 && !passed.contains { $0.contains("-") })
      #expect(leftOut == 1)
    }
    // What makes it more than one has it turned, and nothing of it is lost.
    let turn = turned(fractions([8, -9, -3], each: 4), code: 11)
    #expect(turn.passed.suffix(5) == ["64 -120", "64 -15", "68 -15", "72 -15", "76 -15"])
    #expect(turn.leftOut == 0)
    // So has what goes on for longer than an encoder slips, a little at a time.
    let slow = turned(fractions([1, -5], each: 30), code: 11)
    #expect(slow.passed == ["0 15", "120 -45", "120 -15", "150 -15"])
    // A whole notch in one frame, and one in halves.
    #expect(
      turned([(0, 120), (20, -120), (40, -120)], code: 11).passed.suffix(2) == [
        "40 -120", "40 -120",
      ])
    #expect(turned(fractions([4, -2, 2], of: 60, each: 20), code: 11).leftOut == 1)
    // The smallest fraction is a step like others.
    #expect(turned([(0, 1), (20, -1)], code: 11) == (["0 1"], 1))
    // Two notches in one frame are more than one.
    #expect(turned([(0, 1), (20, -2)]).passed == ["0 1", "20 -2"])
    #expect(turned([(0, .max), (20, .min), (40, .max), (60, .min)]).leftOut == 0)
  }

  @Test("has the first step after a rest wait for what shows its direction")
  func firstSteps() {
    var rules = Self.rules
    rules.wheel.first = nil
    // It was wrong.
    #expect(
      turned([(0, 1), (28, -1), (56, -1), (84, -1)], rules)
        == (["56 -1", "56 -1", "84 -1"], 1))
    // It was right, and the second one was wrong.
    #expect(turned([(0, 1), (28, -1), (56, 1), (84, 1)], rules) == (["56 1", "56 1", "84 1"], 1))
    // Nothing follows, or too late: it passes, in its time.
    #expect(turned([(0, 1), (81, 1), (170, -1)], rules).passed == ["80 1", "81 1", "170 -1"])
    // With the second it passes at once.
    #expect(turned([(0, 1), (20, 1)], rules).passed == ["20 1", "20 1"])
    #expect(turned([(0, 2), (20, 2)], rules).passed == ["0 2", "20 2"])
    // One to and one fro are none.
    #expect(turned([(0, 1), (30, -1)], rules) == ([], 2))
    // The second direction has its whole time, too.
    #expect(turned([(0, 1), (79, -1), (158, -1)], rules).passed == ["158 -1", "158 -1"])
    // One that is not the first does not wait: 320 ms are no rest, 321 are.
    #expect(turned([(0, 1), (320, -1), (641, 1)], rules).passed == ["80 1", "320 -1", "721 1"])
    // Fractions wait as long, not for each other.
    #expect(
      turned([(0, 15), (40, 15), (80, 15), (120, 15)], code: 11, rules).passed
        == ["80 45", "120 15"])
    // What went back before the rest is no part of what comes after it.
    #expect(
      turned([(0, 1), (20, 1), (60, -1), (1000, 1)], rules)
        == (["20 1", "20 1", "1080 1"], 1))
    #expect(
      turned([(0, 1), (20, 1), (60, -1), (1000, -1)], rules)
        == (["20 1", "20 1", "1080 -1"], 1))
    // Half the time, or none.
    rules.wheel.first = 40.ms
    #expect(turned([(0, 1), (41, -1)], rules).passed == ["40 1"])
    // What goes on in its direction waits no more, either way.
    #expect(turned([(0, 1), (50, 1)], rules).passed == ["40 1", "50 1"])
    #expect(turned([(0, -1), (50, -1)], rules).passed == ["40 -1", "50 -1"])
    // The device goes before its time.
    #expect(turned([(0, 1)], rules, hasTime: false).passed == [])
    rules.wheel.reversal = 0
    #expect(turned([(0, 1), (1, -1)], rules).passed == ["0 1", "1 -1"])
  }

  @Test("tells when a first step passes, and has what comes meanwhile wait for nothing")
  func deadline() {
    var rules = Self.rules
    rules.wheel.first = nil
    var engine = Debouncer(rules)
    #expect(engine.process(at: 10.ms, Self.wheel(1)).isEmpty)
    #expect(engine.deadline == 90.ms)
    // While it waits, nothing takes the short cut, so that what comes later than its deadline goes out after it.
    #expect(engine.freeAxes == 0)
    #expect(engine.process(at: 20.ms, .motion(1)).map(\.time) == [20.ms])
    #expect(engine.process(at: 95.ms, .motion(1)).map(\.time) == [90.ms, 95.ms])
    #expect(engine.deadline == nil && engine.freeAxes != 0)
  }

  @Test("goes out in the order of the deadlines, beside keys that wait")
  func orderOfDeadlines() {
    var rules = Self.rules
    rules.wheel.first = 50.ms
    for release in [20, 60] {
      rules.strategy = .eagerDefer(EagerDefer(press: 0, release: release.ms))
      var (late, timely) = (Debouncer(rules), Debouncer(rules))
      var frames: ([Frame], [Frame]) = ([], [])
      func play(_ engine: inout Debouncer, _ steps: Int) -> [Frame] {
        var frames = engine.process(at: 0, .key(30, down: true))
        frames += engine.process(at: 100.ms, .key(30, down: false))
        frames += engine.process(at: 101.ms, Self.wheel(1))
        for step in 0..<steps { frames += engine.advance(to: (101 + step).ms) }
        return frames + engine.process(at: 400.ms, .motion(1))
      }
      frames = (play(&late, 0), play(&timely, 200))
      #expect(frames.0 == frames.1)
      #expect(frames.0.map(\.time) == frames.0.map(\.time).sorted() && frames.0.count == 4)
    }
  }

  @Test("takes a notch that fires again at once for one")
  func doubles() {
    let rules = Rules(strategy: .none, wheel: WheelRules(double: 8.ms))
    #expect(
      turned([(0, 1), (5, 1), (120, 1), (128, 1), (240, -1), (249, -1)], rules)
        == (["0 1", "120 1", "240 -1", "249 -1"], 2))
    // However fast it turns, every second step passes; a turn back does at once.
    #expect(
      turned([(0, 1), (6, 1), (12, 1), (18, 1), (24, 1), (30, -1)], rules)
        == (["0 1", "12 1", "24 1", "30 -1"], 2))
    // Fractions of a notch come as fast as they like.
    #expect(turned([(0, 60), (2, 60), (4, 60)], code: 11, rules).leftOut == 0)
    #expect(turned([(0, 120), (2, 120), (20, 120)], code: 11, rules).leftOut == 1)
    // Steps backwards are not judged, not even those of one moment.
    #expect(turned([(0, 1), (0, -1)], rules).passed == ["0 1", "0 -1"])
    // A repetition shows that steps the other way were nothing, from the notch on that fires again.
    let both = Rules(strategy: .none, wheel: WheelRules(reversal: 80.ms, first: 0, double: 8.ms))
    #expect(turned([(0, 1), (0, -1), (5, 1), (20, -1)], both) == (["0 1"], 3))
    // Where none are left out, those of one moment pass.
    #expect(turned([(0, 1), (0, 1)]) == (["0 1", "0 1"], 0))
    // A step back within one notch takes none of its neighbours with it.
    #expect(turned([(0, 1), (20, -1), (23, 1)], rules).passed == ["0 1", "20 -1", "23 1"])
  }

  @Test("counts what it leaves out at once, though nothing waits", arguments: [0, 8] as [UInt16])
  func counted(axis: UInt16) {
    var engine = Debouncer(Rules(strategy: .none, wheel: WheelRules(axes: [axis], double: 8.ms)))
    _ = engine.process(at: 0, Self.wheel(1, code: axis))
    #expect(engine.process(at: 5.ms, Self.wheel(1, code: axis)).isEmpty)
    #expect(engine.counters.reversals == 1)
  }

  @Test("has no first step that waits where steps backwards are not judged")
  func waitOfFirst() {
    #expect(WheelRules(first: 9.ms, double: 8.ms).wait == 0)
    #expect(WheelRules(reversal: 1, first: 9.ms).wait == 9.ms)
  }

  @Test("takes what a knob does within one detent for one step")
  func detents() {
    for double in 3...20 {
      var wheel = WheelRules(axes: [1], reversal: 20.ms, double: double.ms)
      let bounces = [(3, 1), (6, -1), (9, 1), (12, 1), (15, -1), (18, 1)] as [(Int, Int32)]
      for first in [nil, 0] as [Microseconds?] {
        wheel.first = first
        let rules = Rules(strategy: .none, wheel: wheel)
        #expect(turned(bounces, code: 1, rules).passed.map { $0.suffix(2) } == [" 1", " 1"])
        // Back, and once more after a rest.
        let later = bounces.map { ($0.0 + 500, -$0.1) }.prefix(3)
        let out = turned(bounces + later, code: 1, rules).passed
        #expect(out.map { $0.suffix(2) } == [" 1", " 1", "-1"], "\(double): \(out)")
      }
    }
    // One that is turned back within a detent comes back, without a step.
    let rules = Rules(strategy: .none, wheel: WheelRules(axes: [1], reversal: 20.ms, double: 5.ms))
    #expect(turned([(0, 1), (3, -1)], code: 1, rules).passed == [])
  }

  @Test("holds a step for the shortest time, too")
  func shortest() {
    let rules = Rules(strategy: .none, wheel: WheelRules(reversal: 1, first: 0))
    var engine = Debouncer(rules)
    #expect(engine.process(at: 0, Self.wheel(1)).count == 1)
    #expect(engine.process(at: 1, Self.wheel(-1)).isEmpty)
    engine.adopt(Rules(strategy: .none, wheel: WheelRules(double: 1)))
    #expect(engine.process(at: 10, Self.wheel(1)).count == 1)
    #expect(engine.process(at: 11, Self.wheel(1)).isEmpty)
    // The first step, and the first one after a rest.
    engine.adopt(Rules(strategy: .none, wheel: WheelRules(reversal: 1)))
    for time in [20, 30] as [Microseconds] {
      #expect(engine.process(at: time, Self.wheel(1)).isEmpty)
      #expect(engine.advance(to: time + 1).map(\.time) == [time + 1])
    }
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
    engine.adopt(Rules(strategy: .none, wheel: WheelRules(reversal: 1)))
    #expect(engine.freeAxes == ~watched)
    engine.adopt(Rules(strategy: .none, wheel: WheelRules(axes: [7, 99], double: 1)))
    #expect(engine.freeAxes == ~(1 << 7))
    engine.adopt(Rules(strategy: .none, wheel: WheelRules(axes: [0], double: 1)))
    #expect(engine.freeAxes == ~1)
  }

  @Test("has no axis that no kernel knows")
  func unknownAxes() {
    var rules = Self.rules
    rules.wheel.axes = [8, 16]
    #expect(turned([(0, 1), (20, -1), (40, 1)], code: 16, rules) == (["0 1", "20 -1", "40 1"], 0))
  }

  @Test("that is not watched passes whatever it sends")
  func notWatched() {
    var engine = Debouncer(Rules(strategy: .none))
    for code: UInt16 in [6, 8] {
      for steps: Int32 in [1, -1, 1] {
        let events = [Self.wheel(steps, code: code), .down(.a), .up(.a)]
        #expect(engine.process(Frame(time: 5, events)) == [Frame(time: 5, events)])
      }
    }
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
        Frame(time: 30.ms, [whole, fine]), Frame(time: 30.ms, [motion, fine, whole]),
      ])
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
    // What was due before comes before.
    var late = Debouncer(Rules(strategy: .none, wheel: WheelRules(reversal: 80.ms)))
    late.process(Frame(time: 0, [Self.wheel(1)]))
    late.resynchronise(held: KeySet(), others: Frame(time: 200.ms))
    #expect(late.output.frames.map(\.time) == [80.ms])
    // The same rules once more change nothing.
    engine.adopt(Self.rules)
    #expect(engine.counters.reversals == 1)
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

  /// Random steps, one notch each, at times that decide something.
  private func randomSteps(_ random: inout SeededRandom, count: Int = 30) -> [(Int, Int32)] {
    var time = 0
    return (0..<count).map { _ in
      time += random.pick([1, 4, 20, 30, 50, 200, 500])
      return (time, random.pick([1, 1, 1, -1]))
    }
  }

  @Test("decides by the steps' times alone, and gives out no more than came, each way")
  func properties() {
    for seed in 0..<UInt64(500) {
      var random = SeededRandom(seed: seed)
      let steps = randomSteps(&random)
      let wheel = WheelRules(
        reversal: random.pick([0, 20.ms, 80.ms]), first: random.pick([nil, 0, 30.ms]),
        double: random.pick([0, 5.ms]))
      let rules = Rules(strategy: .none, wheel: wheel)
      let (passed, leftOut) = turned(steps, rules)
      #expect(turned(steps, rules, eager: true).passed == passed, "seed \(seed)")
      let values = passed.compactMap { Int32($0.split(separator: " ")[1]) }
      for sign in [1, -1] as [Int32] {
        let (sent, out) = (
          steps.count { $0.1 == sign }, values.reduce(0) { $0 + max(0, $1 * sign) }
        )
        #expect(out <= sent, "seed \(seed)")
      }
      let total = values.reduce(0) { $0 + abs($1) }
      #expect(
        Int(total) <= steps.count && Int(total) + 2 * Int(leftOut) >= steps.count, "seed \(seed)")
    }
  }

  @Test("loses nothing of what a finger turns one way")
  func oneWay() {
    for seed in 0..<UInt64(200) {
      var random = SeededRandom(seed: seed)
      let code: UInt16 = random.pick([8, 11])
      let unit: Int32 = code == 8 ? 1 : random.pick([15, 30, 120])
      var time = 0
      let steps: [(Int, Int32)] = (0..<40).map { _ in
        time += random.pick([9, 15, 30, 90, 400])
        return (time, unit)
      }
      let rules = Rules(strategy: .none, wheel: WheelRules(reversal: 80.ms, double: 8.ms))
      let (passed, leftOut) = turned(steps, code: code, rules)
      let sum = passed.compactMap { Int32($0.split(separator: " ")[1]) }.reduce(0, +)
      #expect(sum == 40 * unit && leftOut == 0, "seed \(seed)")
    }
  }

  @Test(
    "allocates nothing", .enabled(if: allocation_count() >= 0, "a sanitizer counts allocations"))
  func allocations() {
    var rules = Self.rules
    rules.wheel.first = nil
    rules.wheel.double = 5.ms
    var engine = Debouncer(rules)
    var frame = Frame(time: 0, [Self.wheel(120, code: 11), Self.wheel(1), .motion(1)])
    let back = Frame(time: 0, [Self.wheel(-120, code: 11), Self.wheel(-1)])
    var frames = ContiguousArray([frame, back, frame, back, back])
    func play(_ count: Int) {
      for round in 0..<count {
        for index in frames.indices {
          frames[index].time = Microseconds(round * 1000 + index * 10) * 1000
          engine.process(frames[index])
          engine.output.removeAll()
        }
        // A rest, and with every second round a first step that waits.
        if round.isMultiple(of: 2) {
          engine.advance(to: Microseconds(round * 1000 + 900) * 1000)
        }
        engine.output.removeAll()
      }
    }
    play(100)
    let before = allocation_count()
    play(1000)
    #expect(allocation_count() == before)
    frame.removeAll()
  }
}

import Foundation
import Testing

@testable import Debounce

/// Habits outlast an engine: they are stored, and installed in a later one.
@Suite struct LearnedHabitsTests {
  /// An engine that has seen ten strokes of 60 ms, and a press bounce of another key.
  private var learned: Debouncer {
    var engine = Debouncer()
    _ = engine.process(strokes: taps(10, of: .s, held: 60.ms, every: 500.ms))
    engine.play("A+6000 A-6008 A+6014 A-6200")
    return engine
  }

  @Test("A new engine has no habits")
  func none() {
    #expect(Debouncer().habits == LearnedHabits())
    #expect(LearnedHabits().isEmpty)
    #expect(!LearnedHabits(usualHold: 80.ms).isEmpty)
    #expect(!LearnedHabits(keys: [.init(.a, badFor: 9)]).isEmpty)
    #expect(LearnedHabits().usualHold == 90.ms)
  }

  @Test("Habits are the usual hold, the offsets and the evidence that is left")
  func habits() {
    let habits = learned.habits
    // Ten strokes that were shorter, and one that was longer.
    #expect(habits.usualHold == 81.ms)
    #expect(
      habits.keys == [
        .init(.a, offset: 500, badFor: 1000, evidence: 1),
        .init(.s, offset: -5.ms),
      ])
  }

  @Test("Installed habits come back")
  func installed() {
    var engine = Debouncer()
    let wasInstalled = engine.install(learned.habits)
    #expect(wasInstalled)
    #expect(engine.habits == learned.habits)
    #expect(engine.isBad(.a) && !engine.isBad(.s))
    // Installed evidence is no news: it is not counted again.
    #expect(engine.counters == Counters())
    #expect(engine.countedKeys.isEmpty)
  }

  @Test("A drop-out of a key known to be bad is removed at once")
  func dropOut() {
    let dropOut = "A+0 A-80 A+90 A-300"
    #expect(debounce(strokes(dropOut)).filter(\.isDown).count == 2)
    var engine = Debouncer()
    engine.install(LearnedHabits(keys: [.init(.a, badFor: 10)]))
    let clean = edges(in: engine.process(strokes: strokes(dropOut)))
    #expect(clean.map(\.isDown) == [true, false])
    #expect(engine.counters.chatter.dropOuts == 1)
  }

  @Test("Installed evidence holds for as many presses as it says", arguments: [0, 1, 2, 4])
  func evidence(count: Int) {
    let rules = Rules(strategy: .adaptive(Adaptive(within: 4)))
    var engine = Debouncer(rules)
    engine.install(LearnedHabits(keys: [.init(.a, badFor: count)]))
    for press in 0..<8 {
      let time = press * 1000
      engine.play("A+\(time) A-\(time + 200)", completely: false)
      #expect((engine.deadline != nil) == (press < count))
      engine.advance(to: .max)
      #expect(engine.isBad(.a) == (press < count))
      #expect(engine.habits.keys.first?.badFor == (press < count ? count - press - 1 : nil))
    }
  }

  @Test("An engine that has decided on a frame is left as it is")
  func tooLate() {
    var engine = Debouncer()
    _ = engine.process(at: 0, .motion(1))
    let wasInstalled = engine.install(learned.habits)
    #expect(!wasInstalled)
    #expect(engine.habits.isEmpty)
  }

  @Test("Keys without the strategy have no habits")
  func otherStrategies() {
    var engine = Debouncer(
      Rules(strategy: .adaptive(Adaptive()), keys: [.a: .prompt(Prompt(threshold: 25.ms))]))
    engine.install(
      LearnedHabits(keys: [
        .init(.a, offset: 3.ms, badFor: 9), .init(.max, badFor: 1),
        .init(KeyCode(EventType.keyCount), badFor: 1),
      ]))
    #expect(engine.habits.isEmpty)
    #expect(!engine.isBad(.a))
  }

  @Test("Habits out of range are brought into it")
  func range() {
    var engine = Debouncer()
    engine.install(
      LearnedHabits(
        usualHold: .max,
        keys: [
          .init(.a, offset: .min, badFor: .max), .init(.s, offset: .max, badFor: .min),
        ]))
    let expected = LearnedHabits(
      usualHold: 10_000.ms,
      keys: [
        .init(.a, offset: -10_000.ms, badFor: 1000),
        .init(.s, offset: 10_000.ms, badFor: 0),
      ])
    #expect(engine.habits == expected)
    #expect(LearnedHabits(usualHold: -5).usualHold == 0)
  }

  /// A bounce of 8 ms, 62 ms after the release: a bad key's next press after 70 ms is suspicious.
  @Test("How late the bounces of a bad key came is kept")
  func reach() {
    var first = Debouncer()
    first.play("A+0 A-100 A+162 A-170")
    #expect(first.habits.keys.map(\.reach) == [62.ms])
    for habits in [first.habits, LearnedHabits(keys: [.init(.a, badFor: 1000)])] {
      var engine = Debouncer()
      engine.install(habits)
      let clean = edges(in: engine.process(strokes: strokes("A+0 A-100 A+170 A-178")))
      #expect(clean.filter(\.isDown).count == (habits == first.habits ? 1 : 2))
    }
    // The reach goes with the evidence, and does not come back with other evidence.
    var engine = Debouncer(Rules(strategy: .adaptive(Adaptive(within: 1))))
    engine.install(first.habits)
    let text = "A+0 A-100 A+1000 A-1100 A+2000 A-2100 A+3000 A-3008 A+3014 A-3100"
    engine.play(text)
    #expect(engine.habits.keys.map { $0.badFor != nil && $0.reach == 0 } == [true])
    engine = Debouncer()
    engine.install(LearnedHabits(keys: [.init(.a, reach: 62.ms)]))
    engine.play("A+0 A-8 A+14 A-100")
    #expect(engine.habits.keys.map(\.reach) == [0])
  }

  /// Gaps of 5 ms after holds of 200 ms: the sixth is evidence, whichever engine saw the others.
  @Test("How many late drop-outs a key has shown is kept")
  func lateDropOuts() {
    let dropOut = { (time: Int) in
      strokes("A+\(time) A-\(time + 200) A+\(time + 205) A-\(time + 400)")
    }
    var first = Debouncer()
    for time in 0..<5 { _ = first.process(strokes: dropOut(1000 * time)) }
    #expect(first.habits.keys.map(\.lateDropOuts) == [5])
    #expect(!first.isBad(.a))
    for (habits, isBad) in [(first.habits, true), (LearnedHabits(), false)] {
      var engine = Debouncer()
      engine.install(habits)
      _ = engine.process(strokes: dropOut(0))
      #expect(engine.isBad(.a) == isBad)
    }
  }

  /// A shows press bounces. Then A and S are tapped in turn, and one tap of A bounces. The taps are as short as a machine's,
  /// and the engine takes them for a machine's unless A is surely bad.
  @Test("How much evidence a bad key has shown is kept")
  func amountOfEvidence() {
    let bounces = { (count: Int) in
      (0..<count).flatMap { number in
        let time = number * 1000
        return strokes("A+\(time) A-\(time + 3) A+\(time + 7) A-\(time + 90)")
      }
    }
    let taps = "A+0 A-20 S+62 S-82 A+124 A-127 A+132 A-154 S+186 S-216 A+248 A-278"
    for count in 1...4 {
      var first = Debouncer()
      _ = first.process(strokes: bounces(count))
      #expect(first.habits.keys.map(\.evidence) == [min(count, 3)])
      var engine = Debouncer()
      engine.install(first.habits)
      #expect(engine.habits == first.habits)
      let presses = edges(in: engine.process(strokes: strokes(taps))).filter(\.isDown).count
      #expect(presses == (count < 3 ? 6 : 5), "\(count)")
      // The evidence begins anew each time that the switch is found to be bad.
      engine.reset(.a)
      engine.play("A+9000 A-9003 A+9007 A-9090")
      #expect(engine.habits.keys.filter { $0.code == .a }.map(\.evidence) == [1])
    }
  }

  @Test("A bad key that was stored without its evidence is sure")
  func storedWithoutEvidence() throws {
    typealias Key = LearnedHabits.Key
    #expect(Key(.a, badFor: 9).evidence == 3 && Key(.a).evidence == 0)
    #expect(Key(.a, badFor: 9, evidence: 0).evidence == 1)
    #expect(Key(.a, badFor: 9, evidence: .max).evidence == 3)
    let earlier = Data(#"{"code":30,"offset":-500,"badFor":9,"reach":0,"lateDropOuts":2}"#.utf8)
    let key = try JSONDecoder().decode(Key.self, from: earlier)
    #expect(key == Key(.a, offset: -500, badFor: 9, evidence: 3, lateDropOuts: 2))
    let present = Key(.a, badFor: 9, evidence: 2)
    let copy = try JSONDecoder().decode(Key.self, from: try JSONEncoder().encode(present))
    #expect(copy == present)
  }

  @Test("A key that is named twice is bad once")
  func twice() {
    var engine = Debouncer()
    engine.install(LearnedHabits(keys: [.init(.a, badFor: 9), .init(.a, badFor: 5)]))
    #expect(engine.habits.keys == [.init(.a, badFor: 5)])
    engine.reset(.a)
    #expect(engine.device.badKeys == 0)
  }

  // MARK: Resets

  @Test("A key that is reset is a new one")
  func resetKey() {
    var engine = learned
    engine.reset(.a)
    #expect(engine.habits.keys == [.init(.s, offset: -5.ms)])
    #expect(engine.habits.usualHold == 81.ms)
    #expect(engine.countedKeys == [.s])
    #expect(!engine.isBad(.a))
    #expect(engine.device.badKeys == 0)
    // The key's releases wait no more.
    engine.play("A+9000 A-9300", completely: false)
    #expect(engine.deadline == nil)
    #expect(engine.counts(of: .a)?.strokes == 1)
    engine.reset(.max)
  }

  @Test("A device that is reset is a new one")
  func resetDevice() {
    var engine = learned
    engine.reset()
    #expect(engine.habits.isEmpty)
    #expect(engine.countedKeys.isEmpty)
    #expect(engine.counters == learned.counters)
    #expect(engine.device.badKeys == 0)
  }

  @Test("A stroke in hand goes on as it began")
  func strokeInHand() {
    var engine = learned
    engine.play("A+7000 A-7200", completely: false)
    #expect(engine.deadline != nil)
    engine.reset(.a)
    // The release that waits is undone by the press: a drop-out.
    #expect(engine.process(at: 7210.ms, .down(.a)).isEmpty)
    #expect(engine.play("A-7400") == "A-7400")
    #expect(!engine.isBad(.a))
  }

  @Test("What is delivered after a reset takes no count below nothing")
  func deliveredAfterReset() {
    // A machine types a character twice, which is taken for one stroke at first.
    var engine = Debouncer()
    engine.play("A+0 A-10 S+20 S-30 A+200 A-210 A+220 A-230", completely: false)
    engine.reset()
    engine.play("S+240 S-250")
    #expect(engine.counters.chatter.total == 0)
    #expect(engine.counts(of: .a)?.chatter.total == 0)
  }
}

import StrokeFixtures
import Testing

@testable import Debounce

/// What `adaptive` decides at the very limits of its times, where `adaptive.strokes` cannot show it.
@Suite struct AdaptiveTests {
  private static let bad = LearnedHabits(keys: [.init(.a, badFor: 10)])

  @Test("A press that is let go at its deadline has not lasted")
  func letGoAtDeadline() {
    #expect(debounceAdaptively("A+0 A-100 A+110 A-135").text == "A+0 A-100")
    #expect(
      debounceAdaptively("A+0 A-100 A+110 A-135.001").map(\.isDown) == [true, false, true, false])
  }

  /// A machine may send a key down, up and down again at one time. No wait is left where so short a hold is expected, however long it was.
  @Test("After presses of one time nothing waits")
  func pressesOfOneTime() {
    var engine = Debouncer(Rules(strategy: .adaptive(Adaptive(dropout: 100.ms))))
    engine.install(LearnedHabits(keys: [.init(.a, badFor: 10)]))
    let clean = edges(
      in: engine.process(strokes: strokes("S+0 S-10 D+20 D-30 A+40 A-40 A+40 A-140")))
    #expect(clean.filter { $0.key == .a }.text == "A+40 A-40 A+40 A-140")
  }

  @Test(
    "What is known of the key decides how long its releases wait, and its presses",
    arguments: [
      // A stroke of 45 ms is not very short.
      (25, LearnedHabits(usualHold: 140.ms), "A+0 A-45", "A+0 A-45"),
      (25, LearnedHabits(usualHold: 140.ms), "A+0 A-44.999", "A+0 A-55"),
      // A release is early before 54 % of the usual hold.
      (25, bad, "A+0 A-48.6", "A+0 A-73.6"), (25, bad, "A+0 A-48.599", "A+0 A-86.099"),
      // A short threshold makes a bad key no less suspicious: after a gap of 35 ms, and after a stroke of 10 ms.
      (10, bad, "A+0 A-100 A+135 A-140", "A+0 A-110"), (10, bad, "A+0 A-10", "A+0 A-55"),
    ])
  func known(threshold: Int, habits: LearnedHabits, text: String, clean: String) {
    var engine = Debouncer(Rules(strategy: .adaptive(Adaptive(threshold: threshold.ms))))
    engine.install(habits)
    #expect(engine.play(text) == clean)
  }

  @Test("60 ms are not too short for a finger")
  func fingersStroke() {
    // The second press vanishes; from the release before it to its own it is so long.
    let bounces = [("A+0 A-100 A+135 A-159.999", 1), ("A+0 A-100 A+135 A-160", 0)]
    for (text, learned) in bounces {
      let engine = adaptiveEngine(text)
      #expect((engine.counters.pressesOut, engine.counters.learned) == (1, UInt64(learned)))
    }
  }

  @Test("A gap that is not suspicious at its tempo is no evidence")
  func gapAtTempo() {
    #expect(adaptiveEngine("A+0 A-46 A+62 A-100 A+114 A-160").counters.learned == 0)
  }

  @Test("A held contact proves one stroke, however many short ones follow")
  func heldContact() {
    let chatter = (0..<9).map { "A+\(110 + 10 * $0) A-\(115 + 10 * $0)" }.joined(separator: " ")
    #expect(debounceAdaptively("A+0 A-8 A+14 A-100 \(chatter) A+200 A-400").text == "A+0 A-425")
  }

  @Test("The window in which a press is suspicious is half open")
  func suspiciousWindow() {
    let rules = Rules(strategy: .adaptive(Adaptive()))
    // At 90 ms from press to press, half of 90 is usual, and half of 40 is the window.
    let text = "A+0 A-70 A+90 A-160 "
    #expect(
      debounce(strokes(text + "A+180 A-250"), rules).contains(Edge(.a, down: true, at: 180.ms)))
    let early = debounce(strokes(text + "A+179.999 A-250"), rules)
    #expect(!early.contains(Edge(.a, down: true, at: 179_999)))
    #expect(early.filter(\.isDown).count == 3)
  }

  @Test("A stroke of 20 ms is learned from")
  func learnedHold() {
    #expect(adaptiveEngine("A+0 A-19.999").habits.isEmpty)
    #expect(adaptiveEngine("A+0 A-20").habits.usualHold == LearnedHabits.packagedHold - 1.ms)
  }

  /// An engine that has decided on the strokes, and took the key `a` for bad for so many presses before.
  private func engine(badFor presses: Int, _ text: String) -> Debouncer {
    var engine = Debouncer()
    engine.install(LearnedHabits(keys: [.init(.a, badFor: presses)]))
    engine.play(text)
    return engine
  }

  /// A repaired key would otherwise stay slow because of strokes that a finger can make.
  @Test("A bad key that is pressed again 60 ms after its press has not bounced")
  func fingersSecondPress() {
    #expect(engine(badFor: 10, "A+0 A-10 A+59.999 A-200").habits.keys.map(\.badFor) == [1000])
    #expect(engine(badFor: 10, "A+0 A-10 A+60 A-200").habits.keys.map(\.badFor) == [9])
  }

  /// A key that was taken for bad by mistake recovers the sooner.
  @Test(
    "A drop-out that a finger can have made takes 100 presses off: a hold of 60 ms, a gap of 15",
    arguments: [
      ("A+0 A-60 A+80 A-200", 100), ("A+0 A-59.999 A+80 A-200", 0),
      ("A+0 A-100 A+115 A-250", 100), ("A+0 A-100 A+114.999 A-250", 0),
    ])
  func fingersDropOut(text: String, forgiven: Int) {
    let engine = engine(badFor: 500, text)
    #expect(engine.counters.pressesOut == 1)
    #expect(engine.habits.keys.map(\.badFor) == [499 - forgiven])
  }

  /// The releases of the bad key wait for 17 ms.
  @Test(
    "A suspicious press that lasts after a finger's gap takes 50 presses off, and a late drop-out",
    arguments: [
      ("A+0 A-200 A+225 A-400", 50, 1), ("A+0 A-200 A+224.999 A-400", 0, 2),
      // After a shorter hold a gap of 15 ms is a finger's, too, though it may be a drop-out.
      ("A+0 A-149.999 A+170 A-400", 50, 2), ("A+0 A-150 A+170 A-400", 0, 2),
    ])
  func fingersPress(text: String, forgiven: Int, lateDropOuts: Int) {
    var engine = Debouncer()
    engine.install(
      LearnedHabits(usualHold: 60.ms, keys: [.init(.a, badFor: 500, lateDropOuts: 2)]))
    engine.play(text)
    #expect(engine.counters.pressesOut == 2)
    #expect(engine.habits.keys.map(\.badFor) == [498 - forgiven])
    #expect(engine.habits.keys.map(\.lateDropOuts) == [lateDropOuts])
  }

  @Test("A gap that a finger can make is no evidence")
  func fingersGap() {
    #expect(adaptiveEngine("A+0 A-40 A+54.999 A-200").counters.learned == 1)
    #expect(adaptiveEngine("A+0 A-40 A+55 A-200").counters.learned == 0)
    #expect(adaptiveEngine("A+0 A-46 A+59.999 A-200").counters.learned == 1)
    #expect(adaptiveEngine("A+0 A-46 A+60 A-200").counters.learned == 0)
  }

  @Test(
    "A gap that a finger can make is no late drop-out",
    arguments: [
      ("A+0 A-150 A+164.999 A-400", 1), ("A+0 A-149.999 A+160 A-400", 0),
      ("A+0 A-150 A+165 A-400", 0),
      // After twice as long a hold, a finger's gap is longer.
      ("A+0 A-300 A+324.999 A-600", 1), ("A+0 A-299.999 A+320 A-600", 0),
      ("A+0 A-300 A+325 A-600", 0),
    ])
  func lateDropOuts(text: String, count: Int) {
    let lateDropOuts = adaptiveEngine(text).habits.keys.map(\.lateDropOuts)
    #expect(lateDropOuts.reduce(0, +) == count)
  }

  /// Each bounce comes soon after the one before.
  @Test("No press is suspicious 150 ms after a release, however often the key has bounced since")
  func bounces() {
    let bounces = "A+0 A-100 A+130 A-133 A+180 A-183 A+230 A-233 "
    #expect(debounceAdaptively(bounces + "A+249.999 A-400").text == "A+0 A-100 A+274.999 A-425")
    #expect(debounceAdaptively(bounces + "A+250 A-400").text == "A+0 A-100 A+250 A-425")
  }

  @Test("A key that has recovered is no bad key")
  func recovery() {
    var engine = Debouncer(Rules(strategy: .adaptive(Adaptive(within: 2))))
    engine.play("A+0 A-8 A+14 A-100 A+200 A-300 A+400 A-500 A+600 A-700")
    #expect(engine.counters.forgotten == 1)
    #expect(engine.device.badKeys == 0)
  }
}

import Debounce
import Testing

/// Which waiting releases go out before another key's press.
///
/// The keys drop out, so each release waits for 25 ms.
@Suite struct FlushTests {
  private func debounce(_ text: String, flush: Flush) -> String {
    let rules = Rules(strategy: .eagerDefer(EagerDefer(press: 0, release: 25.ms)), flush: flush)
    return DebounceTests.debounce(strokes(text), rules).text
  }

  private static let rollover = "LEFTSHIFT+0 A+0 LEFTSHIFT-100 A-101 S+110"

  @Test(
    "Another key's press sends the releases that the setting names",
    arguments: [
      (.modifiers, rollover, "LEFTSHIFT+0 A+0 LEFTSHIFT-110 S+110 A-126"),
      (.none, rollover, "LEFTSHIFT+0 A+0 S+110 LEFTSHIFT-125 A-126"),
      // All go out in their order.
      (.all, rollover, "LEFTSHIFT+0 A+0 LEFTSHIFT-110 A-110 S+110"),
      (.all, "S+0 A+0 A-100 S-101 D+110", "S+0 A+0 A-110 S-110 D+110"),
      // A release flushes nothing, nor does a press that is withdrawn.
      (.all, "LEFTSHIFT+0 A+0 LEFTSHIFT-100 A-110", "LEFTSHIFT+0 A+0 LEFTSHIFT-125 A-135"),
      (
        .all, "LEFTSHIFT+0 A+0 A-100 LEFTSHIFT-101 A+105 A-200",
        "LEFTSHIFT+0 A+0 LEFTSHIFT-126 A-225"
      ),
      // A press flushes the release before it in its own frame. What came before the release stays before it.
      (
        .modifiers, "LEFTSHIFT+0 LEFTSHIFT-100 & A+100 A-200",
        "LEFTSHIFT+0 LEFTSHIFT-100 A+100 A-225"
      ),
      (
        .modifiers, "LEFTSHIFT+0 S+100 & LEFTSHIFT-100 & A+100",
        "LEFTSHIFT+0 S+100 LEFTSHIFT-100 A+100"
      ),
      (.modifiers, "LEFTSHIFT+0 & LEFTSHIFT-0 & A+0", "LEFTSHIFT+0 LEFTSHIFT-0 A+0"),
    ] as [(Flush, String, String)])
  func releases(flush: Flush, raw: String, clean: String) {
    #expect(debounce(raw, flush: flush) == clean)
  }

  @Test("Modifiers alone are flushed by default")
  func packaged() {
    #expect(Rules().flush == .modifiers)
  }

  @Test(
    "Modifiers are those of both sides",
    arguments: [
      "LEFTCTRL", "RIGHTCTRL", "LEFTSHIFT", "RIGHTSHIFT", "LEFTALT", "RIGHTALT", "LEFTMETA",
      "RIGHTMETA",
    ])
  func bothSides(key: String) {
    #expect(
      debounce("\(key)+0 \(key)-100 A+110 A-200", flush: .modifiers)
        == "\(key)+0 \(key)-110 A+110 A-225")
  }

  @Test("A waiting press is not flushed")
  func waitingPress() {
    let rules = Rules(strategy: .prompt(Prompt(quiet: 30.ms)), flush: .all)
    #expect(
      DebounceTests.debounce(strokes("LEFTSHIFT+0 LEFTSHIFT-100 LEFTSHIFT+120 A+125"), rules).text
        == "LEFTSHIFT+0 LEFTSHIFT-100 A+125 LEFTSHIFT+150")
  }

  @Test("A press that waited flushes only releases that came before it")
  func pressThatWaited() {
    let rules = Rules(
      strategy: .eagerDefer(EagerDefer(press: 0, release: 40.ms)),
      keys: [.a: .prompt(Prompt(quiet: 30.ms))], flush: .modifiers)
    #expect(
      DebounceTests.debounce(
        strokes("LEFTSHIFT+0 LEFTCTRL+0 A+0 A-100 LEFTSHIFT-109 A+110 LEFTCTRL-111 A-200"), rules
      ).text == "LEFTSHIFT+0 LEFTCTRL+0 A+0 A-100 LEFTSHIFT-140 A+140 LEFTCTRL-151 A-200")
  }

  @Test("A flushed release is a frame of its own and keeps its scan code")
  func frame() {
    var engine = Debouncer(Rules(strategy: .eagerDefer(EagerDefer(press: 0, release: 25.ms))))
    _ = engine.process(at: 0, .scan(1), .down(.leftShift))
    _ = engine.process(at: 100.ms, .scan(2), .up(.leftShift))
    #expect(
      engine.process(at: 110.ms, .motion(1), .scan(3), .down(.a)) == [
        Frame(time: 110.ms, [.motion(1)]),
        Frame(time: 110.ms, [.scan(2), .up(.leftShift)]),
        Frame(time: 110.ms, [.scan(3), .down(.a)]),
      ])
    #expect(engine.deadline == nil)
  }
}

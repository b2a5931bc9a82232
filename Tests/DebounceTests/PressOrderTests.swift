import StrokeFixtures
import Testing

@testable import Debounce

/// Presses that wait behind those that came before them, and releases that go out before a press: see `order.strokes` and
/// `flush.strokes`, too.
@Suite struct PressOrderTests {
  /// Whatever K does, the press of X waits behind it no longer than an edge of K would.
  @Test("A press waits no longer behind one key, however many others follow")
  func longestWait() {
    let rules = Rules(strategy: .adaptive(Adaptive()))
    let clean = debounce(
      strokes(
        """
        K+0 K-10 K+15 K-25 X+30 K+50 K-55 Y+60 K+85 K-93 Z+94 K+120 K-122 W+130 K+150 K-152 V+160 \
        K+180 K-182 U+190 X-300 Y-310 Z-320 W-330 V-340 U-350
        """), rules)
    #expect(clean.filter(\.isDown).text == "K+0 X+136 Y+166 Z+200 W+223 V+223 U+223")
  }

  /// A modifier that comes up at the very deadline of a press was down when that press was made.
  @Test("A press that is due goes out before its modifier comes up")
  func modifier() throws {
    var engine = Debouncer()
    engine.play("LEFTSHIFT+0 A+10 A-100 A+108", completely: false)
    let due = try #require(engine.deadline)
    let frames = engine.process(at: due, .up(.leftShift)) + engine.advance(to: .max)
    #expect(edges(in: frames).map(\.key) == [.a, .leftShift])
  }

  @Test("A press that came first in its frame goes out first")
  func sameFrame() {
    let rules = Rules(
      strategy: .adaptive(Adaptive()), keys: [.s: .defer(Defer(press: 5.ms, release: 0))])
    let clean = debounce(strokes("A+0 A-100 A+108 & S+108 S-300 A-310"), rules)
    #expect(clean.filter(\.isDown).map(\.key) == [.a, .a, .s])
  }

  @Test("A second stroke does not overtake a press of the same frame")
  func secondStroke() {
    let rules = Rules(
      strategy: .adaptive(Adaptive(confirm: 40.ms)),
      keys: [.a: .adaptive(Adaptive(confirm: 21.ms))])
    let clean = debounce(
      strokes("S+0 S-25 A+30 S+100 S-125 A-130 A+140 & S+140 S-160 A-300"), rules)
    #expect(clean.filter(\.isDown).map(\.key) == [.s, .a, .s, .a, .s])
  }

  /// What waits for two others waits for the second when the first has vanished.
  @Test("A press waits for all that came before it")
  func queuedPress() {
    var engine = Debouncer()
    engine.play("A+0 S+10 A-100 S-101 A+108 S+109 D+110", completely: false)
    // A's press was a bounce of its release; S's is not decided yet.
    #expect(engine.process(at: 112.ms, .up(.a)).isEmpty)
    let rest = edges(in: engine.process(strokes: strokes("D-300 S-310")))
    #expect(rest.filter(\.isDown).map(\.key) == [.s, .d])
  }

  /// However many presses come behind strokes that may be several, their end waits for 106 ms at most.
  @Test(
    "The end of strokes that may be several, and presses behind it, are put off only so far")
  func endOfStrokes() {
    let clean = debounceAdaptively("A+0 A-10 A+20 A-30 S+60 D+90 F+120 S-300 D-310 F-320")
    #expect(clean.text == "A+0 A-136 S+136 D+136 F+136 S-300 D-310 F-320")
  }

  @Test(
    "Releases of modifiers of both sides go out before another key's press, by default",
    arguments: [
      "LEFTCTRL", "RIGHTCTRL", "LEFTSHIFT", "RIGHTSHIFT", "LEFTALT", "RIGHTALT", "LEFTMETA",
      "RIGHTMETA",
    ])
  func bothSides(key: String) {
    let rules = Rules(strategy: .eagerDefer(EagerDefer(press: 0, release: 25.ms)))
    let clean = debounce(strokes("\(key)+0 \(key)-100 A+110 A-200"), rules)
    #expect(clean.text == "\(key)+0 \(key)-110 A+110 A-225")
  }
}

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

  private let rollover = "LEFTSHIFT+0 A+0 LEFTSHIFT-100 A-101 S+110"

  @Test func modifiersAloneAreFlushedByDefault() {
    #expect(Rules().flush == .modifiers)
    #expect(
      debounce(rollover, flush: .modifiers) == "LEFTSHIFT+0 A+0 LEFTSHIFT-110 S+110 A-126")
  }

  @Test func allReleasesAreFlushedInTheirOrder() {
    #expect(debounce(rollover, flush: .all) == "LEFTSHIFT+0 A+0 LEFTSHIFT-110 A-110 S+110")
    #expect(
      debounce("S+0 A+0 A-100 S-101 D+110", flush: .all) == "S+0 A+0 A-110 S-110 D+110")
  }

  @Test func noneIsFlushed() {
    #expect(debounce(rollover, flush: .none) == "LEFTSHIFT+0 A+0 S+110 LEFTSHIFT-125 A-126")
  }

  @Test(arguments: [
    "LEFTCTRL", "RIGHTCTRL", "LEFTSHIFT", "RIGHTSHIFT", "LEFTALT", "RIGHTALT", "LEFTMETA",
    "RIGHTMETA",
  ])
  func modifiersAreThoseOfBothSides(key: String) {
    #expect(
      debounce("\(key)+0 \(key)-100 A+110 A-200", flush: .modifiers)
        == "\(key)+0 \(key)-110 A+110 A-225")
  }

  @Test func aReleaseFlushesNothing() {
    #expect(
      debounce("LEFTSHIFT+0 A+0 LEFTSHIFT-100 A-110", flush: .all)
        == "LEFTSHIFT+0 A+0 LEFTSHIFT-125 A-135")
  }

  @Test func aPressThatIsWithdrawnFlushesNothing() {
    #expect(
      debounce("LEFTSHIFT+0 A+0 A-100 LEFTSHIFT-101 A+105 A-200", flush: .all)
        == "LEFTSHIFT+0 A+0 LEFTSHIFT-126 A-225")
  }

  @Test func aWaitingPressIsNotFlushed() {
    let rules = Rules(strategy: .prompt(Prompt(quiet: 30.ms)), flush: .all)
    #expect(
      DebounceTests.debounce(strokes("LEFTSHIFT+0 LEFTSHIFT-100 LEFTSHIFT+120 A+125"), rules).text
        == "LEFTSHIFT+0 LEFTSHIFT-100 A+125 LEFTSHIFT+150")
  }

  @Test func aReleaseIsFlushedByAPressOfItsOwnFrame() {
    #expect(
      debounce("LEFTSHIFT+0 LEFTSHIFT-100 & A+100 A-200", flush: .modifiers)
        == "LEFTSHIFT+0 LEFTSHIFT-100 A+100 A-225")
  }

  @Test func whatCameBeforeTheReleaseInItsFrameStaysBeforeIt() {
    #expect(
      debounce("LEFTSHIFT+0 S+100 & LEFTSHIFT-100 & A+100", flush: .modifiers)
        == "LEFTSHIFT+0 S+100 LEFTSHIFT-100 A+100")
  }

  @Test func aStrokeWithinOneFrameKeepsItsOrder() {
    #expect(
      debounce("LEFTSHIFT+0 & LEFTSHIFT-0 & A+0", flush: .modifiers)
        == "LEFTSHIFT+0 LEFTSHIFT-0 A+0")
  }

  @Test func aPressThatWaitedFlushesWhatWasLetGoBeforeItOnly() {
    let rules = Rules(
      strategy: .eagerDefer(EagerDefer(press: 0, release: 40.ms)),
      keys: [.a: .prompt(Prompt(quiet: 30.ms))], flush: .modifiers)
    #expect(
      DebounceTests.debounce(
        strokes("LEFTSHIFT+0 LEFTCTRL+0 A+0 A-100 LEFTSHIFT-109 A+110 LEFTCTRL-111 A-200"), rules
      ).text == "LEFTSHIFT+0 LEFTCTRL+0 A+0 A-100 LEFTSHIFT-140 A+140 LEFTCTRL-151 A-200")
  }

  @Test func theFlushedReleaseIsAFrameOfItsOwnAndKeepsItsScanCode() {
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

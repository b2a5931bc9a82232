import Debounce
import StrokeFixtures
import Testing

/// Whether a machine is told from a person, as `list`, `status` and `calibrate` tell it.
@Suite struct MachineTests {
  private static let hello = "A+0 A-1 S+2 S-3 D+4 D-5 D+6 D-7 F+8 F-9"

  private func isMachine(_ edges: [Edge]) -> Bool {
    var engine = Debouncer()
    _ = engine.process(strokes: edges)
    return engine.hasTypedLikeAMachine
  }

  @Test(arguments: [
    hello,
    // A scanner, with Shift in the same report as the character.
    "LEFTSHIFT+0 A+0 LEFTSHIFT-8 A-8 S+16 S-24 LEFTSHIFT+32 D+32 LEFTSHIFT-40 D-40 F+48 F-56 A+64 A-72",
    "A+0 A-20 S+40 S-60 D+80 D-100 F+120 F-140 A+160 A-180",
    // Just shorter than a finger's contact, and than its pause.
    "A+0 A-32.999 S+40 S-72.999 D+80 D-112.999 F+120 F-152.999 A+160 A-192.999",
    "A+0 A-10 S+49.999 S-60 D+99.999 D-110 F+149.999 F-160 A+199.999 A-210",
    // The second of two lone strokes comes after the shortest rest.
    "A+0 A-50 S+60 S-70 A+90 A-100 D+110 D-115 F+120 F-125 A+150 A-155",
  ])
  func aBurstIsAMachines(text: String) {
    #expect(isMachine(strokes(text)))
  }

  @Test(arguments: [
    // Fingers overlap, hold longer, or pause.
    "A+0 S+30 A-60 D+60 S-90 F+90 D-120 F-150",
    "A+0 A-80 S+90 S-170 D+180 D-260 F+270 F-350 A+360 A-440",
    "A+0 A-30 S+100 S-130 D+200 D-230 F+300 F-330 A+400 A-430",
    "A+0 A-33 S+40 S-73 D+80 D-113 F+120 F-153 A+160 A-193",
    "A+0 A-10 S+50 S-60 D+100 D-110 F+150 F-160 A+200 A-210",
    // A roll over four keys, each let go at once.
    "A+0 A-25 S+40 S-65 D+80 D-105 F+120 F-200",
  ])
  func whatFingersDoIsNot(text: String) {
    #expect(!isMachine(strokes(text)))
  }

  /// What is held beside them are modifiers, and keys that `adaptive` does not decide on.
  @Test func keysThatAreHeldSinceEventsWereLostAreCountedAsOthersAre() {
    func isMachine(beside held: KeyCode, _ rules: Rules = Rules()) -> Bool {
      var engine = Debouncer(rules)
      _ = engine.resynchronise(held: KeySet([held]), at: 0)
      _ = engine.process(strokes: strokes(Self.hello))
      return engine.hasTypedLikeAMachine
    }
    #expect(isMachine(beside: .leftShift))
    #expect(isMachine(beside: .buttonLeft, Rules(keys: [.buttonLeft: .none])))
    #expect(!isMachine(beside: .buttonLeft))
  }

  @Test func itIsRemembered() {
    let later = strokes("A+1000 A-1090 S+1200 S-1290")
    #expect(isMachine(strokes(Self.hello) + later))
  }

  /// The engine remembers only so many of a stroke's contacts. When there are more, it must not deliver a crackling
  /// contact as a burst, although a machine has typed.
  @Test(arguments: [false, true]) func aContactThatCracklesForLongAfterAMachineIsOneStroke(
    isHeld: Bool
  ) {
    var raw = strokes("A+0 A-8 S+18 S-26")
    var time: Microseconds = 500_000
    for contact in 0..<60 {
      let length = Microseconds(3000 + contact * 7919 % 17_000)
      raw.append(Edge(.d, down: true, at: time))
      raw.append(Edge(.d, down: false, at: time + length))
      time += length + Microseconds(3000 + contact * 6133 % 17_000)
    }
    if isHeld {
      raw += [Edge(.d, down: true, at: time), Edge(.d, down: false, at: time + 200_000)]
    }
    #expect(debounce(raw).count { $0.key == .d && $0.isDown } == 1)
  }
}

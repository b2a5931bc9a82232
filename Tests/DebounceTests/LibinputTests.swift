import Debounce
import StrokeFixtures
import Testing

/// libinput's button debouncing, and what `prompt` and `adaptive` make of the same strokes.
///
/// The sequence of clean edges is the same; their times need not be, as the windows differ. Where the
/// sequence differs, it does so on purpose, and the case says why. libinput debounces a whole device
/// at once, and not at all while two buttons are used together; its cases with two buttons are left out.
///
/// The cases are those of its tests (`debounce_…`) and of the drawing in its source (`case …`).
@Suite struct LibinputTests {
  struct Case: Sendable {
    var name: String
    var raw: String
    /// What libinput makes of it; the times are those of the emissions.
    var libinput: String
    /// What `prompt` makes of it, and why, where that is another sequence.
    var prompt: (clean: String, reason: String)?
    /// What `adaptive` makes of it, and why, where that is another sequence.
    var adaptive: (clean: String, reason: String)?
  }

  static let cases = [
    Case(name: "debounce_bounce", raw: "A+0 A-1 A+2 A-33 A+34 A-35", libinput: "A+0 A-33"),
    Case(
      name: "debounce_bounce_high_delay", raw: "A+0 A-15 A+30 A-61 A+76 A-91",
      libinput: "A+0 A-61"),
    Case(name: "debounce_bounce_check_immediate", raw: "A+0 A-31", libinput: "A+0 A-31"),
    Case(
      name: "debounce_spurious",
      raw: """
        A+0 A-31 A+32 A-63 A+94 A-195 A+196 A-197 A+228 A-329 A+330 A-331 A+362 A-463 A+464 A-465
        """,
      libinput: "A+0 A-31 A+44 A-75 A+94 A-209 A+228 A-343 A+362 A-477",
      adaptive: (
        "A+0 A-222 A+253 A-356 A+387 A-483.611",
        "no finger holds for 31 ms and comes back 1 ms later: it is a press bounce, and the key's releases wait from then on"
      )),
    Case(
      name: "debounce_spurious_multibounce",
      raw: "A+0 A-31 A+32 A-63 A+94 A-195 A+196 A-197 A+198 A-199 A+200 A-201",
      libinput: "A+0 A-31 A+44 A-75 A+94 A-213",
      adaptive: (
        "A+0 A-226",
        "no finger holds for 31 ms and comes back 1 ms later: it is a press bounce, and the key's releases wait from then on"
      )),
    Case(
      name: "debounce_spurious_trigger_high_delay",
      raw: "A+0 A-31 A+36 A-41 A+46 A-77 A+78 A-109", libinput: "A+0 A-31 A+58 A-121",
      prompt: (
        "A+0 A-31 A+71 A-77 A+103 A-109",
        "prompt learns nothing: it lets the second drop-out through as it did the first"
      ),
      adaptive: (
        "A+0 A-148.333",
        "no finger holds for 31 ms and comes back 5 ms later: it is one stroke, whose beginning bounces"
      )),
    Case(name: "case 1, press", raw: "A+0 A-40", libinput: "A+0 A-40"),
    Case(name: "case 2, release", raw: "A+0 A-40 A+80", libinput: "A+0 A-40 A+80"),
    Case(name: "case 3, fast click", raw: "A+0 A-10 A+60", libinput: "A+0 A-35 A+60"),
    Case(
      name: "case 4, fast second click", raw: "A+0 A-40 A+55 A-100",
      libinput: "A+0 A-40 A+80 A-100"),
    Case(name: "case 4.1, spurious", raw: "A+0 A-40 A+45", libinput: "A+0 A-40 A+57"),
    Case(name: "case 5, press bounce", raw: "A+0 A-5 A+10 A-60", libinput: "A+0 A-60"),
    Case(
      name: "case 6, release bounce", raw: "A+0 A-40 A+53 A-58 A+120", libinput: "A+0 A-40 A+120"),
    Case(
      name: "case 6, release bounce, fast", raw: "A+0 A-40 A+43 A-46 A+120",
      libinput: "A+0 A-40 A+120"),
    Case(name: "case 7, slow press bounce", raw: "A+0 A-20 A+40 A-100", libinput: "A+0 A-100"),
    Case(
      name: "case 8, slow release bounce", raw: "A+0 A-40 A+60 A-80 A+140",
      libinput: "A+0 A-40 A+140"),
  ]

  @Test("`prompt` makes the same of it", arguments: cases)
  func prompt(of stroke: Case) {
    let rules = Rules(strategy: .prompt(Prompt(quiet: 25.ms)))
    expect(rules, stroke, differing: stroke.prompt)
  }

  @Test("`adaptive` makes the same of it", arguments: cases)
  func adaptive(of stroke: Case) {
    expect(Rules(), stroke, differing: stroke.adaptive)
  }

  private func expect(
    _ rules: Rules, _ stroke: Case, differing: (clean: String, reason: String)?
  ) {
    let clean = debounce(strokes(stroke.raw), rules)
    if let differing {
      #expect(clean.text == differing.clean, "\(stroke.name): \(differing.reason)")
      #expect(clean.downs != strokes(stroke.libinput).downs, "\(stroke.name): no difference")
    } else {
      #expect(clean.downs == strokes(stroke.libinput).downs, "\(stroke.name): \(clean.text)")
    }
  }
}

extension [Edge] {
  /// The edges without their times, as a picture: a letter up for a press, down for a release.
  fileprivate var downs: [Bool] { map(\.isDown) }
}

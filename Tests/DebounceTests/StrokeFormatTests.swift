import Debounce
import StrokeFixtures
import Testing

@Suite struct StrokeFormatTests {
  @Test("A case is read whole")
  func whole() throws {
    let text = """
      # origin
      rules adaptive threshold=20 confirm=12.5 flush=all

      == first of two   # a remark
      raw   A+0 A-8.25 A+14
      raw   & LEFTSHIFT+14 A-120
      clean A+0 A-120

      == second
      key BTN_LEFT none
      rules adaptive within=2
      raw BTN_LEFT+0
      """
    let cases = try StrokeCase.parse(text, file: "x.strokes")
    #expect(cases.map(\.name) == ["first of two", "second"])
    #expect(cases.map(\.place) == ["x.strokes:4", "x.strokes:9"])
    let rule = Adaptive(threshold: 20.ms, confirm: 12_500)
    #expect(cases[0].rules == Rules(strategy: .adaptive(rule), flush: .all))
    #expect(
      cases[1].rules
        == Rules(
          strategy: .adaptive(Adaptive(within: 2)), keys: [.buttonLeft: Strategy.none], flush: .all)
    )
    #expect(cases[0].raw.text == "A+0 A-8.25 A+14 & LEFTSHIFT+14 A-120")
    #expect(cases[0].raw.frames.map(\.events.count) == [1, 1, 2, 1])
    #expect(cases[0].clean == [Edge(.a, down: true, at: 0), Edge(.a, down: false, at: 120.ms)])
    #expect(cases[1].clean.isEmpty)
  }

  @Test("Without rules the packaged defaults hold")
  func packaged() throws {
    #expect(try StrokeCase.parse("== x\nraw A+0", file: "x")[0].rules == Rules())
  }

  @Test(
    "Mistakes are named with their place",
    arguments: [
      ("raw A+0", "f:1: expected “== name” before “raw”"),
      ("==", "f:1: expected the case's name after “==”"),
      ("== x\n\n== y\nraw A+0", "f:1: expected a line “raw” in this case"),
      ("== x\nraw A+0\n== y", "f:3: expected a line “raw” in this case"),
      ("== x\nrow A+0", "f:2: expected ==, rules, key, group, meaning, raw or clean, not “row”"),
      ("== x\nraw A+0 A-1.2345", "f:2: expected an edge like A+0 or A-12.5, not “A-1.2345”"),
      ("== x\nraw NOKEY+0", "f:2: expected the name of a key, not “NOKEY”"),
      ("== x\nraw A+5\nraw A-4", "f:3: expected a time from A+5 on, not “A-4”"),
      ("== x\nraw A+5 & S+6", "f:2: expected the time of A+5 after “&”, not “S+6”"),
      ("== x\nraw & A+5", "f:2: expected an edge before “&”"),
      ("== x\nraw A+5 &", "f:2: expected an edge after “&”"),
      ("rules", "f:1: expected a strategy after “rules”"),
      ("rules bounce", "f:1: expected the name of a strategy, not “bounce”"),
      ("rules adaptive confirm", "f:1: expected name=value, not “confirm”"),
      ("rules adaptive confirm=1 confirm=2", "f:1: expected “confirm” once"),
      ("rules adaptive confirm=soon", "f:1: expected another value in “confirm=soon”"),
      ("rules adaptive learn=1", "f:1: expected a parameter of adaptive, not “learn”"),
      ("rules none flush=some", "f:1: expected flush=modifiers, all or none, not “some”"),
      ("key A", "f:1: expected a key and a strategy after “key”"),
    ])
  func mistakes(text: String, message: String) {
    let error = #expect(throws: StrokeError.self) { try StrokeCase.parse(text, file: "f") }
    #expect(error?.description == message)
  }
}

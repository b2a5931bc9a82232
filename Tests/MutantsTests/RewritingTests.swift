import Testing

@testable import mutants

@Suite("The mutants of a source file")
struct RewritingTests {
  private func rewriting(_ source: String) -> Rewriting {
    Rewriting(source, file: "A.swift", module: "M", first: 1)
  }

  private func text(_ source: String) -> String { rewriting(source).text }

  @Test("changes operators, numbers, truths and conditions, each by a number of its own")
  func changes() {
    #expect(text("x = a < b") == "x = a <║ b")
    #expect(text("x = 12 + y") == "x = changedM(1, 12) +╒ y")
    #expect(text("x = true") == "x = changedM(1, true)")
    #expect(text("if a.isOpen, b {") == "if changedM(1, a.isOpen), changedM(2, b) {")
    #expect(text("guard !x(1) else {") == "guard changedM(1, !x(changedM(2, 1))) else {")
    #expect(
      rewriting("x = a && b").mutants.map(\.summary) == ["&& becomes ||"])
  }

  @Test(
    "leaves alone what is no expression",
    arguments: [
      "case .a(1, true): x", "if case .a(1, let y) = z {", "if let x {", "x = t.0", "// 1 < 2",
      "/* 1 /* 2 */ < 3 */", #"x = "1 < \(a < b) 2""#, "x = #\"1 < 2\"#", "@available(macOS 15, *)",
      "static func < (a: T, b: T) -> Bool {", "x = 1 << 3".replacing("1", with: "y"),
      "extension A where B == C {", "if x = y {", "let a: Array<Int>",
      "x = \"\"\"\n  1 < \"2\"\n  \"\"\"",
    ])
  func others(_ source: String) {
    #expect(text(source) == source)
  }

  @Test("tells equal changes of a line apart, and finds those that are known by the line's text")
  func known() {
    let mutants = rewriting("\n  x = a < b && c < d").mutants
    #expect(mutants.map(\.key) == ["< becomes <=", "&& becomes ||", "< becomes <= #2"])
    #expect(mutants.map(\.line) == [2, 2, 2])
    let equals = Equals("# note\n\nA.swift\nx = a < b && c < d\n< becomes <= #2\nNever.\n")
    #expect(mutants.map { equals.contains($0) } == [false, false, true])
    #expect(equals.stale(among: mutants).isEmpty)
    #expect(equals.stale(among: Array(mutants.prefix(2))).count == 1)
  }
}

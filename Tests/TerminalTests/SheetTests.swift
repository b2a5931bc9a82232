import Terminal
import Testing

@Suite("Text that is laid out")
struct SheetTests {
  @Test("is broken between words, and keeps its blanks where it is not broken")
  func wrapping() {
    let name = [StyledText("The name", .bold), StyledText(" “Two  Blanks”   stays")]
    #expect(Sheet(columns: 40).wrapped(name) == ["The name “Two  Blanks”   stays"])
    #expect(Sheet(columns: 22).wrapped(name, hang: 2) == ["The name “Two  Blanks”", "  stays"])
    #expect(Sheet(columns: 14).wrapped(name) == ["The name “Two", "Blanks”", "stays"])
    #expect(
      Sheet(columns: 12).wrapped(name, after: [.blank(2)]) == [
        "  The name", "  “Two", "  Blanks”", "  stays",
      ])
    #expect("  at both ends  ".wrapped(to: 40) == ["at both ends"])
  }

  @Test("is broken in a message, too, but for what is to be copied")
  func message() {
    let text =
      "write below [defaults], then restart:\n    clone-name = \"%s (debounced)\"\nthen go on"
    #expect(
      Sheet(columns: 24).message(text) == """
        keydebounce: write below
          [defaults], then
          restart:
            clone-name = "%s (debounced)"
        then go on
        """)
    #expect(Sheet(columns: .max).message(text) == "keydebounce: \(text)")
    #expect(Sheet(columns: 24, isPlain: true).message(text) == "keydebounce: \(text)")
  }

  @Test("leaves out columns of a table by their ranks, and never some of a higher one alone")
  func ranks() {
    let columns = [("key", 0), ("a", 2), ("wide title", 1), ("b", 3), ("c", 2)].map { title, rank in
      [Int]().column(title, rank: rank) { StyledText("\($0)") }
    }
    func titles(_ room: Int) -> [String] { columns.fitting(room).map(\.title) }
    #expect(titles(26) == ["key", "a", "wide title", "b", "c"])
    #expect(titles(25) == ["key", "a", "wide title", "c"])
    #expect(titles(22) == ["key", "wide title"])
    #expect(titles(16) == ["key"])
    #expect(titles(1) == ["key"])
  }
}

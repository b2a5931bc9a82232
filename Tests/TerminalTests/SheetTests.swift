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
}

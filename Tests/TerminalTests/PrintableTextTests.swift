import Terminal
import Testing

@Suite("Text for a terminal")
struct PrintableTextTests {
  @Test(
    "has no control characters",
    arguments: [
      ("plain", "plain"), ("é键👩🏽‍💻", "é键👩🏽‍💻"), ("\u{1b}[31m", "␛[31m"), ("a\nb\r\nc\td", "a␊b␍␊c␉d"),
      ("\u{7f}", "␡"), ("\u{9b}", "\u{fffd}"), ("\u{202e}x", "\u{fffd}x"), ("\u{2028}", "\u{fffd}"),
      ("\u{301}", "◌\u{301}"), ("e\u{301}", "e\u{301}"),
      ("a" + String(repeating: "\u{301}", count: 100), "\u{fffd}"),
    ])
  func printable(text: String, expected: String) {
    #expect(text.printable == expected)
  }

  @Test(
    "takes two columns for what is wide, and none for accents",
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("键盘", 4), ("ｱ", 1), ("ア", 2), ("👩🏽‍💻", 2),
      ("⌨", 1),
      ("⌨️", 2), ("🇩🇪", 2), ("한", 2), ("“”", 2),
    ])
  func width(text: String, columns: Int) {
    #expect(text.columns == columns)
  }

  @Test("is padded to columns, not to characters")
  func padded() {
    #expect("键盘".padded(to: 6) == "键盘  ")
  }
}

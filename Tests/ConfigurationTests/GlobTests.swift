import Testing

@testable import Configuration

@Suite("A pattern")
struct GlobTests {
  @Test(
    "matches a whole text, with * and ? for what differs",
    arguments: [
      ("Keychron K2 Max", true), ("Keychron*", true), ("*Max", true), ("*K2*", true), ("*", true),
      ("**", true), ("K*n*x", true), ("Keychron ?? Max", true), ("Keychron K2 Max?", false),
      ("keychron*", false), ("Keychron", false), ("", false), ("*K3*", false), ("?", false),
      ("K*K*Max*", true), ("*n*n*", false),
    ])
  func globs(pattern: String, matches: Bool) {
    #expect(Glob(pattern).matches("Keychron K2 Max") == matches)
  }

  @Test("takes * and ? behind a backslash as they are, and a backslash before anything else")
  func escapes() {
    #expect(Glob(#"a\*"#).matches("a*") && !Glob(#"a\*"#).matches("ab"))
    #expect(Glob(#"\?"#).matches("?") && !Glob(#"\?"#).matches("a"))
    #expect(Glob(#"\\*"#).matches(#"\ab"#) && !Glob(#"\\*"#).matches("ab"))
    #expect(Glob(#"\d\"#).matches(#"\d\"#))
    let texts = ["*", "?", "a", "", #"\"#, #"\*"#, #"\a"#, #"\\"#, #"\\*?a"#, "?*", "K2 Max"]
    for text in texts {
      let glob = Glob(Glob.escaping(text))
      #expect(texts.filter(glob.matches) == [text])
      #expect(!glob.hasWildcards && glob.literalCount == text.count, "\(text)")
    }
  }

  @Test("does not take long, whatever it is")
  func slowGlob() {
    let pattern = Glob(String(repeating: "a*", count: 200) + "b")
    #expect(!pattern.matches(String(repeating: "a", count: 2000)))
    #expect(Glob.meant(by: "^" + String(repeating: "[", count: 1 << 20)) == nil)
  }

  @Test(
    "is what somebody meant who wrote a regular expression",
    arguments: [
      (".*Keychron.*", "*Keychron*"), ("^Keychron K[0-9]+$", "Keychron K*"),
      ("^Keychron", "Keychron*"), ("^Keychron.*", "Keychron*"), ("Keyboard$", "*Keyboard"),
      (#"Keychron K\d"#, "Keychron K?"), (#"K\d{2}"#, "K*"), (#"K2\.4 .+"#, "K2.4 *"),
      (#"K\*.+"#, #"K\**"#),
      ("[A-Z]eychron", "?eychron"), (#"\"#, nil), ("^", "*"), ("$", "*"),
      // Names, and patterns as they are.
      ("Keychron*", nil), ("*K2*", nil), ("", nil), ("Logitech, Inc.*", nil),
      ("K2.4 (v2) [C]", nil),
      ("usb-0000:00:14.0-2/input?", nil),
    ] as [(String, String?)])
  func expression(text: String, pattern: String?) {
    #expect(Glob.meant(by: text)?.pattern == pattern)
  }
}

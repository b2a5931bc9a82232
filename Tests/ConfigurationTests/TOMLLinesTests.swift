import Testing

@testable import Configuration

@Suite("The lines of a TOML file")
struct TOMLLinesTests {
  private let lines = TOMLLines(
    of: """
      # a comment with [brackets] and "quotes

      top = 1
      [keys]   # [not.this]
      KEY_A = { strategy = "eager", press = 3 }   # = [
      KEY_B = \"\"\"
      KEY_X = 1
      [no] \\\"\"\" \"\"\"
      "KEY_C" = '''
      KEY_Y = 1'''
      'KEY_D' = [
        1, # ]
        "]", [2],
      ]
      a.b."c.d" = 1
      [ other . "quo\\"ted" ]
      x = 'it''s'
      [[groups]]
      lockout = 1
      [[groups]]
      keys = []
      """.utf8)

  @Test(
    "are known of headers and keys",
    arguments: [
      (["top"], 3), (["keys"], 4), (["keys", "KEY_A"], 5), (["keys", "KEY_B"], 6),
      (["keys", "KEY_C"], 9), (["keys", "KEY_D"], 11), (["keys", "a", "b", "c.d"], 15),
      (["other"], nil), (["groups", "0"], 18), (["groups", "0", "lockout"], 19),
      (["groups", "1", "keys"], 21), (["nothing"], nil),
    ])
  func line(path: [String], expected: Int?) {
    #expect(lines.line(of: path) == expected)
  }

  @Test("are those of the whole for what has none of its own")
  func inside() {
    #expect(lines.line(of: ["keys", "KEY_A", "press"]) == 5)
    #expect(lines.line(of: ["keys", "KEY_X"]) == 4)
    #expect(lines.line(of: ["groups", "1", "keys", "7"]) == 21)
  }

  @Test(
    "are looked for to the end, whatever stands there",
    arguments: [
      "[", "[[", "a", "a = \"", "a = \"\"\"", "a = \"\\", "= 3", "]", "\"", "'", "é = 1", "\0",
    ])
  func anything(text: String) {
    #expect(TOMLLines(of: text.utf8).line(of: ["z"]) == nil)
  }
}

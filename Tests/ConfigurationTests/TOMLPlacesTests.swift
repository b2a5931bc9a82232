import Testing

@testable import Configuration

@Suite("The places in a TOML file")
struct TOMLPlacesTests {
  private static let toml = """
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
      "]", [2, { x = -1.5 }],
    ]
    a.b."c.d" = 1
    [ other . "quo\\"ted" ]
    x = 'it''s'
    date = 1979-05-27 07:32:00  # blanks belong to it
    [[groups]]
    lockout = 1
    [[groups]]
    keys = []
    [groups.sub]
    y = true
    """
  private let places = TOMLPlaces(of: Self.toml.utf8)

  private func part(_ range: Range<Int>?) -> String? {
    range.map { String(decoding: Array(Self.toml.utf8)[$0], as: UTF8.self) }
  }

  @Test(
    "are known of names and values",
    arguments: [
      (["top"], "top", "1"), (["keys"], "keys", "keys"),
      (["keys", "KEY_A"], "KEY_A", "{ strategy = \"eager\", press = 3 }"),
      (["keys", "KEY_A", "press"], "press", "3"),
      (["keys", "KEY_A", "strategy"], "strategy", "\"eager\""),
      (["keys", "KEY_B"], "KEY_B", "\"\"\"\nKEY_X = 1\n[no] \\\"\"\" \"\"\""),
      (["keys", "KEY_C"], "\"KEY_C\"", "'''\nKEY_Y = 1'''"),
      (["keys", "KEY_D"], "'KEY_D'", "[\n  1, # ]\n  \"]\", [2, { x = -1.5 }],\n]"),
      (["keys", "KEY_D", "0"], "1", "1"), (["keys", "KEY_D", "1"], "\"]\"", "\"]\""),
      (["keys", "KEY_D", "2", "0"], "2", "2"), (["keys", "KEY_D", "2", "1", "x"], "x", "-1.5"),
      (["keys", "a", "b"], "b", "b"), (["keys", "a", "b", "c.d"], "\"c.d\"", "1"),
      (["other"], "other", "other"),
      (["other", "quo\"ted", "date"], "date", "1979-05-27 07:32:00"),
      (["groups", "0"], "groups", "groups"), (["groups", "1", "keys"], "keys", "[]"),
      (["groups", "1", "sub", "y"], "y", "true"),
    ])
  func place(path: [String], name: String, value: String) {
    #expect(part(places.key(of: path)) == name)
    #expect(part(places.value(of: path)) == value)
  }

  @Test("are those of the whole for what has none of its own")
  func inside() {
    #expect(part(places.key(of: ["keys", "KEY_A", "release"])) == "KEY_A")
    #expect(part(places.key(of: ["keys", "KEY_X"])) == "keys")
    #expect(part(places.value(of: ["groups", "1", "keys", "7"])) == "[]")
    #expect(places.key(of: ["nothing"]) == nil)
  }

  @Test(
    "are known of names that are given twice",
    arguments: [
      ("a = 1\nb = 2\na = 3", "a", 0), ("[a]\n[b]\n[a]", "a", 1), ("x = { a = 1, a = 2 }", "a", 6),
      ("[a.b]\n[a]\nb = 1", "b", 3), ("[[a]]\n[[a]]\n[a.b]\n[a.b]", "b", 15),
    ])
  func repetition(text: String, name: String, first: Int) throws {
    let repetition = try #require(TOMLPlaces(of: text.utf8).repetitions.first)
    #expect(text.utf8.dropFirst(repetition.range.lowerBound).starts(with: name.utf8))
    #expect(repetition.first.lowerBound == first)
  }

  @Test(
    "are given twice in no other file",
    arguments: [
      "[a.b]\n[a]\nx = 1", "[[a]]\nx = 1\n[[a]]\nx = 2", "a.b = 1\na.c = 2", "[a]\n[a.b]",
    ])
  func noRepetition(text: String) {
    #expect(TOMLPlaces(of: text.utf8).repetitions.isEmpty)
  }

  @Test(
    "are looked for to the end, whatever stands there",
    arguments: [
      "[", "[[", "a", "a = \"", "a = \"\"\"", "a = \"\\", "= 3", "]", "\"", "'", "é = 1", "\0",
      "a = [{", "a = {b", "a = {,}", "a = ]}", "a = [\"", "a = {b = [\n\"\\",
    ])
  func anything(text: String) {
    let places = TOMLPlaces(of: text.utf8)
    #expect(places.key(of: ["z"]) == nil)
    let value = places.value(of: ["a"]) ?? 0..<0
    #expect(value.upperBound <= text.utf8.count)
  }
}

import Testing

@testable import Configuration

@Suite("The places in a TOML file")
struct TOMLItemTests {
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
    date = 1979-05-27 07:32:00  # blanks belong to it
    [[groups]]
    lockout = 1
    [[groups]]
    keys = []
    [groups.sub]
    y = true
    [later.inner]
    [ later ]
    "é" = "ü"
    """
  private let root: TOMLItem

  init() throws {
    let text = Array(Self.toml.utf8)
    root = try TOMLItem(parsing: SourceText(text))
  }

  private func part(_ range: Range<Int>) -> String {
    String(decoding: Array(Self.toml.utf8)[range], as: UTF8.self)
  }

  private func item(at path: [String]) throws -> TOMLItem {
    try path.reduce(root) { item, name in
      switch item.value {
      case .table(let entries): try #require(entries[name])
      case .array(let elements): elements[try #require(Int(name))]
      default: throw ConfigurationErrors(findings: [])
      }
    }
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
      (["other", "quo\"ted"], "\"quo\\\"ted\"", "\"quo\\\"ted\""),
      (["other", "quo\"ted", "date"], "date", "1979-05-27 07:32:00"),
      (["groups"], "groups", "groups"), (["groups", "0"], "groups", "groups"),
      (["groups", "1", "keys"], "keys", "[]"), (["groups", "1", "sub"], "sub", "sub"),
      (["groups", "1", "sub", "y"], "y", "true"), (["later"], "later", "later"),
      (["later", "inner"], "inner", "inner"), (["later", "é"], "\"é\"", "\"ü\""),
    ])
  func place(path: [String], name: String, value: String) throws {
    let item = try item(at: path)
    #expect(part(item.nameRange) == name)
    #expect(part(item.valueRange) == value)
  }

  @Test("are those of the header, wherever a table within it has come first")
  func header() throws {
    let lines = try ["keys", "later"].map { name in
      SourceText(Array(Self.toml.utf8)).line(at: try item(at: [name]).nameRange.lowerBound)
    }
    #expect(lines == [4, 25])
    let elements = try [["groups", "0"], ["groups", "1"]].map { try item(at: $0).nameRange }
    #expect(elements[0].lowerBound < elements[1].lowerBound)
  }

  @Test("are looked for no deeper than anything known lies")
  func depth() throws {
    let text = Array("a.b.c.d.e.f.g.h.i.j.k = [[1]]".utf8)
    var item = try TOMLItem(parsing: SourceText(text))
    var depth = 0
    while case .table(let entries) = item.value, let next = entries.values.first {
      item = next
      depth += 1
    }
    #expect(depth == 8)
  }
}

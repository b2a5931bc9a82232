import Testing

@testable import keydebounce

@Suite("keydebounce keys")
struct KeysCommandTests {
  @Test("lists every name with its number, one a line")
  func lines() throws {
    let run = try Command("keys")
    #expect(run.status == 0)
    #expect(run.errors == "")
    let lines = run.output.split(separator: "\n")
    #expect(lines.count > 500)
    #expect(lines.contains("KEY_E\t18"))
    #expect(lines.contains("BTN_LEFT\t272"))
    #expect(lines.allSatisfy { $0.wholeMatch(of: /(KEY|BTN)_\w+\t\d+(\t\S)?/) != nil })
  }

  @Test("shows what stands on a key beside its name")
  func labels() {
    #expect(KeysCommand.lines(of: [21, 30], labels: [21: "Z"]) == "KEY_Y\t21\tZ\nKEY_A\t30\n")
  }
}

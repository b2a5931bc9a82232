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

  @Test(
    "finds keys by a part of the name, a pattern and a number",
    arguments: [
      ("leftsh", ["KEY_LEFTSHIFT"]), ("KEY_KP?", (0...9).map { "KEY_KP\($0)" }),
      ("kp?", (0...9).map { "KEY_KP\($0)" }), ("183", ["KEY_F13"]),
      ("272", ["BTN_LEFT"]),
    ])
  func filter(_ filter: String, _ names: [String]) throws {
    #expect(Set(try KeyList.all.matching(filter).keys.map(\.name)) == Set(names))
  }

  @Test("ends with 1 where there is no such key, and says so")
  func noSuchKey() throws {
    let run = try Command("keys", "nosuchkey")
    #expect(run.status == 1)
    #expect(run.output == "")
    #expect(run.errors.hasPrefix("keydebounce: error: no key"))
  }

  @Test("ends with 1 where there is no such device")
  func noSuchDevice() throws {
    let run = try Command("keys", "--device", "/dev/input/no-such-device")
    #expect(run.status == 1)
    #expect(run.errors.contains("no-such-device"))
  }

  @Test("shows what stands on a key beside its name")
  func labels() {
    let keys = KeyList([.init(name: "KEY_Y", code: 21), .init(name: "KEY_A", code: 30)])
    #expect(keys.lines(labels: [21: "Z"]) == "KEY_Y\t21\tZ\nKEY_A\t30\n")
  }
}

import Control
import Foundation
import Samples
import Status
import Testing

/// What can be seen of them without a daemon; the rest is tested in the virtual machine.
@Suite("keydebounce status")
struct StatusCommandTests {
  /// A run with a status on standard input.
  private func run(_ status: DaemonStatus, _ options: String...) throws -> Command {
    try Command(
      arguments: ["status", "--from", "-"] + options, input: Data(StatusJSON.encode(status)))
  }

  @Test("writes it as JSON that can be shown again")
  func json() throws {
    for status in [StatusSamples.wornKeyboard, StatusSamples.manyDevices] {
      let run = try run(status, "--json")
      #expect(run.status == 0)
      #expect(try StatusJSON.decode(DaemonStatus.self, from: Array(run.output.utf8)) == status)
      // A terminal would obey them.
      #expect(
        run.output.unicodeScalars.allSatisfy {
          $0 == "\n" || $0.properties.generalCategory != .control
        })
    }
  }

  @Test("shows a history that it has written, as text and as JSON")
  func history() throws {
    var counts = KeyDay()
    (counts.strokes, counts.chatter.dropOuts) = (400, 3)
    let day = try #require(Day("2026-11-21"))
    let history = CountedHistory(
      devices: [
        CountedHistory.Device(
          node: "/dev/input/event3", device: StatusSamples.wornKeyboard.devices[0].device,
          days: [day: [18: counts]], name: { _ in "KEY_E" })
      ])
    let input = Data(try StatusJSON.encode(history))
    let text = try Command("status", "--history", "--from", "-", input: input)
    #expect(text.status == 0 && text.errors == "")
    #expect(text.output.contains("KEY_E      400        3      7.5"))
    let json = try Command("status", "--history", "--json", "--from", "-", input: input)
    #expect(try StatusJSON.decode(CountedHistory.self, from: Array(json.output.utf8)) == history)
    let other = try Command("status", "--history", "--from", "-", input: Data("{}".utf8))
    #expect(other.status == 1)
    #expect(other.errors.contains("was not written by “keydebounce status --history --json”"))
  }

  @Test("ends with 1 for what is no status")
  func noStatus() throws {
    let other = try Command("status", "--from", "-", input: Data("{}".utf8))
    #expect(other.status == 1)
    #expect(
      other.errors == """
        keydebounce: error: standard input was not written by “keydebounce status --json”

        """)
    // More than any daemon has.
    var large = StatusSamples.wornKeyboard
    large.devices = Array(repeating: large.devices[0], count: 513)
    let tooLarge = try run(large)
    #expect(tooLarge.status == 1 && tooLarge.errors == other.errors)
  }

  @Test("names the key that is probably meant")
  func misspeltKey() throws {
    let run = try Command("status", "--reset", "event3", "--key", "KEY_EE")
    #expect(run.status == 64)
    #expect(
      run.errors.contains(
        "no key has the name “KEY_EE”; do you mean KEY_E? “keydebounce keys” lists the names"))
  }
}

import Foundation
import Samples
import Testing

/// What can be seen of it without a device; the rest is tested in the virtual machine.
@Suite("keydebounce monitor")
struct MonitorCommandTests {
  @Test("shows a recording, and a summary elsewhere")
  func shown() throws {
    let run = try Command("monitor", "--from", trace("kbdcheck-modelm-chatter"))
    #expect(run.status == 0)
    #expect(run.output.contains("gap    11.8 ms"))
    #expect(run.output.contains("release bounce"))
    // Nobody sees colours there.
    #expect(!run.output.contains("\u{1b}"))
    #expect(
      run.errors == """
        keydebounce: “kbdcheck-modelm-chatter”, with the packaged defaults
        keydebounce: 9 presses in, 7 out; removed: 2 release bounces
        keydebounce: removed most: KEY_7 (2 of 5)

        """)
  }

  @Test(
    "passes all on where the device's file leaves it alone or has errors, as the service does",
    arguments: [
      ("ignore = true", "left alone by "), ("[debounce]\nthreshold = true", "left alone: "),
    ])
  func leftAlone(lines: String, words: String) throws {
    let folder = try Folder(["devices.d/desk.toml": "[device]\nname = \"Worn keyboard\"\n\(lines)"])
    let run = try Command("monitor", "--from", recording("run"), "--config", folder.path)
    #expect(run.errors.contains("“Worn keyboard”, \(words)\(folder.path)/devices.d/desk.toml"))
    #expect(run.errors.contains("3 presses in, 3 out") && !run.output.contains("bounce"))
  }

  @Test("shows no control character of a name")
  func missing() throws {
    let run = try Command("monitor", "no such\u{1b}[2J device")
    #expect(run.status == 1 && !run.errors.contains("\u{1b}"))
  }
}

import Foundation
import Samples
import Testing

/// What can be seen of it without a device; the rest is tested in the virtual machine.
@Suite("keydebounce monitor")
struct MonitorCommandTests {
  @Test("shows a recording, and a summary elsewhere")
  func recording() throws {
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

  @Test("names its settings, and passes all on where a file leaves the device alone")
  func settings() throws {
    func run(_ name: String) throws -> (path: String, Command) {
      let folder = try Folder(["desk.toml": "[device]\nname = \"\(name)\"\nignore = true"])
      let path = folder.path + "/desk.toml"
      let recording = fixtures.appending(path: "recordings/run.evemu").path
      return (path, try Command("monitor", "--from", recording, "--config", path))
    }
    let (path, ignored) = try run("Worn keyboard")
    #expect(ignored.errors.contains("“Worn keyboard”, left alone by \(path)\n"))
    #expect(ignored.errors.contains("3 presses in, 3 out") && !ignored.output.contains("bounce"))
    let (_, other) = try run("Wrong keyboard")
    #expect(other.errors.contains("with the packaged defaults, as no device file matches\n"))
  }

  @Test("passes all on where the device's file has errors, as the service does")
  func brokenFile() throws {
    let text = "[device]\nname = \"Worn keyboard\"\n[debounce]\nthreshold = true"
    let folder = try Folder(["devices.d/desk.toml": text])
    let run = try Command(
      "monitor", "--from", fixture("recordings/run.evemu"), "--config", folder.path)
    #expect(run.errors.contains("left alone: \(folder.path)/devices.d/desk.toml has errors"))
    #expect(run.errors.contains("3 presses in, 3 out"), "\(run.errors)")
  }

  @Test("says which device is missing")
  func missing() throws {
    let path = try Command("monitor", "/dev/input/no-such-device")
    #expect(path.status == 1)
    #expect(path.output == "")
    #expect(path.errors.contains("there is no device “/dev/input/no-such-device”"))
    let name = try Command("monitor", "no such\u{1b}[2J device")
    #expect(name.status == 1)
    #expect(!name.errors.contains("\u{1b}"))
  }

  @Test("ends with the codes of the other commands")
  func statuses() throws {
    let backwards = fixture("recordings/backwards.evemu")
    #expect(try Command("monitor", "--from", backwards).status == 65)
    #expect(try Command("monitor", "keyboard", "--from", backwards).status == 64)
    #expect(try Command("monitor", "--from", "/nowhere").status == 1)
    let mistakes = deviceFile("mistakes")
    #expect(try Command("monitor", "--config", mistakes).status == 78)
  }
}

import Foundation
import Samples
import Testing

/// What can be seen of it without a device; the rest is tested in the virtual machine.
@Suite("keydebounce record")
struct RecordCommandTests {
  @Test(
    "says why it cannot record, and not that it does",
    arguments: [
      ("/dev/input/no-such-device", "/dev/input/no-such-device is no event device"),
      ("/dev/null", "/dev/null is no event device"),
      ("event987", "there is no device “event987”"),
      ("No Such Keyboard", "there is no device “No Such Keyboard”"),
    ])
  func missingDevice(_ device: String, expected: String) throws {
    let folder = try Folder()
    let output = folder.path + "/recording"
    let run = try Command("record", device, "-o", output)
    #expect(run.status == 1)
    #expect(run.errors.split(separator: "\n").count == 1)
    #expect(run.errors.hasPrefix("keydebounce: error: \(expected)"), "\(run.errors)")
    // No file is made for a recording that does not begin.
    #expect(!FileManager.default.fileExists(atPath: output))
  }

  @Test("ends with 64 without a device or a file")
  func usage() throws {
    #expect(try Command("record").status == 64)
    #expect(try Command("record", "/dev/input/event0").status == 64)
  }

  @Test("is explained by --help")
  func help() throws {
    let run = try Command("record", "--help")
    #expect(run.status == 0)
    #expect(run.output.contains("record grabs nothing"))
  }
}

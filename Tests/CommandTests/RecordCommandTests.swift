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
}

import Foundation
import Samples
import Testing

/// `keydebounce run`, as far as it comes without a device.
@Suite("keydebounce run") struct RunCommandTests {
  @Test("touches nothing where the configuration is broken, and names no key in the log")
  func brokenConfiguration() throws {
    let mistakes = deviceFile("mistakes")
    let folder = try Folder()
    let run = try Command("run", "--config", mistakes, "--record", folder.path + "/record")
    #expect(run.status == 78)
    #expect(run.output == "")
    // Standard error leads to a file here.
    #expect(run.errors.contains("mistakes.toml:"))
    #expect(run.errors.contains("no keyboard is touched"))
    #expect(!run.errors.contains("KEY_") && !run.errors.contains("is typed"))
  }

  @Test("leaves word that it has ended for good, and does not start while that is there")
  func endedForGood() throws {
    let folder = try Folder()
    let file = folder.path + "/ended"
    let call = ["run", "--config", "/nowhere"]
    let first = try Command(arguments: call, environment: ["KEYDEBOUNCE_ENDED": file])
    #expect(first.status == 78 && first.errors.contains("/nowhere: is not there"))
    #expect(FileManager.default.fileExists(atPath: file))
    let second = try Command(arguments: call, environment: ["KEYDEBOUNCE_ENDED": file])
    #expect(second.status == 75 && second.errors.isEmpty)
  }
}

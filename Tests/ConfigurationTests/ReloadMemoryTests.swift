import AllocationCounter
import Configuration
import Samples
import Testing

@Suite("Reading the configuration again")
struct ReloadMemoryTests {
  /// Six files, as an installation with a few devices has them.
  private static func files(last: String) -> [String: String] {
    var files = ["keydebounce.toml": "defaults.threshold = 25", "devices.d/5.toml": last]
    for number in 1...4 { files["devices.d/\(number).toml"] = "device.name = \"K\(number)\"" }
    return files
  }

  @Test(
    "leaves memory as it was, whether there are mistakes in it or not",
    .enabled(if: allocation_count() >= 0, "a sanitizer counts for itself"),
    arguments: [
      (
        "[keys]\nKEY_E = { press = 3, strategy = \"eager\" }\n[[groups]]\nlockout = 5\nkeys = []",
        2000
      ),
      ("[device]\nname = 3\n[keys]\nKEY_EE = 1979-05-27", 500), ("device.name = \"K9", 500),
      ("[device]\nname = [&", 500), ("[device]\n[device]", 500),
    ])
  func memory(last: String, times: Int) throws {
    let folder = try Folder(Self.files(last: last))
    func read(times: Int) {
      for _ in 0..<times { _ = try? Settings(readingFrom: folder.path) }
    }
    // What is made once, as the names of keys, is made now.
    read(times: 10)
    let before = allocated_bytes()
    read(times: times)
    #expect(allocated_bytes() - before < times)
  }
}

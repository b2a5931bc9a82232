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
        100
      ),
      ("[device]\nname = 3\n[keys]\nKEY_EE = 1979-05-27", 40), ("device.name = \"K9", 40),
      ("[device]\nname = [&", 40), ("[device]\n[device]", 40),
    ])
  func memory(last: String, times: Int) throws {
    let folder = try Folder(Self.files(last: last))
    func read(times: Int) {
      for _ in 0..<times { _ = try? LoadedSettings(readingFrom: folder.path).settings }
    }
    // What is made once, as the names of keys, is made now.
    read(times: 10)
    let before = allocated_bytes()
    read(times: times)
    #expect(allocated_bytes() - before < times)
  }

  @Test(
    "keeps of long lines what would be shown of them, and no more",
    .enabled(if: allocation_count() >= 0, "a sanitizer counts for itself"))
  func longLines() throws {
    let names = KeyNames.all.map { "\"\($0)\"" }
    let groups = stride(from: 0, to: names.count - 1, by: 200).map { first in
      "[[groups]]\nlockout = 5\nkeys = [\(names[first...].prefix(200).joined(separator: ","))]\n"
    }
    #expect(groups.contains { $0.utf8.count > 3000 })
    let folder = try Folder(["devices.d/1.toml": groups.joined()])
    _ = try LoadedSettings(readingFrom: folder.path)
    let before = allocated_bytes()
    let loaded = try LoadedSettings(readingFrom: folder.path)
    let kept = allocated_bytes() - before
    #expect(loaded.settings.devices.first?.rules.groups.count == groups.count)
    #expect(kept < 1_000_000)
  }

  @Test(
    "looks for what was probably meant as often as it is shown, and no more often",
    .enabled(if: allocation_count() >= 0, "a sanitizer counts for itself"))
  func manyMistakes() throws {
    let name = String(repeating: "x", count: 50)
    let mistakes = 5000
    for table in ["device", "debounce", "keys.KEY_A"] {
      let lines = (0..<mistakes).map { "\(name)\($0) = 1\n" }
      let folder = try Folder(["devices.d/1.toml": "[\(table)]\n\(lines.joined())"])
      let before = allocation_count()
      #expect(folder.problems().count == 201)
      // To look for one name among the known ones takes some 20 000. For 200 of 5000 that is about 1000 each.
      #expect((allocation_count() - before) / mistakes < 3000, "[\(table)]")
    }
  }
}

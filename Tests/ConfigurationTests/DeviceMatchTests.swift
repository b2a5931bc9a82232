import Configuration
import Debounce
import Testing

@Suite("The file of a device")
struct DeviceMatchTests {
  @Test(
    "is about names by patterns",
    arguments: [
      ("Keychron K2 Max", true), ("Keychron*", true), ("*Max", true), ("*K2*", true), ("*", true),
      ("**", true), ("K*n*x", true), ("Keychron ?? Max", true), ("Keychron K2 Max?", false),
      ("keychron*", false), ("Keychron", false), ("", false), ("*K3*", false), ("?", false),
      ("K*K*Max*", true), ("*n*n*", false),
    ])
  func globs(pattern: String, matches: Bool) {
    #expect(Glob(pattern).matches("Keychron K2 Max") == matches)
  }

  @Test("does not take long over any pattern")
  func slowGlob() {
    let pattern = Glob(String(repeating: "a*", count: 200) + "b")
    #expect(!pattern.matches(String(repeating: "a", count: 2000)))
  }

  @Test(
    "matches if each of its lines does",
    arguments: [
      ("", true), ("vendor = 0x3434", true), ("vendor = 0x3435", false), ("product = 288", true),
      ("version = 0x111", true), ("version = 0x110", false),
      ("name = \"Key*\"\nvendor = 0x3434", true), ("name = \"Key*\"\nvendor = 1", false),
      ("name = \"X*\"\nvendor = 0x3434", false),
      // Not known of a recording.
      ("phys = \"usb-*\"", true), ("uniq = \"12345\"", true),
    ])
  func match(lines: String, matches: Bool) throws {
    let settings = try settings("[device]\n\(lines)\n[debounce]\nstrategy = \"none\"")
    #expect((try settings.rules(for: keyboard).strategy == .none) == matches)
  }

  @Test("matches where a device is plugged in, if that is known")
  func phys() throws {
    let settings = try settings("[device]\nphys = \"usb-1/*\"\nuniq = \"1?\"")
    var device = keyboard
    (device.phys, device.uniq) = ("usb-1/input0", "12")
    #expect(try settings.device(for: device) != nil)
    device.uniq = "2"
    #expect(try settings.device(for: device) == nil)
    (device.phys, device.uniq) = ("usb-2/input0", "12")
    #expect(try settings.device(for: device) == nil)
  }

  @Test(
    "is the one that says most",
    arguments: [
      ("vendor = 0x3434\nproduct = 0x120", "name = \"Keychron K2 Max\""),
      ("name = \"Key*\"", ""),
      ("vendor = 0x3434", "name = \"Keychron*\""),
      ("vendor = 0x3434\nname = \"Keychron K2 Max\"", "vendor = 0x3434\nname = \"Keychron K2 M*\""),
      ("name = \"Keychron K2*\"", "name = \"Keychron*\""),
    ])
  func mostSpecific(more: String, less: String) throws {
    let folder = try Folder([
      "devices.d/10.toml": "[device]\n\(more)", "devices.d/20.toml": "[device]\n\(less)",
    ])
    let settings = try Settings(readingFrom: folder.path)
    #expect(try settings.device(for: keyboard)?.file.hasSuffix("10.toml") == true)
  }

  @Test("is not chosen where two say as much")
  func tie() throws {
    let folder = try Folder([
      "devices.d/10.toml": "[device]\nvendor = 0x3434",
      "devices.d/20.toml": "[device]\nproduct = 0x120",
      "devices.d/30.toml": "[device]\nproduct = 0x121",
    ])
    let settings = try Settings(readingFrom: folder.path)
    let tie = #expect(throws: DeviceTie.self) { try settings.rules(for: keyboard) }
    #expect(tie?.files.count == 2)
    #expect(tie?.description.contains("“Keychron K2 Max” equally well") == true)
    var other = keyboard
    other.vendor = 1
    #expect(try settings.device(for: other)?.file.hasSuffix("20.toml") == true)
  }
}

import Configuration
import Debounce
import EventDevices
import Samples
import Testing

@Suite("The file of a device")
struct DeviceMatchTests {
  @Test("is about names without the blanks at their ends", arguments: ["K2", "K2 ", " K*", "?2"])
  func blanks(pattern: String) throws {
    let settings = try settings("[device]\nname = \"\(pattern)\"")
    for (name, matches) in [
      ("K2", true), ("K2  ", true), (" K2\t", true), ("K 2", pattern == " K*"),
    ] {
      let device = DeviceDescription(DeviceIdentity(name: name, vendor: 1, product: 1, version: 1))
      #expect((try settings.device(for: device) != nil) == matches, "“\(name)”")
    }
  }

  @Test(
    "matches if each of its lines does, as far as that is known",
    arguments: [
      ("", true), ("vendor = 0x3434", true), ("vendor = 0x3435", false), ("product = 288", true),
      ("version = 0x111", true), ("version = 0x110", false),
      ("name = \"Key*\"\nvendor = 0x3434", true), ("name = \"Key*\"\nvendor = 1", false),
      ("name = \"X*\"\nvendor = 0x3434", false),
      // Not known of a recording.
      ("seat = \"seat1\"", true), ("phys = \"usb-*\"", true), ("uniq = \"12345\"", true),
      ("link = \"usb-*\"", true),
      ("property = { ID_BUS = \"usb\" }", true), ("property = {}", true),
    ])
  func match(lines: String, matches: Bool) throws {
    let settings = try settings("[device]\n\(lines)")
    #expect((try settings.device(for: keyboard) != nil) == matches)
  }

  @Test(
    "matches what is known of a device that is plugged in: any of its links, by the whole path or by its last part",
    arguments: [
      ("phys = \"usb-1/*\"\nuniq = \"1?\"", true), ("phys = \"usb-1/*\"\nuniq = \"2\"", false),
      ("phys = \"usb-2/*\"\nuniq = \"1?\"", false),
      ("seat = \"seat1\"", true), ("seat = \"seat0\"", false),
      ("link = \"usb-Keychron_K2-event-kbd\"", true), ("link = \"usb-*-event-kbd\"", true),
      ("link = \"pci-*:1.0-event-kbd\"", true),
      ("link = \"/dev/input/by-id/usb-Keychron_K2-event-kbd\"", true),
      ("link = \"/dev/input/by-path/*\"", true), ("link = \"*/by-id/*\"", true),
      ("link = \"by-id/*\"", false), ("link = \"usb-*-event-mouse\"", false),
      ("link = \"Keychron\"", false), ("link = \"*\"", true),
      ("link = \"/dev/input/event3\"", false), ("link = \"\"", false),
      ("property = { ID_BUS = \"usb\" }", true), ("property = { ID_BUS = \"blue*\" }", false),
      ("property = { ID_SERIAL_SHORT = \"ab*\" }", true),
      ("property = { ID_BUS = \"usb\", ID_SERIAL_SHORT = \"?bc\" }", true),
      ("property = { ID_BUS = \"usb\", ID_SERIAL_SHORT = \"x\" }", false),
      ("property = { ID_PATH = \"*\" }", false), ("property = { id_bus = \"usb\" }", false),
    ])
  func known(lines: String, matches: Bool) throws {
    let settings = try settings("[device]\n\(lines)")
    var device = keyboard
    (device.phys, device.uniq) = ("usb-1/input0", "12")
    device.links = [
      "/dev/input/by-path/pci-0000:00:14.0-usb-0:2:1.0-event-kbd",
      "/dev/input/by-id/usb-Keychron_K2-event-kbd",
    ]
    device.properties = ["ID_BUS": "usb", "ID_SERIAL_SHORT": "abc", "ID_SEAT": "seat1"]
    #expect((try settings.device(for: device) != nil) == matches)
  }

  @Test("matches no link where there is none, and the first seat where none is named")
  func none() throws {
    var device = keyboard
    device.links = []
    device.properties = [:]
    for (line, matches) in [
      ("link = \"*\"", false), ("seat = \"seat1\"", false), ("seat = \"seat0\"", true),
    ] {
      #expect((try settings("[device]\n\(line)").device(for: device) != nil) == matches, "\(line)")
    }
  }

  @Test(
    "is the one that says most",
    arguments: [
      ("property = { ID_BUS = \"usb\", ID_X = \"y\" }", "name = \"Keychron K2 Max\""),
      ("link = \"usb-Keychron-kbd\"", "link = \"usb-Keychron-k*\""),
      ("vendor = 0x3434\nproperty = { ID_BUS = \"*\" }", "vendor = 0x3434"),
      ("property = { ID_BUS = \"usb\" }", "property = { ID_BUS = \"us*\" }"),
      ("vendor = 0x3434\nproduct = 0x120", "name = \"Keychron K2 Max\""),
      ("name = \"Key*\"", ""),
      ("vendor = 0x3434", "name = \"Keychron*\""),
      ("vendor = 0x3434\nname = \"Keychron K2 Max\"", "vendor = 0x3434\nname = \"Keychron K2 M*\""),
      ("name = \"Keychron K2*\"", "name = \"Keychron*\""),
    ])
  func mostSpecific(more: String, less: String) throws {
    let settings = try loadedSettings([
      "devices.d/10.toml": "[device]\n\(more)", "devices.d/20.toml": "[device]\n\(less)",
    ]).settings
    #expect(try settings.device(for: keyboard)?.file.hasSuffix("10.toml") == true)
  }

  @Test("is not chosen where two say as much")
  func tie() throws {
    let settings = try loadedSettings([
      "devices.d/10.toml": "[device]\nvendor = 0x3434",
      "devices.d/20.toml": "[device]\nproduct = 0x120",
      "devices.d/30.toml": "[device]\nproduct = 0x121",
    ]).settings
    let tie = #expect(throws: DeviceTie.self) { try settings.device(for: keyboard) }
    #expect(tie?.files.count == 2)
    #expect(tie?.description.contains("“Keychron K2 Max” equally well") == true)
    var other = keyboard
    other.vendor = 1
    #expect(try settings.device(for: other)?.file.hasSuffix("20.toml") == true)
  }

  @Test("is the one about every device where there is no other")
  func everyDevice() throws {
    let every = try settings("[keys]\nKEY_A = 3")
    #expect(try every.device(for: keyboard)?.pattern.isEmpty == true)
    #expect(try settings("[device]\nname = \"*\"").devices.first?.pattern.isEmpty == false)
  }
}

import Configuration
import Debounce
import EventDevices
import Testing

@Suite("Rules of udev's that opt a device in or out")
struct SelectionTests {
  @Test("KEYDEBOUNCE_IGNORE=1 wins over everything but --device")
  func optedOut() throws {
    let keyboard = node(["KEYDEBOUNCE_IGNORE": "1", "KEYDEBOUNCE": "1"])
    #expect(
      Selection.automatic.decide(on: keyboard, by: .packaged)
        == .leave("KEYDEBOUNCE_IGNORE in udev's rules"))
    let named = try settings("[device]\nvendor = 0x3434\nproduct = 0x12\n")
    #expect(!isTaken(keyboard, by: named))
    #expect(isTaken(keyboard, .named(["/dev/input/event3"])))
    #expect(isTaken(node(["KEYDEBOUNCE_IGNORE": "0"])))
  }

  @Test("KEYDEBOUNCE=1 has a device taken that would be left alone", arguments: ["1", "0"])
  func optedIn(value: String) throws {
    for kind: DeviceNode.Kind in [.mouse, .joystick, .switch] {
      #expect(isTaken(node(kinds: [kind], ["KEYDEBOUNCE": value])) == (value == "1"))
    }
  }

  @Test("A device of another seat is left alone unless a file names that seat, or its place")
  func otherSeat() throws {
    for here in [node([:]), node(["ID_SEAT": ""]), node(["ID_SEAT": "seat0"])] {
      #expect(isTaken(here))
      #expect(isTaken(here, by: try settings("[device]\nseat = \"seat0\"\n")))
    }
    let folders = ["id": "usb-K2-event-kbd", "path": "pci-1-event-kbd"]
    let links = folders.map { "/dev/input/by-\($0)/\($1)" }
    let there = node(links: links, ["ID_SEAT": "seat1", "KEYDEBOUNCE": "1"])
    #expect(isTaken(there, .named(["/dev/input/event3"])))
    // Neither a rule nor a file about the model: the same may be at each seat, with the same link in by-id.
    for lines in [
      "", "vendor = 0x3434\nproduct = 0x12", "name = \"Some device\"", "seat = \"seat*\"",
      "seat = \"seat0\"", "seat = \"seat2\"", "link = \"usb-K2-event-kbd\"",
      "link = \"/dev/input/by-id/usb-K2-event-kbd\"", "link = \"pci-*\"", "phys = \"usb-1/*\"",
    ] {
      let decision = Selection.automatic.decide(
        on: there, by: try settings(lines.isEmpty ? "" : "[device]\n\(lines)\n"))
      let reason = "belongs to another seat (“seat = \"seat1\"” in a device file takes it)"
      #expect(decision == .leave(reason), "\(lines)")
    }
    for line in [
      "seat = \"seat1\"", "property = { ID_SEAT = \"seat1\" }", "phys = \"usb-1/input0\"",
      "link = \"pci-1-event-kbd\"", "link = \"/dev/input/by-path/pci-1-event-kbd\"",
    ] {
      #expect(isTaken(there, by: try settings("[device]\n\(line)\n")), "\(line)")
    }
  }

  @Test("but none whose file is broken")
  func broken() throws {
    var settings = try settings("[device]\nname = \"Some device\"\n")
    #expect(isTaken(node(), by: settings))
    settings.devices[0].brokenFile = "/etc/x.toml"
    #expect(
      Selection.automatic.decide(on: node(), by: settings)
        == .leave("/etc/x.toml has errors, which “keydebounce check” shows"))
  }

  @Test("but neither a clone nor what a file ignores")
  func optedInInVain() throws {
    #expect(!isTaken(node(phys: "keydebounce/usb-1/input0", ["KEYDEBOUNCE": "1"])))
    let ignored = try settings("[device]\nname = \"Some device\"\nignore = true\n")
    #expect(!isTaken(node(["KEYDEBOUNCE": "1"]), by: ignored))
  }

  @Test(
    "What another program has made is left alone, whatever it is called, unless a file asks for it")
  func virtual() throws {
    let copy = node(syspath: "/sys/devices/virtual/input/input3/event3", [:])
    let exact = "[device]\nname = \"Some device\"\nvendor = 0x3434\nproduct = 0x12\n"
    for text in ["", exact, "[device]\nvirtual = true\n", exact + "virtual = false\n"] {
      #expect(
        Selection.automatic.decide(on: copy, by: try settings(text))
          == .leave("made by another program (“virtual = true” in a device file takes it)"))
    }
    #expect(isTaken(copy, by: try settings(exact + "virtual = true\n")))
    #expect(isTaken(copy, by: try settings("[device]\nname = \"Some*\"\nvirtual = true\n")))
    #expect(isTaken(copy, .named(["/dev/input/event3"])))
    // Other reasons to leave it still hold, and the real device is taken as before.
    let joystick = node(
      kinds: [.joystick], syspath: "/sys/devices/virtual/input/input3/event3", [:])
    #expect(!isTaken(joystick, by: try settings("[device]\nname = \"S*\"\nvirtual = true\n")))
    #expect(isTaken(node([:]), by: try settings(exact)))
  }
}

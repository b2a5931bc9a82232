import Configuration
import Debounce
import Samples
import Testing

@testable import EventDevices

private func isTaken(
  _ node: DeviceNode, by settings: Settings = .packaged, _ selection: Selection = .automatic
) -> Bool {
  selection.takes(node, by: settings)
}

@Suite("The choice of devices without a rule of udev's")
struct SelectionTests {
  private let automatic = Selection.automatic

  private func reason(
    _ node: DeviceNode, _ file: String = "", _ selection: Selection = .automatic
  ) throws -> String? {
    if case .leave(let reason) = selection.decide(on: node, by: try settings(file)) {
      return reason
    }
    return nil
  }

  /// Names all devices of two kinds, or this one only.
  private static let many = "[device]\nname = \"Some*\"\n"
  private static let one = "[device]\nname = \"Some device\"\n"

  @Test("is of keyboards, and of whatever a device file is about")
  func keyboards() throws {
    #expect(try reason(node()) == nil)
    let mouse = node(kinds: [.mouse])
    #expect(try reason(mouse) == "no keyboard, and no device file is about it")
    #expect(try reason(mouse, Self.many) == nil)
    #expect(DeviceDescription(mouse).isWorthNaming)
    // A file that is about every device asks for none.
    #expect(try reason(mouse, "[debounce]\nthreshold = 20\n") != nil)
    #expect(try reason(node(kinds: [.keyboard, .mouse])) == nil)
  }

  static let dangers: [(DeviceNode, String)] = [
    (node(kinds: [.keyboard, .switch]), "has switches"),
    (node(kinds: [.keyboard, .touchpad]), "a touchpad, touch screen or tablet"),
    (node(kinds: [.touchscreen]), "a touchpad, touch screen or tablet"),
    (node(kinds: [.tablet]), "a touchpad, touch screen or tablet"),
    (node(kinds: [.keyboard, .joystick]), "a joystick or game pad"),
    (node(keys: KeySet()), "has no keys"),
    (node(keys: KeySet([116, 142, 143, 0x164])), "has only power keys"),
    (node(vendor: 0x1050), "types one-time passwords"),
  ]

  @Test("leaves alone what a user would miss, unless a file names that device", arguments: dangers)
  func dangerous(_ node: DeviceNode, _ why: String) throws {
    #expect(try reason(node) == why)
    #expect(DeviceDescription(node).isWorthNaming == (why == "a joystick or game pad"))
    #expect(try reason(node, Self.many) == why)
    // Without keys there is nothing to debounce.
    let left = node.keys.isEmpty ? "no key of it has a strategy" : nil
    #expect(try reason(node, Self.one) == left)
    #expect(try reason(node, "", .named([node.path])) == left)
  }

  @Test("takes a file for one device by any text without wildcards, or by both numbers")
  func naming() throws {
    let pad = node(kinds: [.joystick], ["ID_PATH": "pci-0000"])
    for line in [
      "name = \"Some device\"", "phys = \"usb-1/input0\"",
      "vendor = 0x3434\nproduct = 0x12", "name = \"*\"\nphys = \"usb-1/input0\"",
      "property = { ID_PATH = \"pci-0000\" }",
    ] {
      #expect(try reason(pad, "[device]\n\(line)\n") == nil, "\(line)")
    }
    for line in [
      "vendor = 0x3434", "product = 0x12", "version = 1", "name = \"Some*\"",
      "property = { ID_PATH = \"pci*\" }",
    ] {
      #expect(try reason(pad, "[device]\n\(line)\n") == "a joystick or game pad", "\(line)")
    }
  }

  @Test("takes keyboards that have one key more than those of power")
  func powerKeys() throws {
    for key: KeyCode in [1, 115, 117, 141, 144] {
      #expect(try reason(node(keys: KeySet([116, 142, 143, 0x164, key]))) == nil)
    }
  }

  @Test("takes no device with which nothing would be done")
  func nothingToDo() throws {
    let none = Self.many + "[debounce]\nstrategy = \"none\"\n"
    let why = "no key of it has a strategy"
    #expect(try reason(node(), none) == why)
    #expect(try reason(node(), none + "[keys]\nKEY_A = \"eager\"\n") == nil)
    #expect(try reason(node(keys: KeySet(1...20)), none + "[keys]\nKEY_A = \"eager\"\n") == why)
    #expect(try reason(node(), none + "[keys]\nKEY_A = { double = \"KEY_B\" }\n") == nil)
    #expect(
      try reason(node(), none + "[[groups]]\nkeys = [\"KEY_A\", \"KEY_B\"]\nlockout = 50\n") == nil)
    let elsewhere = none + "[[groups]]\nkeys = [\"KEY_A\", \"KEY_B\"]\nlockout = 50\n"
    #expect(try reason(node(keys: KeySet(1...20)), elsewhere) == why)
    #expect(try reason(node(), none + "[wheel]\nreversal = 20\n") == nil)
    #expect(try reason(node(), none + "[wheel]\nreversal = 0.001\n") == nil)
    // The first key code and the last are keys like others.
    for key: KeyCode in [0, 0x2ff] {
      #expect(try reason(node(keys: KeySet([key])), Self.many) == nil)
    }
  }

  @Test("is of what a user would expect: keyboards, what is opted in, what is named")
  func expected() {
    #expect(automatic.isExpected(toTake: node()))
    #expect(!automatic.isExpected(toTake: node(kinds: [.mouse])))
    #expect(automatic.isExpected(toTake: node(kinds: [.mouse], ["KEYDEBOUNCE": "1"])))
    #expect(!automatic.isExpected(toTake: node(phys: "keydebounce/usb-1/input0")))
    #expect(
      !automatic.isExpected(toTake: node(phys: "keydebounce/usb-1/input0", ["KEYDEBOUNCE": "1"])))
    let named = Selection.named(["/dev/input/event3"])
    #expect(named.isExpected(toTake: node(kinds: [.mouse])))
    #expect(!Selection.named(["/dev/input/event4"]).isExpected(toTake: node()))
  }

  @Test("with --device leaves all others alone, and clones in any case")
  func named() throws {
    let others = Selection.named(["/dev/input/event4"])
    #expect(try reason(node(), "", others) == "not named by --device")
    let clone = node(phys: "keydebounce/usb-1/input0")
    #expect(try reason(clone, "", .named([clone.path])) == "made by keydebounce")
    #expect(try reason(clone) == "made by keydebounce")
  }
}

@Suite("Rules of udev's that opt a device in or out")
struct UdevRuleTests {
  @Test("KEYDEBOUNCE_IGNORE=1 wins over everything but --device")
  func optedOut() throws {
    let keyboard = node(["KEYDEBOUNCE_IGNORE": "1", "KEYDEBOUNCE": "1"])
    #expect(
      Selection.automatic.decide(on: keyboard, by: .packaged)
        == .leave("KEYDEBOUNCE_IGNORE in udev's rules"))
    #expect(!DeviceDescription(keyboard).isWorthNaming)
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
    #expect(!DeviceDescription(there).isWorthNaming)
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
    let copy = node(at: "virtual/input/input3")
    #expect(!DeviceDescription(copy).isWorthNaming)
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
    let joystick = node(kinds: [.joystick], at: "virtual/input/input3")
    #expect(!isTaken(joystick, by: try settings("[device]\nname = \"S*\"\nvirtual = true\n")))
    #expect(isTaken(node([:]), by: try settings(exact)))
  }
}

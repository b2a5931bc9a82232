import Configuration
import Debounce
import EventDevices
import Testing

@Suite("The choice of devices without a rule of udev's")
struct ChoiceTests {
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
    for key: KeyCode in [116, 142, 143, 0x164] {
      #expect(try reason(node(keys: KeySet([key]))) == "has only power keys")
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

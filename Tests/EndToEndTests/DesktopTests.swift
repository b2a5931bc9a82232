import CEvdev
import Debounce
import EventDevices
import Foundation
import Glibc
import StrokeFixtures
import TestMachine
import Testing

extension EndToEnd {
  @Suite("A desktop takes the clone for its source")
  struct DesktopTests {
    /// The properties by which programs choose what to do with a device.
    private static let properties = [
      "ID_INPUT", "ID_INPUT_KEY", "ID_INPUT_KEYBOARD", "ID_INPUT_MOUSE", "ID_INPUT_TOUCHPAD",
      "ID_INPUT_TABLET", "ID_INPUT_JOYSTICK", "ID_INPUT_SWITCH", "ID_INPUT_POINTINGSTICK",
      "ID_INPUT_TRACKBALL", "ID_BUS", "ID_VENDOR_ID", "ID_MODEL_ID", "MOUSE_DPI",
      "MOUSE_WHEEL_CLICK_ANGLE", "LIBINPUT_MODEL_MOUSE",
    ]

    @Test("a Bluetooth trackball, by the hardware database as it is shipped")
    func trackball() throws {
      let rules = try PackagedRules(withLibinput: true)
      let folder = try ConfigurationFolder(
        device: "[device]\nname = \"Expert Wireless TB Mouse\"\n")
      let daemon = try DaemonProcess.beforeDevices(["--config", folder.path])
      let monitor = try Monitor()
      var identity = HIDDevice.Identity(name: "Expert Wireless TB Mouse")
      (identity.vendor, identity.product) = (0x047d, 0x8019)
      let ball = try HIDDevice(identity, report: HIDReports.mouse())
      let path = try daemon.waitForClone()
      // What udev announces: of a device before, with the same number, it may still keep what it knew.
      let source = try monitor.waitForAnnouncement { $0.name == identity.name && !$0.isClone }
      let clone = try monitor.waitForAnnouncement { $0.path == path }
      #expect(source.properties["MOUSE_DPI"] == "400@125")
      #expect(source.properties["ID_INPUT_TRACKBALL"] == "1")
      #expect(source.properties["ID_BUS"] == "bluetooth")
      expectAlike(source, clone)
      withExtendedLifetime((rules, ball)) {}
    }

    @Test(
      "the PS/2 keyboard, on whose clone one types, and meanwhile the touchpad beside it rests",
      .enabled(if: BuiltInKeyboard.isPossible, "this machine has no port for one"))
    func typing() throws {
      let rules = try PackagedRules(withLibinput: true)
      let hypervisor = try Hypervisor()
      let monitor = try Monitor()
      try BuiltInKeyboard.attach()
      defer { try? BuiltInKeyboard.detach() }
      let source = try monitor.waitForAnnouncement {
        $0.identity.bus == BUS_I8042 && $0.kinds.contains(.keyboard)
      }
      var pad = Blueprint(
        name: "keydebounce test touchpad",
        [EV_KEY: [BTN_LEFT, BTN_TOOL_FINGER, BTN_TOUCH, BTN_TOOL_DOUBLETAP]],
        axes: [
          ABS_X: 4000, ABS_Y: 3000, ABS_MT_SLOT: 4, ABS_MT_TRACKING_ID: 65535,
          ABS_MT_POSITION_X: 4000, ABS_MT_POSITION_Y: 3000,
        ])
      pad.bus = UInt16(BUS_I8042)
      pad.properties = [INPUT_PROP_POINTER, INPUT_PROP_BUTTONPAD]
      let touchpad = try UinputDevice(pad)
      let daemon = try DaemonProcess()
      let path = try daemon.waitForClone(of: source.path)
      let clone = try monitor.waitForAnnouncement { $0.path == path }
      expectAlike(source, clone)
      let application = try EventReader(path: path)
      try UsbPlayer(hypervisor: hypervisor).play(.stroke(30) + [Edge].stroke(31).later(by: 200))
      let received = try application.frames(upTo: .key(31, down: false))
      #expect(keyMoves(received) == [Event].stroke(30) + [Event].stroke(31))
      #expect(received.filter { !keyMoves([$0]).isEmpty }.allSatisfy { $0.events[0].isScan })

      for node in [source, clone] {
        let quirks = try Command(
          program: Libinput.program("quirks"), ["list", node.path])
        #expect(quirks.output.contains("AttrKeyboardIntegration=internal"), "\(quirks.errors)")
      }
      // The touchpad first: libinput pairs it with each keyboard that comes then.
      try Libinput.watch(
        [touchpad.path, path], until: "dwt activated with \(pad.name)<->\(clone.name)")
      withExtendedLifetime(rules) {}
    }

    private func expectAlike(_ source: DeviceNode, _ clone: DeviceNode) {
      for name in Self.properties {
        #expect(clone.properties[name] == source.properties[name], "\(name)")
      }
      #expect(source.properties["LIBINPUT_DEVICE_GROUP"] != nil)
      func tags(_ node: DeviceNode) -> Set<Substring> {
        Set(node.properties["TAGS", default: ""].split(separator: ":"))
      }
      #expect(tags(clone) == tags(source).union(["keydebounce"]))
      // Groups bind the nodes of one device: the clones of them are one again, but not one with the sources.
      #expect(
        clone.properties["LIBINPUT_DEVICE_GROUP"]?.replacing("keydebounce/", with: "")
          == source.properties["LIBINPUT_DEVICE_GROUP"])
      #expect(throws: Never.self) {
        let (copied, original) = (try Libinput.list(clone.path), try Libinput.list(source.path))
        #expect(copied.contains("Capabilities:") && copied == original)
      }
    }
  }
}

/// libinput, which desktops read their devices with.
private enum Libinput {
  static func program(_ name: String) -> String { "/usr/libexec/libinput/libinput-\(name)" }

  /// The lines that libinput lists of the device, without its node and its group, which no two devices share.
  static func list(_ path: String) throws -> String {
    let command = try Command(program: program("list-devices"), [])
    let devices = command.output.split(separator: "\n\n")
    guard let device = devices.first(where: { isAbout($0, path) }) else {
      throw WaitedInVain(
        description: "libinput does not list \(path): \(command.output) \(command.errors)")
    }
    return device.split(separator: "\n")
      .filter { !$0.hasPrefix("Kernel:") && !$0.hasPrefix("Group:") }.joined(separator: "\n")
  }

  private static func isAbout(_ lines: Substring, _ path: String) -> Bool {
    lines.split(separator: "\n").contains { $0.hasPrefix("Kernel:") && $0.hasSuffix(" " + path) }
  }

  /// Has it watch devices, which it adds in this order, until it says this.
  static func watch(_ paths: [String], until text: String) throws {
    let watching = try WatchingProcess(
      ["--verbose"] + paths.flatMap { ["--device", $0] }, isAsking: true,
      program: program("debug-events"))
    try watching.waitForLine(containing: text)
  }
}

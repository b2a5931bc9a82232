import CEvdev
import Debounce
import EventDevices
import Foundation
import TestMachine
import Testing

extension EndToEnd {
  @Suite("Which devices are taken")
  struct ChoiceTests {
    /// What is plugged in, and when it is taken.
    private struct Kind {
      /// When a device is taken.
      enum Taken: Comparable { case always, whenMatched, whenNamed }

      let name: String
      let taken: Taken
      let report: [UInt8]
      var vendor: UInt32 = 0x1209
    }

    private static let kinds = [
      Kind(name: "keydebounce keys", taken: .always, report: HIDReports.keyboard()),
      Kind(name: "keydebounce mouse", taken: .whenMatched, report: HIDReports.mouse()),
      Kind(name: "keydebounce media", taken: .whenMatched, report: HIDReports.consumerControl()),
      Kind(name: "keydebounce pedals", taken: .whenMatched, report: HIDReports.pedals),
      Kind(name: "keydebounce arcade", taken: .whenNamed, report: HIDReports.arcadeButtons),
      Kind(name: "keydebounce power", taken: .whenNamed, report: HIDReports.systemControl()),
      Kind(name: "keydebounce pen", taken: .whenNamed, report: HIDReports.tablet),
      Kind(name: "keydebounce pad", taken: .whenNamed, report: HIDReports.touchpad),
      Kind(
        name: "keydebounce token", taken: .whenNamed, report: HIDReports.keyboard(), vendor: 0x1050),
    ]

    @Test("the default, what a file matches or names, and what --device names")
    func choice() throws {
      try BuiltInKeyboard.detach()
      let monitor = try Monitor()
      var devices: [HIDDevice] = []
      var paths: [String] = []
      for kind in Self.kinds {
        var identity = HIDDevice.Identity(name: kind.name)
        identity.vendor = kind.vendor
        devices.append(try HIDDevice(identity, report: kind.report))
        paths.append(try monitor.waitForNode { $0.name == kind.name }.path)
      }
      // Two that are never taken by themselves: the machine's own power button, if it has ACPI, and what a program makes.
      if FileManager.default.fileExists(atPath: "/sys/firmware/acpi") {
        _ = try Command(program: "/sbin/modprobe", ["button"])
        try monitor.waitForNode { $0.name == "Power Button" }
      }
      let virtual = try UinputDevice(name: "keydebounce virtual")

      try expect(taken: names { $0 == .always }, with: [])
      let folder = try ConfigurationFolder()
      try folder.write(device: "10-all.toml", "[device]\nname = \"keydebounce*\"\n")
      try expect(taken: names { $0 <= .whenMatched }, with: ["--config", folder.path])
      try FileManager.default.removeItem(atPath: folder.path + "/devices.d/10-all.toml")
      for kind in Self.kinds {
        let file = kind.name.split(separator: " ").joined(separator: "-") + ".toml"
        try folder.write(device: file, "[device]\nname = \"\(kind.name)\"\n")
      }
      // A copy of a device has its name and its numbers: a file must ask for what programs make.
      try folder.write(device: "virtual.toml", "[device]\nname = \"keydebounce virtual\"\n")
      try expect(taken: names { _ in true }, with: ["--config", folder.path])
      try folder.write(
        device: "virtual.toml", "[device]\nname = \"keydebounce virtual\"\nvirtual = true\n")
      try expect(
        taken: names { _ in true }.union(["keydebounce virtual"]), with: ["--config", folder.path])
      // Two among many, one of which nothing else would take.
      try expect(
        taken: ["keydebounce pen", "keydebounce virtual"],
        with: ["--device", paths[6], "--device", virtual.path])
      withExtendedLifetime(devices) {}
    }

    @Test("a clone that is called as the configuration says")
    func cloneName() throws {
      let folder = try ConfigurationFolder(
        defaults: "[defaults]\nclone-name = \"%s (debounced)\"\n")
      let keyboard = try UinputDevice(name: "keydebounce keys")
      try expect(
        taken: ["keydebounce keys (debounced)"],
        with: ["--device", keyboard.path, "--config", folder.path])
    }

    @Test("each node of a receiver by itself")
    func receiver() throws {
      try BuiltInKeyboard.detach()
      let monitor = try Monitor()
      // Two interfaces: the first has the keyboard, the second all the rest.
      var first = HIDDevice.Identity(name: "keydebounce receiver")
      first.phys = "aa:bb:cc:dd:ee:ff/input0"
      var second = first
      second.phys = "aa:bb:cc:dd:ee:ff/input1"
      var typing: HIDDevice? = try HIDDevice(first, report: HIDReports.keyboard())
      var pointing: HIDDevice? = try HIDDevice(
        second,
        report: HIDReports.mouse(number: 1) + HIDReports.consumerControl(number: 2)
          + HIDReports.systemControl(number: 3))
      func node(_ kind: String) throws -> DeviceNode {
        try monitor.waitForNode { $0.name == "keydebounce receiver" + kind && !$0.isClone }
      }
      // As the kernel names them.
      let (keyboard, mouse) = (try node(""), try node(" Mouse"))
      let media = try node(" Consumer Control")
      _ = try node(" System Control")

      let daemon = try DaemonProcess()
      let application = try EventReader(path: daemon.waitForClone(of: keyboard.path))
      #expect(try Clones.present() == [keyboard.name])
      // The others are read as ever.
      let pointer = try EventReader(path: mouse.path)
      try pointing?.send([1, 1, 3, 0, 0])
      #expect(pointer.next()?.events.contains(.key(KeyCode(BTN_LEFT), down: true)) == true)
      let player = try EventReader(path: media.path)
      try pointing?.send([2, 0xe9, 0])
      #expect(player.next()?.events.contains(.key(KeyCode(KEY_VOLUMEUP), down: true)) == true)
      try typing?.send([0, 0, 4, 0, 0, 0, 0, 0])
      _ = try application.frames(upTo: .key(30, down: true))
      #expect(pointer.framesAtHand().isEmpty && player.framesAtHand().isEmpty)

      // All nodes go at once, with a key down.
      let other = try BackgroundReader(path: daemon.waitForClone(of: keyboard.path))
      (typing, pointing) = (nil, nil)
      #expect(other.waitForEnd() == [.key(30, down: false)])
      try daemon.waitForLine(containing: "was unplugged")
    }

    /// Starts the daemon, and expects that it takes these and no others.
    private func expect(taken names: Set<String>, with arguments: [String]) throws {
      let daemon = try DaemonProcess(arguments)
      for _ in names { _ = try daemon.waitForClone() }
      #expect(try Set(Clones.present()) == names, "with \(arguments)")
      #expect(try daemon.end() == 0)
    }

    private func names(_ isTaken: (Kind.Taken) -> Bool) -> Set<String> {
      Set(Self.kinds.filter { isTaken($0.taken) }.map(\.name))
    }
  }
}

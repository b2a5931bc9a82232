import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("What a decision went by changes")
  struct SeatTests {
    private static let name = "keydebounce moving keyboard"

    /// Has udev's rules say something more of the keyboard, or nothing more, as loginctl and administrators do.
    private func say(_ assignment: String?, of node: DeviceNode) throws {
      let folder = "/run/udev/rules.d"
      let rule = assignment.map {
        "SUBSYSTEM==\"input\", KERNEL==\"event*\", ATTRS{name}==\"\(Self.name)\", \($0)\n"
      }
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try (rule ?? "").write(toFile: folder + "/91-seat.rules", atomically: true, encoding: .utf8)
      let trigger = try Command(
        program: "/bin/sh",
        ["-c", "udevadm control --reload && udevadm trigger --action=change \(node.id.syspath)"])
      #expect(trigger.status == 0, "\(trigger.errors)")
    }

    @Test("a keyboard that moves to another seat, or is opted out, is given back until it returns")
    func moves() throws {
      try BuiltInKeyboard.detach()
      let monitor = try Monitor()
      let keyboard = try HIDDevice(
        HIDDevice.Identity(name: Self.name), report: HIDReports.keyboard())
      let node = try monitor.waitForNode { $0.name == Self.name && !$0.isClone }
      defer { try? say(nil, of: node) }
      let daemon = try DaemonProcess()
      _ = try daemon.waitForClone(of: node.path)
      for (assignment, reason) in [
        ("ENV{ID_SEAT}=\"seat1\"", "another seat"),
        ("ENV{KEYDEBOUNCE_IGNORE}=\"1\"", "KEYDEBOUNCE_IGNORE"),
      ] {
        try say(assignment, of: node)
        let line = try daemon.waitForLine(containing: "(\(node.path)): given back: ")
        #expect(line.contains(reason), "\(line)")
        let console = try EventReader(path: node.path)
        while !console.grab() { sleep(until: monotonicNow() + 10_000) }
        console.grab(false)
        try say(nil, of: node)
        try daemon.waitForLine(containing: "(\(node.path)): debounced from now on")
      }
      withExtendedLifetime(keyboard) {}
    }
  }
}

import EventDevices
import Foundation
import Glibc
import Status
import TestMachine
import Testing

extension Installed {
  @Suite("The service's place in the system")
  struct PlaceTests {
    private let unit = Unit.keydebounce

    @Test("counts are kept in a folder that nobody else can read")
    func state() throws {
      let console = try Console()
      try console.checkDebounced()
      try unit.order("stop")
      let files = try Command.shell(
        "stat --format='%U %a' /var/lib/keydebounce /var/lib/keydebounce/*")
      let lines = files.output.split(separator: "\n")
      #expect(lines.first == "keydebounce 700")
      #expect(lines.count > 1 && lines.dropFirst().allSatisfy { $0 == "keydebounce 600" })
      try unit.order("start")
      try console.waitUntilDebounced()
      #expect(try console.status()?.keys.contains { $0.strokes > 0 } == true)
    }

    @Test("anyone may check the configuration, and list devices")
    func nobody() throws {
      let console = try Console()
      #expect(try Command.asNobody(["check"]).status == 0)
      let list = try Command.asNobody(["list", "--json"])
      #expect(list.status == 0, "\(list)")
      #expect(list.output.contains("QEMU USB Keyboard"), "\(list)")
      withExtendedLifetime(console) {}
    }

    @Test("the example of a drop-in gives it real-time priority")
    func realTime() throws {
      let console = try Console()
      let example = "/usr/share/doc/keydebounce/examples/realtime.conf"
      try unit.override(try String(contentsOfFile: example, encoding: .utf8))
      defer {
        try? unit.endOverride()
        try? unit.order("restart")
      }
      try unit.order("restart")
      #expect(sched_getscheduler(pid_t(try unit.number("MainPID"))) == SCHED_RR)
      try console.waitUntilDebounced()
    }

    @Test("a link of its own leads to the clone, and the keyboard's do if they are claimed")
    func links() throws {
      let file = "/etc/keydebounce/keydebounce.toml"
      let unclaim = "sed -i '/^claim-links/d' \(file)"
      let console = try Console()
      try console.waitUntilDebounced()
      let folder = "/dev/input/by-id/"
      let link = try #require(console.keyboard.links.first { $0.hasPrefix(folder) })
      let own = folder + "keydebounce-" + link.dropFirst(folder.count)
      func clone() throws -> String? {
        try Monitor().nodes().first { $0.phys == "keydebounce/\(console.keyboard.phys)" }?.path
      }
      try wait(for: "a link to the clone") {
        try target(of: own) == clone() && clone() != nil
      }
      #expect(target(of: link) == console.keyboard.path)
      // Made in that folder, where kanata looks for new devices.
      let node = try #require(try clone())
      #expect(
        target(of: node.replacing("/dev/input/", with: "/dev/input/keydebounce-")) == node)

      _ = try Command.shell("sed -i '/^\\[defaults\\]/a claim-links = true' \(file)")
      defer { _ = try? Command.shell(unclaim) }
      try unit.order("restart")
      try console.waitUntilDebounced()
      try wait(for: "the keyboard's link") {
        try target(of: link) == clone() && clone() != nil
      }
      // Somebody who names the keyboard by this link means the keyboard, although the link leads to the clone.
      for command in ["pause", "resume"] {
        let answer = try Command([command, link])
        #expect(answer.status == 0, "\(answer)")
      }

      try unit.order("stop")
      try wait(for: "the link to lead to the keyboard") {
        target(of: link) == console.keyboard.path && target(of: own) == nil
      }
      _ = try Command.shell(unclaim)
      try unit.order("start")
      try console.waitUntilDebounced()
      #expect(target(of: link) == console.keyboard.path)
    }

    @Test("rules of udev's opt devices in and out")
    func rules() throws {
      let name = "keydebounce test pedals"
      let matches = #"SUBSYSTEM=="input", KERNEL=="event*", ATTRS{name}=="\#(name)""#
      func device(with assignments: String) throws -> UinputDevice {
        let rule = try UdevRule("\(matches), \(assignments)")
        defer { withExtendedLifetime(rule) {} }
        return try UinputDevice(name: name)
      }
      func status(of device: UinputDevice) throws -> DeviceStatus? {
        try DaemonStatus.ask().devices.first { $0.node == device.path }
      }

      // Made by a program, and so left alone if nobody says otherwise.
      let taken = try device(with: #"ENV{KEYDEBOUNCE}="1""#)
      try wait(for: "the device to be taken") { try status(of: taken)?.state == .debounced }
      let left = try device(with: #"ENV{KEYDEBOUNCE}="1", ENV{KEYDEBOUNCE_IGNORE}="1""#)
      let list = try Command(["list", "--all"]).output
      #expect(list.contains("KEYDEBOUNCE_IGNORE"), "\(list)")
      #expect(try status(of: left) == nil)
      withExtendedLifetime(taken) {}
    }
  }
}

import Debounce
import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("What stands in the way is named, with what to do about it")
  struct RefusalTests {
    @Test("no /dev/uinput: the module")
    func uinputMissing() throws {
      try #require(rename("/dev/uinput", "/dev/uinput.away") == 0)
      defer { rename("/dev/uinput.away", "/dev/uinput") }
      let daemon = try DaemonProcess()
      try daemon.waitForLine(containing: "kernel module “uinput” is not loaded")
      #expect(try daemon.waitForEnd() == 1)
    }

    @Test("no permission for /dev/uinput: whose it is, and what makes the service's own")
    func uinputForbidden() throws {
      let daemon = try DaemonProcess(wrapper: Command.nobody)
      try daemon.waitForLine(containing: "no permission to open /dev/uinput")
      #expect(try daemon.waitForEnd() == 77)
      #expect(daemon.log.contains("group “root”"))
      #expect(daemon.log.contains("sudo systemd-tmpfiles --create keydebounce.conf"))
    }

    @Test("a node of the service's own is used first, and not missed where it is refused")
    func ownNode() throws {
      let keyboard = try UinputDevice()
      let folder = "/dev/keydebounce"
      try #require(mkdir(folder, 0o755) == 0)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      try #require(mknod("\(folder)/uinput", S_IFCHR | 0o600, 10 << 8 | 223) == 0)
      do {
        try #require(rename("/dev/uinput", "/dev/uinput.away") == 0)
        defer { rename("/dev/uinput.away", "/dev/uinput") }
        let daemon = try DaemonProcess(["--device", keyboard.path])
        _ = try daemon.waitForClone()
      }
      // A daemon that may not use the service's node uses the common one, if it may.
      chmod("/dev/uinput", 0o666)
      defer { chmod("/dev/uinput", 0o600) }
      let daemon = try DaemonProcess(
        ["--device", keyboard.path], wrapper: Command.keyboardUser)
      _ = try daemon.waitForClone()
    }

    @Test("no permission for the keyboard: its group")
    func keyboardForbidden() throws {
      let keyboard = try UinputDevice()
      chmod("/dev/uinput", 0o666)
      defer { chmod("/dev/uinput", 0o600) }
      let daemon = try DaemonProcess(["--device", keyboard.path], wrapper: Command.nobody)
      try daemon.waitForLine(containing: "no permission to open \(keyboard.path)")
      #expect(try daemon.waitForEnd() == 77)
      #expect(daemon.log.contains("belongs to the group “input”"))
    }

    @Test("a path that is no event device")
    func noSuchDevice() throws {
      let daemon = try DaemonProcess(["--device", "/dev/null"])
      try daemon.waitForLine(containing: "/dev/null is no event device")
      #expect(try daemon.waitForEnd() == 1)
    }

    @Test("and the program needs no Swift library where it runs")
    func libraries() throws {
      let text = try Command(program: "/usr/bin/ldd", [DaemonProcess.program]).output
      #expect(text.contains("libevdev.so.2"))
      #expect(!text.localizedCaseInsensitiveContains("swift"))
      #expect(!text.contains("Foundation"))
      #expect(!text.contains("not found"))
    }
  }
}

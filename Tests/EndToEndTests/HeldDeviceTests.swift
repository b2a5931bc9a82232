import Bus
import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("A device that another program has grabbed")
  struct HeldDeviceTests {
    @Test("status names the program to root, and what to write")
    func status() throws {
      let bus = try SystemBus()
      let keyboard = try UinputDevice()
      // Another program by the name of keyd, with which the daemon shares nothing.
      let folder = try ConfigurationFolder()
      let program = folder.path + "/keyd"
      try FileManager.default.copyItem(atPath: DaemonProcess.program, toPath: program)
      let keyd = try DaemonProcess(
        call: [],
        wrapper: [
          "/usr/bin/env", "RUNTIME_DIRECTORY=\(folder.path)",
          "DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nowhere", "/bin/sh", "-c",
          "exec \(program) run --device \(keyboard.path) --config \(folder.path)",
        ])
      _ = try keyd.waitForClone()
      let daemon = try DaemonProcess(["--device", keyboard.path])
      try daemon.waitForLine(containing: "another program has grabbed \(keyboard.path)")
      try daemon.waitUntilSaid("on the system bus")

      let text = try Command(["status"]).output
      #expect(text.contains("keyd (process \(keyd.processIdentifier)) has it open"), "\(text)")
      #expect(text.contains("clone-name = \"%s (debounced)\""))
      #expect(text.contains("-1209:0001:"))
      withExtendedLifetime(bus) {}
    }

    @Test("monitor and record name the program in place of the handover")
    func watching() throws {
      let bus = try SystemBus()
      let keyboard = try UinputDevice()
      let remapper = try EventReader(path: keyboard.path)
      try #require(remapper.grab())
      let daemon = try DaemonProcess(["--device", keyboard.path])
      try daemon.waitForLine(containing: "another program has grabbed \(keyboard.path)")
      try daemon.waitUntilSaid("on the system bus")
      let path = "/tmp/recording-\(UUID().uuidString)"
      defer { unlink(path) }
      for call in [["monitor", keyboard.path], ["record", keyboard.path, "-o", path]] {
        let command = try DaemonProcess(call: call)
        try command.waitForLine(containing: "another program has grabbed \(keyboard.path)")
        let line = try command.waitForLine(containing: " has it open")
        #expect(line.contains("(process \(getpid()))"))
        #expect(try command.end(by: SIGINT) == 0)
        #expect(!command.log.contains("the daemon has handed"))
      }
      // When it is returned, another program may still have it, and the daemon reports that.
      try daemon.waitForLine(containing: "another program has grabbed \(keyboard.path)")
      withExtendedLifetime((bus, remapper)) {}
    }

    @Test("another program that grabs a device while it is handed over is reported")
    func grabbedWhileHandedOver() throws {
      let bus = try SystemBus()
      let keyboard = try UinputDevice()
      keyboard.endRepeats()
      let daemon = try DaemonProcess(["--device", keyboard.path])
      _ = try daemon.waitForClone()
      try daemon.waitUntilSaid("on the system bus")
      let path = "/tmp/recording-\(getpid())-grabbed"
      defer { unlink(path) }
      let record = try DaemonProcess(call: ["record", keyboard.path, "-o", path])
      try record.waitForLine(containing: "the daemon has handed")
      try daemon.waitForLine(containing: "handed over to another program")
      let remapper = try EventReader(path: keyboard.path)
      try #require(remapper.grab())
      // It may open the device only now, with the key that is down.
      for _ in 0..<5 {
        for down in [true, false] {
          keyboard.send(30, down: down)
          sleep(until: monotonicNow() + 3 * 100_000)
        }
      }
      keyboard.send(30, down: true)
      try record.waitForLine(containing: "grabbed \(keyboard.path) while it was handed over")
      let line = try record.waitForLine(containing: " has it open")
      #expect(line.contains("(process \(getpid()))"))
      keyboard.send(30, down: false)
      #expect(try record.end(by: SIGINT) == 0)
      // And so does the daemon, when the device is returned.
      try daemon.waitForLine(containing: "another program has grabbed \(keyboard.path)")
      withExtendedLifetime((bus, remapper)) {}
    }
  }
}

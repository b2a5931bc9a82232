import Control
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
      let keyboard = try UinputDevice()
      // Another program by the name of keyd, with which the daemon shares nothing.
      let folder = try ConfigurationFolder()
      let program = folder.path + "/keyd"
      try FileManager.default.copyItem(atPath: DaemonProcess.program, toPath: program)
      let keyd = try DaemonProcess(
        call: [],
        wrapper: [
          "/usr/bin/env", "RUNTIME_DIRECTORY=\(folder.path)", "/bin/sh", "-c",
          "exec \(program) run --device \(keyboard.path) --config \(folder.path)",
        ])
      _ = try keyd.waitForClone()
      // Its socket stands in the folder that it is given, as in the initial RAM disk.
      var client = try DaemonClient(at: ControlInterface.socket(in: folder.path))
      #expect(try client.devices().map(\.node) == [keyboard.path])
      #expect(throws: ControlError.notRunning) { _ = try DaemonClient() }
      let daemon = try DaemonProcess(["--device", keyboard.path])
      try daemon.waitForLine(containing: "another program has grabbed \(keyboard.path)")

      let text = try Command(["status"]).output
      #expect(text.contains("keyd (process \(keyd.processIdentifier)) has it open"), "\(text)")
      #expect(text.contains("clone-name = \"%s (debounced)\""))
      #expect(text.contains("-1209:0001:"))
    }

    @Test("monitor and record name the program")
    func watching() throws {
      let keyboard = try UinputDevice()
      let remapper = try EventReader(path: keyboard.path)
      try #require(remapper.grab())
      let daemon = try DaemonProcess(["--device", keyboard.path])
      try daemon.waitForLine(containing: "another program has grabbed \(keyboard.path)")
      let path = "/tmp/recording-\(UUID().uuidString)"
      defer { unlink(path) }
      for call in [["monitor", keyboard.path], ["record", keyboard.path, "-o", path]] {
        let command = try DaemonProcess(call: call)
        try command.waitForLine(containing: "another program has grabbed \(keyboard.path)")
        let line = try command.waitForLine(containing: " has it open")
        #expect(line.contains("(process \(getpid()))"))
        #expect(try command.end(by: SIGINT) == 0)
      }
      withExtendedLifetime(remapper) {}
    }
  }
}

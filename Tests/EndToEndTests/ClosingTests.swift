import CEvdev
import Debounce
import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("A device goes, for which the kernel takes its time")
  struct ClosingTests {
    /// How many go at once: more than there are seconds in which the unit has to end.
    private static let count = isEndurance ? 64 : 16
    /// A file for every device that tests make.
    private static let allOfTests = "[device]\nvendor = 0x1209\nproduct = 0x0001\nvirtual = true\n"

    @Test("and meanwhile others are typed on")
    func others() throws {
      let report = "/tmp/faults-\(UUID().uuidString)"
      defer { unlink(report) }
      let folder = try ConfigurationFolder(device: Self.allOfTests)
      try BuiltInKeyboard.detach()
      var going: UinputDevice? = try UinputDevice(name: "keydebounce going keyboard")
      let staying = try UinputDevice(name: "keydebounce staying keyboard")
      // 20 seconds: no machine stands still for so long.
      let daemon = try DaemonProcess(
        call: ["run", "--config", folder.path],
        wrapper: DaemonProcess.withFaults(["FAULT_REPORT=\(report)", "SLOW_DESTROY=20"]))
      let clone = try daemon.waitForClone(of: #require(going).path)
      let application = try EventReader(path: daemon.waitForClone(of: staying.path))
      going = nil
      try daemon.waitForLine(containing: "was unplugged")
      try wait(for: "something to be destroyed") {
        try String(contentsOfFile: report, encoding: .utf8).contains("slow destroy")
      }
      for _ in 0..<5 {
        #expect(try application.moves(of: .stroke(30), on: staying) == .stroke(30))
      }
      #expect(access(clone, F_OK) == 0, "what was typed has waited until the clone was gone")
      withExtendedLifetime(going) {}
    }

    @Test("and a daemon that stops with many of them has stored every count")
    func stop() throws {
      let folder = try ConfigurationFolder(device: Self.allOfTests)
      let state = try TemporaryFolder()
      try BuiltInKeyboard.detach()
      let keyboards = try (0..<Self.count).map { number in
        try UinputDevice(
          .plainKeyboard(name: "keydebounce crowd \(number)"), waitingForUdev: false)
      }
      let manager = try NotifySocket()
      let daemon = try DaemonProcess(
        call: ["run", "--config", folder.path, "--state", state.path],
        wrapper: ["/usr/bin/env", "NOTIFY_SOCKET=\(manager.path)"])
      let applications = try keyboards.map { keyboard in
        try EventReader(path: daemon.waitForClone(of: keyboard.path))
      }
      for (keyboard, application) in zip(keyboards, applications) {
        _ = try application.moves(of: .stroke(30), on: keyboard)
      }
      let asked = monotonicNow()
      #expect(try daemon.end() == 0)
      print("stopping with \(Self.count) devices takes \((monotonicNow() - asked) / 1000) ms")
      // Destroying the clones may take longer than the unit allows: the daemon asks for more time when the keyboards are back.
      var last = ""
      while !last.hasPrefix("EXTEND_TIMEOUT_USEC=") { last = try manager.next() }
      #expect(last == "EXTEND_TIMEOUT_USEC=\(Self.count * 1_000_000)")
      let files = try state.names()
        .filter { $0.hasSuffix(".counts.json") }
      #expect(files.count == Self.count)
      for keyboard in keyboards { #expect(try EventReader(path: keyboard.path).grab()) }
    }
  }
}

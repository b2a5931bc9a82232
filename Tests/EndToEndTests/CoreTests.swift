import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("What knows what is typed")
  struct CoreTests {
    @Test("leaves no core when it crashes")
    func cores() throws {
      let folder = "/tmp/cores-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let pattern = "/proc/sys/kernel/core_pattern"
      let before = try String(contentsOfFile: pattern, encoding: .utf8)
      try "\(folder)/%e".write(toFile: pattern, atomically: false, encoding: .utf8)
      defer { try? before.write(toFile: pattern, atomically: false, encoding: .utf8) }
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
      var unlimited = rlimit(rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max)
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &unlimited)
      defer { setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) }
      func cores() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder)
      }

      // Others do.
      _ = try Command(program: "/bin/sh", ["-c", "kill -SEGV $$"])
      #expect(try cores() == ["sh"])

      let (keyboard, other) = (
        try UinputDevice(), try UinputDevice(name: "keydebounce other keyboard")
      )
      let daemon = try DaemonProcess(["--device", other.path])
      _ = try daemon.waitForClone()
      for command in [
        ["monitor"], ["record", "-o", "\(folder)/.recording"], ["calibrate", "--passive"],
      ] {
        let process = try DaemonProcess(call: command + [keyboard.path])
        try wait(for: "\(command) to open the keyboard") {
          try process.openFiles().contains(keyboard.path)
        }
        process.signal(SIGSEGV)
        #expect(try process.waitForEnd() == 128 + SIGSEGV, "\(command)")
      }
      let terminal = try PseudoTerminal()
      terminal.resize(columns: 80, rows: 24)
      let top = try WatchingProcess(
        ["TERM=xterm", DaemonProcess.program, "top"], on: terminal, program: "/usr/bin/env")
      try wait(for: "the other keyboard in top") { top.shownSoFar().contains("other") }
      top.signal(SIGSEGV)
      _ = try top.waitForEnd()
      daemon.signal(SIGSEGV)
      #expect(try daemon.waitForEnd() == 128 + SIGSEGV)
      #expect(try cores().filter { !$0.hasPrefix(".") } == ["sh"])
    }
  }
}

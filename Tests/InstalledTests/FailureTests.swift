import Foundation
import Glibc
import Status
import TestMachine
import Testing

extension Installed {
  @Suite("The service fails, and the keyboard works")
  struct FailureTests {
    private let unit = Unit.keydebounce

    @Test("it hangs: the watchdog ends it, and it is started again")
    func hangs() throws {
      let console = try Console()
      try console.waitUntilDebounced()
      let restarts = try unit.number("NRestarts")
      let pid = try unit.number("MainPID")
      kill(pid_t(pid), SIGSTOP)
      try wait(for: "a new daemon") {
        try unit.number("NRestarts") == restarts + 1
          && unit.property("ActiveState") == "active" && unit.number("MainPID") != pid
      }
      try console.checkDebounced()
    }

    @Test("it is killed: the keyboard works at once, before it is started again")
    func killed() throws {
      let console = try Console()
      try console.waitUntilDebounced()
      try unit.override("[Service]\nRestartSec=1h\n")
      defer { try? unit.endOverride() }
      let pid = try unit.number("MainPID")
      kill(pid_t(pid), SIGKILL)
      try wait(for: "the end") { !FileManager.default.fileExists(atPath: "/proc/\(pid)") }
      try console.checkLeftAlone()
      #expect(try unit.property("SubState") == "auto-restart")
      try unit.order("restart")
      try console.checkDebounced()
    }

    @Test("the panic chord is held: it ends and stays away")
    func panicChord() throws {
      let console = try Console()
      try console.waitUntilDebounced()
      let restarts = try unit.number("NRestarts")
      try console.hold(["backspace", "esc", "ret"])
      try wait(for: "the end") { try unit.property("ActiveState") == "failed" }
      try console.hold(["backspace", "esc", "ret"], down: false)
      #expect(try unit.number("ExecMainStatus") == 75)
      try console.checkLeftAlone()
      #expect(try unit.property("ActiveState") == "failed")
      #expect(try unit.number("NRestarts") == restarts)
      try unit.order("start")
      try console.checkDebounced()
    }

    @Test("the configuration is broken: it says so, takes no keyboard, and does not try again")
    func brokenConfiguration() throws {
      let console = try Console()
      let file = "/etc/keydebounce/devices.d/20-broken.toml"
      try "[keys]\nKEY_EE = 40\n".write(toFile: file, atomically: true, encoding: .utf8)
      try unit.systemctl("reset-failed")
      #expect(try unit.systemctl("restart").status != 0)
      #expect(try unit.property("SubState") == "failed")
      #expect(try unit.number("ExecMainStatus") == 78)
      let status = try unit.systemctl("status", "--no-pager", "--full").output
      #expect(status.contains("\(file):2:1"), "\(status)")
      try console.checkLeftAlone()
      #expect(try unit.property("SubState") == "failed")
      #expect(try unit.number("NRestarts") == 0)

      try FileManager.default.removeItem(atPath: file)
      try unit.order("start")
      try console.checkDebounced()
    }

    @Test("the configuration breaks later: reloading fails, and nothing changes")
    func brokenReload() throws {
      let console = try Console()
      try console.waitUntilDebounced()
      let pid = try unit.number("MainPID")
      let file = "/etc/keydebounce/devices.d/20-broken.toml"
      try "[keys]\nKEY_EE = 40\n".write(toFile: file, atomically: true, encoding: .utf8)
      #expect(try unit.systemctl("reload").status != 0)
      #expect(try DaemonStatus.ask().configuration.problems.count == 1)
      #expect(try unit.property("ActiveState") == "active")
      try FileManager.default.removeItem(atPath: file)
      try unit.order("reload")
      #expect(try DaemonStatus.ask().configuration.problems.isEmpty)
      #expect(try unit.number("MainPID") == pid)
      try console.checkDebounced()
    }

    @Test("it fails again and again: in the end it is left alone, and so are keyboards")
    func failsAgainAndAgain() throws {
      let console = try Console()
      try unit.override("[Service]\nRestartSec=50ms\n")
      defer { try? unit.endOverride() }
      try unit.order("restart")
      try wait(for: "the last attempt") {
        let pid = try unit.number("MainPID")
        if pid > 0 { kill(pid_t(pid), SIGKILL) }
        return try unit.property("SubState") == "failed"
      }
      #expect(
        try unit.property("Result") == "start-limit-hit" || unit.property("Result") == "signal")
      try console.checkLeftAlone()
      #expect(try unit.property("SubState") == "failed")
      try unit.order("start")
      try console.checkDebounced()
    }
  }
}

import Foundation
import Glibc
import Service
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
      // The thread that a disk may hold, and it alone, has no descriptor of the keyboard's.
      let threads = try Command.shell(
        "for t in /proc/\(pid)/task/*; do ls -l $t/fd | grep -c /dev/input/; done")
      #expect(threads.output.split(separator: "\n").count { $0 == "0" } == 1, "\(threads.output)")
      kill(pid_t(pid), SIGSTOP)
      try wait(for: "a new daemon") {
        try unit.number("NRestarts") == restarts + 1
          && unit.property("ActiveState") == "active" && unit.number("MainPID") != pid
      }
      try console.checkDebounced()
      // The journal says so, and what to do about it.
      let lines = "journalctl --boot --catalog --no-pager --unit keydebounce.service MESSAGE_ID="
      let watchdog = try Command.shell(lines + LogSubject.watchdog.rawValue).output
      #expect(watchdog.contains("no sign of life") && watchdog.contains("systemd killed it"))
      let device = try Command.shell(lines + LogSubject.device.rawValue).output
      #expect(device.contains("debounced from now on") && device.contains("shows all devices"))
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
      try console.waitUntilDebounced()
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
      try console.waitUntilDebounced()
    }

    @Test("the configuration is broken: it says so, takes no keyboard, and does not try again")
    func brokenConfiguration() throws {
      let console = try Console()
      let file = "/etc/keydebounce/keydebounce.toml.d/20-broken.toml"
      try FileManager.default.createDirectory(
        atPath: "/etc/keydebounce/keydebounce.toml.d", withIntermediateDirectories: true)
      try "[defaults]\nthresold = 40\n".write(toFile: file, atomically: true, encoding: .utf8)
      try unit.systemctl("reset-failed")
      #expect(try unit.systemctl("restart").status != 0)
      #expect(try unit.property("SubState") == "failed")
      #expect(try unit.number("ExecMainStatus") == 78)
      let status = try unit.systemctl("status", "--no-pager", "--full").output
      #expect(status.contains("\(file):2:1"), "\(status)")
      let told = try Command(["status"])
      #expect(told.status == 1 && told.errors.contains("\(file):2:1"), "\(told)")
      let reconfigured = try Command.shell(
        "/var/lib/dpkg/info/keydebounce.postinst configure 2>&1"
      ).output
      #expect(reconfigured.contains("\(file):2:1: error: "), "\(reconfigured)")
      #expect(reconfigured.contains("it does not start"), "\(reconfigured)")
      try console.checkLeftAlone()
      #expect(try unit.property("SubState") == "failed")
      #expect(try unit.number("NRestarts") == 0)

      try FileManager.default.removeItem(atPath: "/etc/keydebounce/keydebounce.toml.d")
      try unit.order("start")
      try console.waitUntilDebounced()
    }

    @Test(
      "a device file is broken, or cannot be read: a reload fails, and then what it is about is left alone, and nothing else"
    )
    func brokenDeviceFile() throws {
      let console = try Console()
      let (file, unreadable) = (
        "/etc/keydebounce/devices.d/20-broken.toml", "/etc/keydebounce/devices.d/30-unreadable.toml"
      )
      defer { for path in [file, unreadable] { unlink(path) } }
      func restart(with text: String) throws {
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        try unit.order("restart")
      }
      try console.waitUntilDebounced()
      let pid = try unit.number("MainPID")
      let broken = "[device]\nname = \"another\"\n[keys]\nKEY_EE = 40\n"
      try broken.write(toFile: file, atomically: true, encoding: .utf8)
      #expect(try unit.systemctl("reload").status != 0)
      #expect(try DaemonStatus.ask().configuration.problems.count == 1)
      #expect(try unit.property("ActiveState") == "active")
      #expect(try unit.number("MainPID") == pid)
      try restart(with: broken)
      try console.waitUntilDebounced()
      #expect(try DaemonStatus.ask().configuration.problems.first?.contains("\(file):4:1") == true)

      // A file that names no device is no reason to leave any alone; nor is one that the service may not read.
      try "[device]\nname = \"QEMU*\"\nignore = true\n".write(
        toFile: unreadable, atomically: true, encoding: .utf8)
      chmod(unreadable, 0o600)
      try restart(with: "[keys]\nKEY_EE = 40\n")
      try console.checkDebounced()
      unlink(file)
      for command in ["check", "list"] {
        let errors = try Command([command]).errors
        #expect(
          errors.contains("the user “keydebounce” may not read it; only root may"), "\(errors)")
      }
      unlink(unreadable)

      try restart(
        with: "[device]\nname = \"QEMU QEMU USB Keyboard\"\nvendor = 0x0627\n[keys]\nKEY_EE = 40\n")
      try console.checkLeftAlone()
      let list = try Command(["list"])
      #expect(list.output.contains("\(file) has errors"), "\(list)")
      unlink(file)
      try unit.order("reload")
      #expect(try DaemonStatus.ask().configuration.problems.isEmpty)
      try console.waitUntilDebounced()
    }

    @Test("what the vendor has set holds until a link to /dev/null takes its place")
    func masked() throws {
      let console = try Console()
      try console.waitUntilDebounced()
      let name = "devices.d/30-vendor.toml"
      for folder in ["/usr/lib/keydebounce/devices.d", "/run/keydebounce/devices.d"] {
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true)
      }
      defer {
        for path in [
          "/usr/lib/keydebounce/devices.d", "/run/keydebounce", "/etc/keydebounce/\(name)",
        ] {
          try? FileManager.default.removeItem(atPath: path)
        }
      }
      let text = "[device]\nname = \"QEMU*\"\nvendor = 0x0627\nignore = true\n"
      for place in ["/usr/lib/keydebounce", "/run/keydebounce"] {
        let file = "\(place)/\(name)"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        try unit.order("reload")
        try console.waitUntilLeftAlone()
        try FileManager.default.createSymbolicLink(
          atPath: "/etc/keydebounce/\(name)", withDestinationPath: "/dev/null")
        try unit.order("reload")
        try console.waitUntilDebounced()
        #expect(try Command(["check", "--verbose"]).output.contains("\(file): not read: "))
        try FileManager.default.removeItem(atPath: "/etc/keydebounce/\(name)")
        try FileManager.default.removeItem(atPath: file)
      }
      // What the service might have written is not read.
      try text.write(toFile: "/run/keydebounce/\(name)", atomically: true, encoding: .utf8)
      _ = try Command.shell("chown -R keydebounce: /run/keydebounce && chmod 700 /run/keydebounce")
      try unit.order("restart")
      try console.waitUntilDebounced()
      #expect(try Command(["check"]).errors.contains("/run/keydebounce: warning: is not read"))
    }

    @Test("it fails again and again: in the end it is left alone, and so are keyboards")
    func failsAgainAndAgain() throws {
      let console = try Console()
      try unit.override("[Service]\nRestartSec=50ms\n")
      defer { try? unit.endOverride() }
      try unit.order("restart")
      try wait(for: "the last attempt") {
        let shown = try unit.systemctl("show", "--property=MainPID,SubState").output
        let pid = shown.firstMatch(of: /MainPID=(\d+)/).flatMap { pid_t($0.1) } ?? 0
        if pid > 0 { kill(pid, SIGKILL) }
        return shown.contains("SubState=failed")
      }
      #expect(
        try unit.property("Result") == "start-limit-hit" || unit.property("Result") == "signal")
      let told = try Command(["status"])
      #expect(told.errors.contains("sudo systemctl start keydebounce"), "\(told)")
      try console.checkLeftAlone()
      #expect(try unit.property("SubState") == "failed")
      try unit.order("start")
      try console.waitUntilDebounced()
    }
  }
}

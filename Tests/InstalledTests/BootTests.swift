import EventDevices
import Foundation
import Glibc
import Status
import TestMachine
import Testing

extension Installed {
  @Suite("After booting")
  struct BootTests {
    @Test("the service is up before a login prompt, and has the keyboard that was plugged in")
    func first() throws {
      let started = try Unit.keydebounce.number("ActiveEnterTimestampMonotonic")
      let prompt = try Unit(name: "getty@tty1.service").number("ExecMainStartTimestampMonotonic")
      #expect(0 < started && started < prompt)
      let status = try DaemonStatus.ask()
      #expect(status.devices.contains { $0.name == "AT Translated Set 2 keyboard" })
      #expect(try Unit.keydebounce.property("StatusText").contains("1"))
    }

    @Test("it runs as its own user, without any privilege, and before others")
    func unprivileged() throws {
      let pid = try Unit.keydebounce.number("MainPID")
      let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
      func line(_ name: String) -> [Substring] {
        status.split(separator: "\n").first { $0.hasPrefix(name + ":") }?
          .split { $0.isWhitespace }.dropFirst().map { $0 } ?? []
      }
      let user = try #require(getpwnam("keydebounce"))
      #expect(line("Uid") == Array(repeating: "\(user.pointee.pw_uid)", count: 4))
      for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
        #expect(line(set) == ["0000000000000000"])
      }
      #expect(line("NoNewPrivs") == ["1"])
      #expect(line("Seccomp") == ["2"])
      // The daemon knows what is typed: its memory must not be written to a disk.
      let swap = "/sys/fs/cgroup/system.slice/keydebounce.service/memory.swap.max"
      #expect(try String(contentsOfFile: swap, encoding: .utf8) == "0\n")
      #expect(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(pid)) == -20)
    }

    @Test("systemd finds nothing to say against the unit")
    func verified() throws {
      let security = try Command(
        program: "/usr/bin/systemd-analyze",
        ["security", "--threshold=12", "--no-pager", "keydebounce.service"])
      #expect(security.status == 0, "\(security.output)")
      let file = try Unit.keydebounce.property("FragmentPath")
      // The guest has no program to show manual pages.
      let verify = try Command(
        program: "/usr/bin/systemd-analyze", ["verify", "--man=no", file])
      // systemd 252 does not know that one. The other keeps memory out of zswap, too, which only has what goes to swap.
      let errors = verify.errors.split(separator: "\n").filter {
        !($0.contains("Unknown key") && $0.contains("MemoryZSwapMax"))
      }
      #expect(verify.status == 0 && errors.isEmpty, "\(verify.errors)")
    }

    @Test("udev knows who may make devices, and what clones are")
    func udev() throws {
      // The common node stays as the distribution has it, for other programs; the service has its own.
      let common = try Command.shell("stat --format='%U %G %a' /dev/uinput")
      let kanata = FileManager.default.fileExists(
        atPath: "/usr/lib/udev/rules.d/50-kanata-uinput.rules")
      #expect(common.output == (kanata ? "root input 660\n" : "root root 600\n"))
      let own = try Command.shell("stat --format='%U %G %a %Hr:%Lr' /dev/keydebounce/uinput")
      #expect(own.output == "keydebounce keydebounce 600 10:223\n")
      // Somebody who may read the folder may watch it with inotify(7), and is told of each write to the node.
      let look = try Command.shell("setpriv --reuid=65534 --clear-groups ls /dev/keydebounce")
      #expect(look.status != 0 && look.output.isEmpty)

      let console = try Console()
      try console.waitUntilDebounced()
      let clone = try Monitor().waitForNode { $0.phys == "keydebounce/\(console.keyboard.phys)" }
      for (name, value) in [
        "ID_BUS": "usb", "ID_INPUT_KEYBOARD": "1", "KEYDEBOUNCE_CLONE": "1",
        "ID_VENDOR_ID": "0627", "ID_MODEL_ID": "0001", "TAGS": ":keydebounce:",
      ] {
        #expect(clone.properties[name]?.contains(value) == true, "\(name)")
      }
      #expect(console.keyboard.properties["KEYDEBOUNCE_CLONE"] == nil)

      let test = try Command.shell("udevadm test \(clone.id.syspath) 2>&1")
      let rules = try #require(
        ["/lib", "/usr/lib"].map { "\($0)/udev/rules.d/69-keydebounce.rules" }.first {
          test.output.contains("Reading rules file: \($0)")
        }, "\(test.output)")
      #expect(try complaints(of: rules, in: test.output) == "")
    }

    /// What udev finds wrong with the rules.
    ///
    /// - Parameter test: What `udevadm test` has printed.
    private func complaints(of rules: String, in test: String) throws -> String {
      let verify = try Command.shell("udevadm verify \(rules) 2>&1")
      guard verify.output.contains("Unknown command verb") else {
        return verify.status == 0 ? "" : verify.output
      }
      // Older releases than systemd 254 only complain when they read them.
      return test.split(separator: "\n").filter {
        // Lines that say what the rules do are no complaints.
        $0.contains("69-keydebounce.rules:") && !$0.contains("Importing properties from")
          && !$0.contains(" LINK ")
      }.joined(separator: "\n")
    }
  }
}

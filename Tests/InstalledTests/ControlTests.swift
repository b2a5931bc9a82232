import Control
import Foundation
import Glibc
import TestMachine
import Testing

extension Installed {
  /// Who may do what through the service's socket, by the kernel's word.
  @Suite("The service's socket")
  struct ControlTests {
    private static let folder = ControlInterface.folder
    private static let path = ControlInterface.socket()

    @Test("belongs to the service's user and group, and to nobody else")
    func owner() throws {
      let modes = try Command.shell("stat --format='%U %G %a' \(Self.folder) \(Self.path)").output
      #expect(modes == "keydebounce keydebounce 750\nkeydebounce keydebounce 660\n")
    }

    @Test("lets no stranger connect")
    func stranger() throws {
      for command in ["status", "pause", "reload"] {
        let refused = try Command.asNobody([command])
        #expect(refused.status == 77, "\(command): \(refused)")
        #expect(refused.errors.contains("sudo"), "\(command): \(refused)")
      }
    }

    @Test("lets members pause, resume and reload, and tells them nothing of keys")
    func member() throws {
      let console = try Console()
      try console.waitUntilDebounced()
      #expect(try member("pause").status == 0)
      #expect(try console.status()?.pause != nil)
      #expect(try member("resume").status == 0)
      #expect(try console.status()?.pause == nil)
      #expect(try member("reload").status == 0)
      for arguments in [["status"], ["status", "--history"], ["status", "--reset", "event0"]] {
        let refused = try member(arguments)
        #expect(refused.status == 77, "\(arguments): \(refused)")
        #expect(refused.errors.contains("only root"), "\(arguments): \(refused)")
      }
    }

    @Test("has room for “systemctl reload” and for members, however many connections are idle")
    func idle() throws {
      let idle = try (0..<20).map { _ in try ControlConnection(as: .member) }
      try Unit.keydebounce.order("reload")
      #expect(try member("reload").status == 0)
      withExtendedLifetime(idle) {}
    }

    @Test("needs no bus")
    func withoutBus() throws {
      let console = try Console()
      let bus = [Unit(name: "dbus.socket"), Unit(name: "dbus.service")]
      let isThere = try bus[0].property("LoadState") == "loaded"
      if isThere { for unit in bus { try unit.systemctl("stop") } }
      defer { if isThere { _ = try? bus[0].systemctl("start") } }
      try Unit.keydebounce.order("restart")
      try console.waitUntilDebounced()
      #expect(try member("pause").status == 0)
      #expect(try Command(["resume"]).status == 0)
      try console.checkDebounced()
    }

    @Test(
      "speaks Varlink with systemd's own client", .enabled(if: hasVarlinkctl, "make compatibility"))
    func varlinkctl() throws {
      let program = "/usr/bin/varlinkctl"
      let info = try Command(program: program, ["info", Self.path])
      #expect(info.status == 0 && info.output.contains(ControlInterface.name), "\(info)")
      let description = try Command(
        program: program, ["introspect", Self.path, ControlInterface.name])
      #expect(description.status == 0, "\(description)")
      for method in ControlMethod.allCases {
        #expect(description.output.contains(method.rawValue), "\(method)")
      }
      let devices = try Command(
        program: program, ["call", Self.path, ControlMethod.devices.fullName, "{}"])
      #expect(devices.status == 0 && devices.output.contains("debounced"), "\(devices)")
      let unknown = try Command(
        program: program,
        ["call", Self.path, ControlMethod.history.fullName, #"{"device":"/dev/input/event999"}"#])
      #expect(unknown.status != 0 && unknown.errors.contains("NotHeld"), "\(unknown)")
    }

    private func member(_ arguments: String...) throws -> Command { try member(arguments) }

    /// Calls keydebounce as a user who is in the group and in no other.
    private func member(_ arguments: [String]) throws -> Command {
      try Command(
        program: "/usr/bin/setpriv",
        [
          "--reuid=65534", "--regid=65534", "--groups=keydebounce", DaemonProcess.program,
        ] + arguments)
    }
  }
}

private let hasVarlinkctl = FileManager.default.fileExists(atPath: "/usr/bin/varlinkctl")

import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("News of devices is late, incomplete or twice the same")
  struct NewsTests {
    init() throws {
      try BuiltInKeyboard.detach()
    }

    @Test("a device that nobody may read yet is taken when the daemon may")
    func permission() throws {
      let keyboard = try UinputDevice()
      let folder = try Self.virtualDevices()
      defer { chmod("/dev/uinput", 0o600) }
      let daemon = try Self.unprivilegedDaemon(folder)
      _ = try daemon.waitForClone()
      let rule = try UdevRule(
        #"SUBSYSTEM=="input", ATTRS{name}=="keydebounce late keyboard", MODE="0000""#)
      let late = try UinputDevice(name: "keydebounce late keyboard")
      try daemon.waitForLine(containing: "no permission to open \(late.path)")
      chmod(late.path, 0o660)
      let line = try daemon.waitForLine(containing: "debounced from now on")
      #expect(line.contains("late keyboard"))
      withExtendedLifetime((keyboard, rule)) {}
    }

    @Test("news that got lost is made up for")
    func overrun() throws {
      let folder = try Self.virtualDevices()
      var first: UinputDevice? = try UinputDevice(name: "keydebounce first keyboard")
      // A buffer that is soon full. Root may have a larger one all the same: the daemon is another user's here.
      let most = try NetworkSetting("rmem_max", 32_768)
      defer { chmod("/dev/uinput", 0o600) }
      let daemon = try Self.unprivilegedDaemon(folder)
      let monitor = try Monitor()
      let clone = try monitor.waitForNode { $0.isClone && $0.name.contains("first") }
      daemon.signal(SIGSTOP)
      try daemon.waitUntilStopped()
      withExtendedLifetime(first) {}
      first = nil
      let second = try UinputDevice(name: "keydebounce second keyboard")
      try floodWithNews(for: daemon)
      daemon.signal(SIGCONT)
      try daemon.waitForLine(containing: "too many devices came and went at once")
      let line = try daemon.waitForLine(containing: "debounced from now on")
      #expect(line.contains("second keyboard"))
      try monitor.waitForRemoval(of: clone)
      withExtendedLifetime((most, second)) {}
    }

    /// Has udev tell of devices until the daemon's socket has no room for more.
    private func floodWithNews(for daemon: DaemonProcess) throws {
      let many = try (0..<8).map { try UinputDevice(name: "keydebounce test pedals \($0)") }
      let sockets = try sockets(of: daemon)
      try wait(for: "news to get lost") {
        _ = try Command(
          program: "/bin/sh", ["-c", "udevadm trigger --subsystem-match=input; udevadm settle"])
        return try lostNews(sockets) > 0
      }
      withExtendedLifetime(many) {}
    }

    /// The inodes of the daemon's sockets.
    private func sockets(of daemon: DaemonProcess) throws -> [String] {
      // socket:[1234]
      try daemon.openFiles().filter { $0.hasPrefix("socket:") }.map { $0.filter(\.isNumber) }
    }

    /// How much news of devices got lost because these sockets had no room for it.
    private func lostNews(_ sockets: [String]) throws -> Int {
      let table = try String(contentsOfFile: "/proc/net/netlink", encoding: .utf8)
      // sk, Eth (15: devices), Pid, Groups, Rmem, Wmem, Dump, Locks, Drops, Inode
      let rows = table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
      let listeners = rows.filter { $0.count == 10 && $0[1] == "15" && sockets.contains($0[9]) }
      return listeners.reduce(0) { $0 + (Int($1[8]) ?? 0) }
    }

    /// A configuration that is about the test's keyboards, which would be left alone otherwise.
    private static func virtualDevices() throws -> ConfigurationFolder {
      let folder = try ConfigurationFolder()
      for name in ["test", "late", "first", "second"] {
        try folder.write(
          device: "\(name).toml",
          "[device]\nname = \"keydebounce \(name) keyboard\"\nvirtual = true\n")
      }
      return folder
    }

    /// The daemon as a user who may use keyboards and uinput, and nothing else.
    private static func unprivilegedDaemon(_ folder: ConfigurationFolder) throws -> DaemonProcess {
      chmod("/dev/uinput", 0o666)
      _ = try Command(program: "/bin/chmod", ["--recursive", "a+rX", folder.path])
      return try DaemonProcess(
        call: ["run", "--config", folder.path], wrapper: Command.keyboardUser)
    }
  }
}

/// A setting of the kernel's for all sockets, as it was again when this goes.
private final class NetworkSetting {
  private let path: String
  private let before: String

  init(_ name: String, _ value: Int) throws {
    path = "/proc/sys/net/core/\(name)"
    before = try String(contentsOfFile: path, encoding: .utf8)
    try "\(value)".write(toFile: path, atomically: false, encoding: .utf8)
  }

  deinit {
    try? before.write(toFile: path, atomically: false, encoding: .utf8)
  }
}

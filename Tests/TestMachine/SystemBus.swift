import Foundation
import Glibc

/// The guest's system bus, as a test starts and stops it.
public final class SystemBus {
  /// Where clients find it.
  private static let socket = "/run/dbus/system_bus_socket"

  private let process = Process()

  /// Starts the bus with the daemon's policy, and waits until it takes calls.
  public init() throws {
    try Self.install()
    unlink(Self.socket)
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/dbus-daemon")
    process.arguments = ["--system", "--nofork", "--nopidfile", "--nosyslog", "--print-address"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    // It says that it does not know some users.
    process.standardError = FileHandle.nullDevice
    try process.run()
    try pipe.fileHandleForWriting.close()
    guard LineReader(pipe.fileHandleForReading.fileDescriptor).next() != nil else {
      throw WaitedInVain(description: "dbus-daemon does not start")
    }
  }

  deinit {
    stop()
  }

  /// Ends the bus as a crash would.
  public func stop() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    unlink(Self.socket)
  }

  public func signal(_ signal: CInt) {
    kill(process.processIdentifier, signal)
  }

  /// The group whose members may ask for everything.
  public static let group: gid_t = 950

  /// Puts the policy where the bus looks for it, and makes the group.
  private static func install() throws {
    let files = FileManager.default
    try files.createDirectory(atPath: "/run/dbus", withIntermediateDirectories: true)
    let policy = "/etc/dbus-1/system.d/io.github.keydebounce.conf"
    guard !files.fileExists(atPath: policy) else { return }
    let source = URL(fileURLWithPath: DaemonProcess.fixtures).deletingLastPathComponent()
    try files.copyItem(
      atPath: source.appendingPathComponent("dbus/io.github.keydebounce.conf").path, toPath: policy)
    // For what stands in for polkit.
    try Data(
      """
      <busconfig>
        <policy user="root">
          <allow own="org.freedesktop.PolicyKit1"/>
        </policy>
        <policy context="default">
          <allow send_destination="org.freedesktop.PolicyKit1"/>
        </policy>
      </busconfig>
      """.utf8
    ).write(to: URL(fileURLWithPath: "/etc/dbus-1/system.d/test.polkit.conf"))
    for (file, line) in [
      ("/etc/group", "keydebounce:x:\(group):\n"),
      ("/etc/passwd", "keydebounce:x:\(group):\(group)::/:/usr/sbin/nologin\n"),
    ] {
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data(line.utf8))
      try handle.close()
    }
  }
}

import Clibsystemd
import Control
import Foundation
import Glibc
import Status
import TestMachine

/// Programs and buses as they are in somebody's desktop session, without a screen.
final class DesktopSession {
  /// What it takes; the Makefile installs it.
  static let programs = ["dbus-daemon", "Xvfb", "dunst", "dunstctl", "busctl"]

  static var isPossible: Bool {
    programs.allSatisfy { access("/usr/bin/\($0)", X_OK) == 0 }
  }

  private(set) var environment: [String: String] = [:]
  private var processes: [Process] = []
  let systemBus: String

  init() throws {
    let (system, systemBus) = try Self.startBus()
    self.systemBus = systemBus
    let (session, sessionBus) = try Self.startBus()
    processes = [system, session]
    environment = [
      "DBUS_SYSTEM_BUS_ADDRESS": systemBus, "DBUS_SESSION_BUS_ADDRESS": sessionBus,
      "HOME": NSTemporaryDirectory(), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
    ]
    let pipe = Pipe()
    let screen = Process()
    screen.executableURL = URL(fileURLWithPath: "/usr/bin/Xvfb")
    screen.arguments = ["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"]
    screen.standardOutput = pipe
    screen.standardError = FileHandle.nullDevice
    try screen.run()
    processes.append(screen)
    guard let display = LineReader(pipe.fileHandleForReading.fileDescriptor).next() else {
      throw WaitedInVain(description: "Xvfb does not start")
    }
    environment["DISPLAY"] = ":\(display)"
  }

  deinit {
    for process in processes.reversed() where process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  /// A bus on which everything is allowed, and which starts no program by itself.
  private static let configuration = """
    <busconfig>
      <type>session</type>
      <listen>unix:tmpdir=/tmp</listen>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
      </policy>
    </busconfig>
    """

  private static func startBus() throws -> (Process, String) {
    let file = NSTemporaryDirectory() + "bus-\(UUID().uuidString).conf"
    try configuration.write(toFile: file, atomically: true, encoding: .utf8)
    defer { unlink(file) }
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/dbus-daemon")
    process.arguments = [
      "--config-file=\(file)", "--nofork", "--nopidfile", "--print-address",
    ]
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    guard let address = LineReader(pipe.fileHandleForReading.fileDescriptor).next() else {
      throw WaitedInVain(description: "dbus-daemon does not start")
    }
    return (process, address)
  }

  /// Starts a program in the session.
  ///
  /// - Parameter errors: Where its messages go.
  func start(
    _ program: String, _ arguments: [String] = [], _ further: [String: String] = [:],
    errors: Any = FileHandle.nullDevice
  ) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = environment.merging(further) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    processes.append(process)
    return process
  }

  /// Ends a program as a crash would, and waits until it has ended.
  func end(_ process: Process) {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Calls a program of the session, and returns what it writes.
  func call(_ program: String, _ arguments: String...) throws -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/\(program)")
    process.arguments = arguments
    process.environment = environment
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self)
  }
}

/// Who has the daemon's name on a bus, and sends its signal.
final class SignalSender {
  private let bus: OpaquePointer

  init(on address: String) throws {
    var bus: OpaquePointer?
    guard sd_bus_new(&bus) >= 0, let bus, sd_bus_set_address(bus, address) >= 0,
      sd_bus_set_bus_client(bus, 1) >= 0, sd_bus_start(bus) >= 0,
      sd_bus_request_name(bus, BusNames.service, 0) >= 0
    else { throw WaitedInVain(description: "the daemon's name cannot be had") }
    self.bus = bus
  }

  deinit {
    sd_bus_flush_close_unref(bus)
  }

  func keyWorn(_ device: String, _ verdict: KeyVerdict) {
    var signal: OpaquePointer?
    sd_bus_message_new_signal(
      bus, &signal, BusNames.object, BusNames.interface, BusNames.keyWorn)
    for text in [device, verdict.rawValue] {
      sd_bus_message_append_basic(signal, CChar(UInt8(ascii: "s")), text)
    }
    sd_bus_send(bus, signal, nil)
    sd_bus_message_unref(signal)
    sd_bus_flush(bus)
  }

  /// Answers those who ask for a status, with an error, for as long as something is not so.
  func wait(for what: String, until isSo: () throws -> Bool) throws {
    let end = Self.now + UInt64(patience)
    while try !isSo() {
      while sd_bus_process(bus, nil) > 0 {}
      sd_bus_wait(bus, 50_000)
      guard Self.now < end else { throw WaitedInVain(description: what) }
    }
  }

  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
  }
}

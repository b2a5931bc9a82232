import Control
import EventDevices
import Foundation
import Glibc
import Recording
import SystemPackage
import TestMachine

/// A program that is measured.
enum Subject: String, CaseIterable {
  /// Two calls a frame, with a thread for each device.
  case strict
  /// One loop that waits for all devices.
  case floor
  case keydebounce
  case keyd
  case interception
  /// keydebounce, with somebody who watches and reads.
  case watched
  /// keydebounce, with somebody who watches and has stopped reading.
  case stopped

  /// Those that are measured where none is named.
  static let usual: [Subject] = [.strict, .floor, .keydebounce, .keyd, .interception]

  /// Where the programs are.
  static let folder = ProcessInfo.processInfo.environment["KEYDEBOUNCE_BENCHMARK"] ?? "/payload"

  /// Whether it can be measured: other people's programs are there where the machine is made for it. keyd makes one keyboard
  /// of all, and frames of its own of a mouse's.
  func canBeMeasured(on devices: [SourceDevice]) -> Bool {
    let program =
      switch self {
      case .keyd: "keyd"
      case .interception: "interception"
      default: nil as String?
      }
    guard let program else { return true }
    guard FileManager.default.isExecutableFile(atPath: "\(Self.folder)/\(program)") else {
      return false
    }
    return self != .keyd || devices.map(\.kind) == [.keyboard]
  }

  /// The name of the device that applications read instead of the one given.
  func name(ofCloneOf device: SourceDevice) -> String {
    self == .keyd ? "keyd virtual keyboard" : device.name
  }

  var title: String {
    switch self {
    case .strict: "read and write"
    case .floor: "bare C loop"
    case .keydebounce: "keydebounce"
    case .keyd: "keyd"
    case .interception: "interception"
    case .watched: "keydebounce, watched"
    case .stopped: "… by a stopped reader"
    }
  }
}

/// A subject that runs and has taken some devices.
final class RunningSubject {
  /// What the applications read, in the order of the devices.
  private(set) var sinks: [Sink] = []
  /// The time on a processor that it took until it had grabbed the devices, in nanoseconds.
  private(set) var start: UInt64 = 0
  private var processes: [Process] = []
  /// The sockets that nobody reads.
  private var watches: [FileDescriptor] = []

  /// Starts the subject, and waits until it has grabbed the devices and has nothing more to do.
  init(_ subject: Subject, on devices: [SourceDevice]) throws {
    let folder = Subject.folder
    let monitor = try Monitor()
    let earlier = Set(try monitor.nodes().map(\.id))
    switch subject {
    case .strict:
      try run("\(folder)/benchmark-floor", ["--blocking"] + devices.map(\.path))
    case .floor:
      try run("\(folder)/benchmark-floor", devices.map(\.path))
    case .keydebounce, .watched, .stopped:
      try run("\(folder)/keydebounce", ["run"] + devices.flatMap { ["--device", $0.path] })
    case .keyd:
      try FileManager.default.createDirectory(
        atPath: "/etc/keyd", withIntermediateDirectories: true)
      try "[ids]\n\(String(SourceDevice.vendor, radix: 16)):0001\n".write(
        toFile: "/etc/keyd/benchmark.conf", atomically: false, encoding: .utf8)
      try run("\(folder)/keyd", [])
    case .interception:
      for device in devices {
        try run(
          "/bin/sh",
          ["-c", "\(folder)/interception -g \(device.path) | \(folder)/uinput -d \(device.path)"])
      }
    }
    // udev may announce a device late, whose clone has the same name.
    let sources = Set(devices.map(\.path))
    for device in devices {
      let name = subject.name(ofCloneOf: device)
      let clone = try monitor.waitForNode {
        $0.name == name && !earlier.contains($0.id) && !sources.contains($0.path)
      }
      sinks.append(try Sink(path: clone.path))
    }
    for device in devices { try Self.waitUntilGrabbed(device.path) }
    start = usage.time
    // What starting needs is given back, and the rest of it done, while nobody types.
    sleep(until: monotonicNow() + 2_000_000)
    if subject == .watched || subject == .stopped {
      for device in devices { try watch(device.path, reads: subject == .watched) }
    }
  }

  /// Watches a device, as `monitor` does.
  private func watch(_ path: String, reads: Bool) throws {
    let daemon = ControlInterface.socket(in: Self.scratch)
    guard let socket = try DaemonClient.watch(path, at: daemon) else {
      throw WaitedInVain(description: "\(path) is not held by the daemon")
    }
    guard reads else {
      // It is full after some hundred strokes.
      watches.append(socket)
      return
    }
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while read(socket.rawValue, &buffer, buffer.count) > 0 {}
      close(socket.rawValue)
    }
  }

  deinit {
    // A shell passes nothing on to its children, and forgets them when it ends.
    for process in family { kill(process, SIGTERM) }
    for process in processes { process.waitUntilExit() }
    for socket in watches { try? socket.close() }
  }

  private static let scratch =
    FileManager.default.temporaryDirectory.path + "/keydebounce-benchmark"

  private func run(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    // For its lock and its socket: it may run beside the service.
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["RUNTIME_DIRECTORY": Self.scratch]) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    processes.append(process)
  }

  /// Waits until somebody else has the device.
  private static func waitUntilGrabbed(_ path: String) throws {
    let end = monotonicNow() + patience
    while true {
      let reader = try EventReader(path: path)
      guard reader.grab() else { return }
      reader.grab(false)
      guard monotonicNow() < end else {
        throw WaitedInVain(description: "nobody has grabbed \(path)")
      }
      sleep(until: monotonicNow() + 20_000)
    }
  }

  /// Its processes: those started here, and their children.
  private var family: [pid_t] {
    processes.map(\.processIdentifier).flatMap { process in
      let children = try? String(
        contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
      return [process] + (children ?? "").split(separator: " ").compactMap { pid_t($0) }
    }
  }

  /// Its threads.
  var threads: [pid_t] {
    family.flatMap { process in
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
    }.compactMap { pid_t($0) }
  }

  /// What it has used so far.
  var usage: Usage {
    threads.reduce(into: Usage()) { sum, thread in
      let folder = "/proc/\(thread)"
      let times = (try? String(contentsOfFile: "\(folder)/schedstat", encoding: .utf8)) ?? ""
      sum.time += times.split(separator: " ").first.flatMap { UInt64($0) } ?? 0
      let status = (try? String(contentsOfFile: "\(folder)/status", encoding: .utf8)) ?? ""
      for line in status.split(separator: "\n") where line.hasPrefix("voluntary_ctxt_switches:") {
        sum.waits += line.split(separator: "\t").last.flatMap { UInt64($0) } ?? 0
      }
    }
  }

  /// Its memory in kilobytes: its share of all, and what it has written itself, which the kernel cannot drop.
  var memory: (share: Int, own: Int) {
    family.reduce(into: (0, 0)) { sum, process in
      let text =
        (try? String(contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8)) ?? ""
      for line in text.split(separator: "\n") {
        let words = line.split(separator: " ")
        guard words.count > 1, let size = Int(words[1]) else { continue }
        if words[0] == "Pss:" { sum.0 += size }
        if words[0] == "Private_Dirty:" { sum.1 += size }
      }
    }
  }
}

/// What a program has used.
struct Usage {
  /// Its time on a processor, in nanoseconds.
  var time: UInt64 = 0
  /// How often it has waited for something: each end of that is a wake-up.
  var waits: UInt64 = 0
}

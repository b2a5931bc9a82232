import Debounce
import EventDevices
import Foundation
import Glibc
import Recording

/// A running `keydebounce run`, as a test starts it.
public final class DaemonProcess {
  /// The program to be tested.
  public static let program =
    ProcessInfo.processInfo.environment["KEYDEBOUNCE_PROGRAM"] ?? "/payload/keydebounce"

  /// The folder of the fixtures.
  public static let fixtures =
    ProcessInfo.processInfo.environment["KEYDEBOUNCE_FIXTURES"] ?? "/payload/Fixtures"

  /// Where this run records what the device sent and what was passed on.
  public let recording: String

  private let process = Process()
  private let lines: LineReader
  private let pipe = Pipe()
  /// The log so far, for error messages.
  private var said: [String] = []

  /// A wrapper with which calls fail, or take their time, as the variables say: see `Faults.c`.
  public static func withFaults(_ variables: [String]) -> [String] {
    ["/usr/bin/env", "LD_PRELOAD=/payload/faults.so"] + variables
  }

  /// Starts the daemon.
  ///
  /// - Parameters:
  ///   - arguments: What follows `keydebounce run --record FILE`.
  ///   - wrapper: A program, with its arguments, that runs it.
  public convenience init(_ arguments: [String] = [], wrapper: [String] = []) throws {
    let recording = "/tmp/run-\(UUID().uuidString).evemu"
    try self.init(
      call: ["run", "--record", recording] + arguments, wrapper: wrapper, recording: recording)
  }

  /// Starts another of the command's verbs that goes on until it is told to stop.
  public init(call arguments: [String], wrapper: [String] = [], recording: String = "") throws {
    self.recording = recording
    let command = wrapper + [Self.program] + arguments
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    // Lines whose moment a key decides come at once then, for tests that wait for them.
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["KEYDEBOUNCE_LOG": "debug"]) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardError = pipe
    lines = LineReader(pipe.fileHandleForReading.fileDescriptor)
    try process.run()
    // Ours must not keep the pipe open when the daemon is gone.
    try pipe.fileHandleForWriting.close()
  }

  deinit {
    if process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      // The next one may only start when this one is gone.
      process.waitUntilExit()
    }
    try? FileManager.default.removeItem(atPath: recording)
  }

  public var processIdentifier: pid_t { process.processIdentifier }

  /// Waits for a line of the log that contains `text`.
  ///
  /// - Parameter limit: How long to wait for each line, in microseconds.
  @discardableResult
  public func waitForLine(containing text: String, limit: Int64 = patience) throws -> String {
    while let line = lines.next(limit: limit) {
      said.append(line)
      if line.contains(text) { return line }
    }
    throw WaitedInVain(
      description: "the daemon did not say “\(text)”, but: \(said.joined(separator: "\n"))")
  }

  /// The next line of the log.
  ///
  /// - Returns: `nil` after `limit` microseconds without one, or when the daemon has ended.
  public func nextLine(limit: Int64 = patience) -> String? {
    guard let line = lines.next(limit: limit) else { return nil }
    said.append(line)
    return line
  }

  /// The lines of the log that are there and were not read before.
  public func linesAtHand() -> [String] {
    var lines: [String] = []
    while let line = nextLine(limit: 0) { lines.append(line) }
    return lines
  }

  /// Becomes readable when the daemon says something. Stays this one's.
  public var logDescriptor: CInt { pipe.fileHandleForReading.fileDescriptor }

  /// Waits for a line that contains `text`, or finds it among those that were said before.
  public func waitUntilSaid(_ text: String) throws {
    if !said.contains(where: { $0.contains(text) }) { try waitForLine(containing: text) }
  }

  /// Waits until a device is debounced, and returns its clone's node. Opens clones meanwhile: see ``CloneOpener``.
  public func waitForClone() throws -> String {
    let text = "debounced from now on; applications read "
    let opener = try CloneOpener()
    repeat {
      while let line = nextLine(limit: 0) {
        if line.contains(text) { return line.split(separator: " ").last.map(String.init) ?? "" }
      }
    } while opener.waitUntilReadable(logDescriptor, limit: patience)
    throw WaitedInVain(description: "no device is debounced; the daemon said: \(log)")
  }

  /// Waits until this device is debounced, and returns its clone's node. Opens none.
  public func waitForClone(of path: String) throws -> String {
    let text = "(\(path)): debounced from now on; applications read "
    let line = try said.first { $0.contains(text) } ?? waitForLine(containing: text)
    return line.split(separator: " ").last.map(String.init) ?? ""
  }

  /// Sends a signal.
  public func signal(_ signal: CInt) {
    kill(process.processIdentifier, signal)
  }

  /// Waits until `SIGSTOP` has taken effect.
  public func waitUntilStopped() throws {
    try RunningProcess(processIdentifier).waitUntilStopped()
  }

  /// Tells the daemon to end, and returns its exit status; 128 and more for a signal.
  public func end(by signal: CInt = SIGTERM) throws -> CInt {
    self.signal(signal)
    return try waitForEnd()
  }

  /// Waits until the daemon has ended, and returns its exit status; 128 and more for a signal.
  public func waitForEnd() throws -> CInt {
    while let line = lines.next() { said.append(line) }
    process.waitUntilExit()
    return process.terminationReason == .exit
      ? process.terminationStatus : 128 + process.terminationStatus
  }

  /// Waits until the daemon has ended, or ends it if it does not; for tests in which it may hang.
  ///
  /// - Returns: Its exit status; 128 and more for a signal; `nil` if it had to be ended.
  public func waitForEndOrKill() throws -> CInt? {
    while let line = lines.next() { said.append(line) }
    let end = monotonicNow() + patience
    while process.isRunning, monotonicNow() < end { sleep(until: monotonicNow() + 2000) }
    let hangs = process.isRunning
    if hangs { kill(process.processIdentifier, SIGKILL) }
    let status = try waitForEnd()
    return hangs ? nil : status
  }

  /// All that has been said so far.
  public var log: String { said.joined(separator: "\n") }

  /// What has been recorded so far.
  public func recorded() throws -> [RecordingParser.Entry] {
    try reading().entries
  }

  private func reading() throws -> (entries: [RecordingParser.Entry], habits: LearnedHabits) {
    var parser = RecordingParser()
    let entries = try String(contentsOfFile: recording, encoding: .utf8).split(separator: "\n")
      .compactMap { try parser.read(line: Array($0.utf8)[...]) }
    return (entries, parser.habits)
  }

  /// What the daemon knew of the device when its first event came, as the recording says.
  public func recordedHabits() throws -> LearnedHabits {
    try reading().habits
  }

  /// How many descriptors the daemon has open.
  public func countDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processIdentifier)/fd").count
  }

  /// What the daemon has open, as the kernel names it.
  public func openFiles() throws -> [String] {
    let folder = "/proc/\(processIdentifier)/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }.sorted()
  }

  /// Waits until the daemon has no more than these descriptors open. It may have fewer: those were perhaps counted at a moment in
  /// which it had one open that it closes again.
  public func waitForDescriptors(_ count: Int) throws {
    try wait(for: "no more than \(count) open descriptors, but there are \(openFiles())") {
      try countDescriptors() <= count
    }
  }

  /// Waits until the daemon has slept for this many microseconds without waking once.
  public func waitForIdleness(lasting length: Int64) throws {
    try wait(for: "a daemon that sleeps while there is nothing to do") {
      try RunningProcess(processIdentifier).isAsleep(for: length)
    }
  }
}

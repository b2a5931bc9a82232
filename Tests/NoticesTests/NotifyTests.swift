import Foundation
import Glibc
import Status
import TestMachine
import Testing

/// With a real program that shows notices, on a screen that nobody sees.
@Suite("keydebounce notify", .enabled(if: DesktopSession.isPossible), .serialized)
struct NotifyTests {
  /// The program, which is built beside the tests.
  private static let program = URL(filePath: CommandLine.arguments[0])
    .deletingLastPathComponent().appending(path: "keydebounce").path

  /// How many notices are on the screen.
  private func count(_ session: DesktopSession) throws -> Int {
    Int(try session.call("dunstctl", "count", "displayed").filter(\.isNumber)) ?? 0
  }

  /// Whether somebody listens to the signal already.
  private func isListening(_ session: DesktopSession) throws -> Bool {
    try session.call(
      "busctl", "--address=\(session.systemBus)", "--json=short", "list", "--unique"
    ).contains("\"keydebounce\"")
  }

  /// A terminal that writes down what it is to run, and the file in which it does.
  private func terminal(in folder: String) throws -> (path: String, calls: String) {
    let (path, calls) = ("\(folder)/terminal", "\(folder)/calls")
    try "#!/bin/sh\nprintf '%s\\n' \"$@\" >\(calls).new && mv \(calls).new \(calls)\n"
      .write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return (path, calls)
  }

  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "notify-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  @Test("shows one notice, whose action opens a terminal with the status")
  func notice() throws {
    try withFolder { folder in
      let session = try DesktopSession()
      let (terminal, calls) = try terminal(in: folder)
      _ = try session.start("/usr/bin/dunst")
      let daemon = try SignalSender(on: session.systemBus)
      _ = try session.start(Self.program, ["notify"], ["TERMINAL": terminal])
      try daemon.wait(for: "somebody who listens") { try isListening(session) }
      // The bus may have its match a moment later.
      try daemon.wait(for: "a notice") {
        daemon.keyWorn("/dev/input/event3", .dropsOut)
        return try count(session) > 0
      }
      daemon.keyWorn("/dev/input/event5", .chatters)
      try daemon.wait(for: "the terminal") {
        _ = try session.call("dunstctl", "action", "0")
        return access(calls, R_OK) == 0
      }
      let call = try String(contentsOfFile: calls, encoding: .utf8)
      #expect(call.contains("-e\n/bin/sh\n-c\n") && call.contains("status"))
      #expect(call.hasSuffix("\(resolved(Self.program))\n"))

      // The daemon starts anew: whoever has the name then is heard.
      let closed = try session.call("dunstctl", "close-all")
      #expect(closed.isEmpty)
      let history = try session.call("dunstctl", "history")
      #expect(history.contains("/dev/input/event3: a switch has become bad"))
      #expect(history.contains("it loses contact while it is held"))
      withExtendedLifetime(session) {}
    }
  }

  @Test(
    "goes on when the daemon, or who shows notices, starts anew, and reports once that nobody does")
  func restarts() throws {
    let session = try DesktopSession()
    let errors = Pipe()
    var daemon: SignalSender? = try SignalSender(on: session.systemBus)
    let notify = try session.start(Self.program, ["notify"], errors: errors)
    try errors.fileHandleForWriting.close()
    let lines = LineReader(errors.fileHandleForReading.fileDescriptor)
    try daemon?.wait(for: "somebody who listens") { try isListening(session) }
    // Nobody shows notices, and the first signals may come before the match.
    var line: String?
    try daemon?.wait(for: "a line of the log") {
      daemon?.keyWorn("/dev/input/event3", .chatters)
      line = lines.next(limit: 100_000)
      return line != nil
    }
    #expect(line?.contains("nobody shows notices on this desktop") == true)
    daemon?.keyWorn("/dev/input/event3", .chatters)

    // Somebody appears, and shows what waited.
    let first = try session.start("/usr/bin/dunst")
    try daemon?.wait(for: "a notice") { try count(session) == 1 }
    try daemon?.wait(for: "half a second without waking") { try sleeps(notify) }
    // Once for all that waited. What comes while nobody shows notices again is reported again.
    #expect(lines.next(limit: 0) == nil)
    session.end(first)
    daemon = nil
    let second = try session.start("/usr/bin/dunst")
    daemon = try SignalSender(on: session.systemBus)
    try daemon?.wait(for: "dunst") {
      try session.call("dunstctl", "is-paused").contains("false")
    }
    try daemon?.wait(for: "a notice after both have started anew") {
      daemon?.keyWorn("/dev/input/event3", .overlap)
      return try count(session) == 1
    }
    #expect(notify.isRunning && second.isRunning)
    // It sleeps as soon as nothing is sent any more; a notice that is put away wakes it.
    try daemon?.wait(for: "half a second without waking") { try sleeps(notify) }
    withExtendedLifetime(session) {}
  }

  @Test("ends with 1 and says what is missing where there is no session")
  func noSession() throws {
    let session = try DesktopSession()
    let errors = Pipe()
    let notify = try session.start(
      Self.program, ["notify"], ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"], errors: errors)
    notify.waitUntilExit()
    #expect(notify.terminationStatus == 1)
    try errors.fileHandleForWriting.close()
    let text = String(
      decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(text.contains("cannot reach the session bus") && text.contains("systemctl --user"))
  }

  /// Whether a process has slept for half a second.
  private func sleeps(_ process: Process) throws -> Bool {
    let before = try voluntarySwitches(of: process)
    sleep(until: now() + 500_000)
    return try voluntarySwitches(of: process) == before
  }

  private func resolved(_ path: String) -> String {
    guard let target = realpath(path, nil) else { return path }
    defer { free(target) }
    return String(cString: target)
  }

  private func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  private func voluntarySwitches(of process: Process) throws -> Substring {
    let status = try String(
      contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    return status.split(separator: "\n").first { $0.hasPrefix("voluntary") } ?? ""
  }
}

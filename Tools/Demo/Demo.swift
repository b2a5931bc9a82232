import Debounce
import EventDevices
import Foundation
import Glibc
import Recording
import TestMachine

/// Shows on a real kernel what keydebounce does: a worn keyboard types a sentence, of which `monitor` shows each press and
/// release, and which an application reads.
///
/// Runs in the tests' virtual machine: `make demo`.
@main
struct Demo {
  static func main() throws {
    let hypervisor = try Hypervisor()
    try BuiltInKeyboard.detach()
    // A machine that is busy with other things may stretch a bounce beyond what anyone would call one. Then the
    // daemon is right to pass it on, and the demonstration shows nothing.
    for _ in 0..<3 {
      if try show(on: hypervisor) == Sentence.text { return }
      print("  This machine was busy, and some bounces came out as slow as fingers. Again:")
    }
    print("  The machine is too busy to show anything. Try again later.")
    exit(1)
  }

  /// Has the sentence typed on a keyboard that is plugged in for it.
  ///
  /// - Returns: What an application has read.
  private static func show(on hypervisor: Hypervisor) throws -> String {
    let daemon = try DaemonProcess()
    try daemon.waitForLine(containing: "waiting for one to be plugged in")
    try hypervisor.plugKeyboard("worn")
    let application = try EventReader(path: daemon.waitForClone())
    let terminal = try PseudoTerminal()
    let monitor = try startMonitor(on: terminal)

    // Typing waits for the keyboard, and has a thread of its own.
    nonisolated(unsafe) let keyboard = hypervisor  // used by no one else meanwhile
    let typing = Thread {
      do { try Sentence.type(on: keyboard) } catch { print("\(error)") }
    }
    typing.start()
    // The sentence is over when it has been typed and nothing has come since for half a second.
    var received = ""
    var last = monotonicNow()
    while !typing.isFinished || monotonicNow() < last + 500_000 {
      let frame = application.next(limit: 20_000)
      if let frame { received += Sentence.letters(of: [frame]) }
      if frame != nil || !typing.isFinished { last = monotonicNow() }
      copyWhatIsShown(on: terminal)
    }
    monitor.interrupt()
    monitor.waitUntilExit()
    copyWhatIsShown(on: terminal)

    daemon.signal(SIGTERM)
    let counts = try daemon.waitForLine(containing: "presses passed on")
    guard try daemon.waitForEnd() == 0 else {
      throw WaitedInVain(description: "the daemon failed: \(daemon.log)")
    }
    let sent = try daemon.recorded().compactMap { entry -> Frame? in
      if case .raw(let frame) = entry { frame } else { nil }
    }
    let summary = counts.split(separator: "): ", maxSplits: 1).last ?? ""
    print()
    print("  the keyboard sent        \(coloured(Sentence.letters(of: sent), 31))")
    print("  applications received    \(coloured(received, 32))")
    print()
    // On two lines, for terminals of 80 columns.
    print("  " + summary.split(separator: " (").joined(separator: "\n  ("))
    print()
    try hypervisor.unplug("worn")
    try hypervisor.waitForRemoval(of: "worn")
    return received
  }

  /// Starts `monitor`, and waits until it watches the keyboard.
  private static func startMonitor(on terminal: PseudoTerminal) throws -> Process {
    terminal.resize(columns: 80, rows: 24)
    let side = FileHandle(fileDescriptor: terminal.program, closeOnDealloc: false)
    let monitor = Process()
    monitor.executableURL = URL(fileURLWithPath: DaemonProcess.program)
    monitor.arguments = ["monitor", "USB Keyboard"]
    monitor.environment = ProcessInfo.processInfo.environment.merging(
      ["TERM": "xterm", "NO_COLOR": isColoured ? "" : "yes"]) { $1 }
    monitor.standardInput = side
    monitor.standardOutput = side
    monitor.standardError = FileHandle.nullDevice
    try monitor.run()
    guard waitUntilReadable(terminal.person) else {
      throw WaitedInVain(description: "monitor does not watch the keyboard")
    }
    return monitor
  }

  /// Writes what has been shown on a terminal since the last time.
  private static func copyWhatIsShown(on terminal: PseudoTerminal) {
    fflush(nil)
    var bytes = [UInt8](repeating: 0, count: 4096)
    while waitUntilReadable(terminal.person, limit: 0) {
      let count = read(terminal.person, &bytes, bytes.count)
      guard count > 0 else { return }
      FileHandle.standardOutput.write(Data(bytes[..<count].filter { $0 != UInt8(ascii: "\r") }))
    }
  }

  // Here, output is never a terminal; whoever shows it says whether it ends on one.
  private static let isColoured = ProcessInfo.processInfo.environment["DEMO_COLOUR"] == "yes"

  private static func coloured(_ text: String, _ code: Int) -> String {
    isColoured ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
  }
}

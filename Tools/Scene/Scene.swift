import CEvdev
import Debounce
import EventDevices
import Foundation
import Glibc
import TestMachine
import TypingModel

/// Plays a scene for the pictures in the documentation: a worn keyboard is typed on, and a terminal shows what the
/// commands say of it.
///
/// Runs in the tests' virtual machine: `make pictures`.
@main
struct Scene {
  static func main() throws {
    try BuiltInKeyboard.detach()
    let keyboard = try UinputDevice(name: "Worn keyboard")
    try configure()
    let daemon = try DaemonProcess(call: ["run", "--state", "/tmp"])
    try daemon.waitForLine(containing: "“Worn keyboard”")

    // Which of its keys are worn is decided by the seed.
    var wear = Wear()
    wear.faultyKeys = 0.2
    wear.rate = 0.25
    let session = Session(presses: 700, wear: wear, seed: 7)
    play(session.edges, on: keyboard)
    try show("status", rows: 50) {}
    try show("monitor Worn", rows: 20) {
      play(mostFaulty(18, of: session.edges), on: keyboard)
    }
    try showTop(session.edges, on: keyboard)
  }

  /// Shows the screen of `top` while a key is down that was just typed on.
  private static func showTop(_ edges: [RawEdge], on keyboard: UinputDevice) throws {
    let (terminal, process) = try start("top", rows: 24)
    let typed = mostFaulty(60, of: edges)
    // The first screen, and then the counts of what is typed.
    var text = shown(on: terminal, until: 2_000_000)
    play(typed, on: keyboard)
    text += shown(on: terminal, until: 2_000_000)
    let key = typed.last { $0.fault != nil }?.key ?? 30
    keyboard.send(key, down: true)
    text += shown(on: terminal, until: 2_000_000)
    print("scene: sudo keydebounce top")
    print(text)
    keyboard.send(key, down: false)
    terminal.type("q")
    process.waitUntilExit()
  }

  private static func configure() throws {
    try FileManager.default.createDirectory(
      atPath: "/etc/keydebounce/devices.d", withIntermediateDirectories: true)
    try """
    [device]
    name = "Worn keyboard"
    virtual = true

    """.write(
      toFile: "/etc/keydebounce/devices.d/10-desk.toml", atomically: true, encoding: .utf8)
  }

  /// So many edges in a row among which most are chatter, and before which no key is down.
  private static func mostFaulty(_ count: Int, of edges: [RawEdge]) -> [RawEdge] {
    var best = (faults: -1, start: 0)
    var down = 0
    for start in edges.indices.dropLast(count) {
      if down == 0 {
        let faults = edges[start..<start + count].count { $0.fault != nil }
        if faults > best.faults { best = (faults, start) }
      }
      down += edges[start].down ? 1 : -1
    }
    return Array(edges[best.start..<best.start + count])
  }

  private static func play(_ edges: [RawEdge], on keyboard: UinputDevice) {
    let start = monotonicNow() + 500_000 - (edges.first?.time ?? 0)
    for edge in edges {
      sleep(until: start + edge.time)
      keyboard.send(edge.key, down: edge.down)
    }
    sleep(until: monotonicNow() + 500_000)
  }

  /// Runs a command on a terminal, and writes all that it shows after a line that says which command it was.
  ///
  /// - Parameter act: What happens while it runs.
  private static func show(
    _ command: String, rows: UInt16, while act: () throws -> Void
  ) throws {
    let (terminal, process) = try start(command, rows: rows)
    let isEndless = command.hasPrefix("monitor")
    if isEndless { _ = waitUntilReadable(terminal.person) }
    try act()
    if isEndless { process.interrupt() }
    process.waitUntilExit()

    print("scene: sudo keydebounce \(command)")
    print(shown(on: terminal).replacing("\r\n", with: "\n"), terminator: "")
  }

  private static func start(
    _ command: String, rows: UInt16
  ) throws -> (PseudoTerminal, Process) {
    let terminal = try PseudoTerminal()
    terminal.resize(columns: 80, rows: rows)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: DaemonProcess.program)
    process.arguments = command.split(separator: " ").map(String.init)
    process.environment = ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8"]
    let side = FileHandle(fileDescriptor: terminal.program, closeOnDealloc: false)
    process.standardInput = side
    process.standardOutput = side
    process.standardError = side
    try process.run()
    return (terminal, process)
  }

  /// What a terminal has been sent.
  ///
  /// - Parameter length: For how long to go on looking, in microseconds; `nil` until nothing comes any more.
  private static func shown(on terminal: PseudoTerminal, until length: Int64? = nil) -> String {
    let end = length.map { monotonicNow() + $0 }
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while waitUntilReadable(terminal.person, limit: end.map { $0 - monotonicNow() } ?? 200_000) {
      let count = read(terminal.person, &bytes, bytes.count)
      guard count > 0 else { break }
      all += bytes[..<count]
    }
    return String(decoding: all, as: UTF8.self)
  }
}

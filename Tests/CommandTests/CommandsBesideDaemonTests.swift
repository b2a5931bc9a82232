import Control
import Debounce
import EventDevices
import Foundation
import Glibc
import Recording
import Samples
import Status
import Synchronization
import TestMachine
import Testing

@testable import keydebounce

/// Commands beside a daemon that a test plays. The real one is in the virtual machine.
@Suite("Commands and a daemon")
struct CommandsBesideDaemonTests {
  private static let device = "/dev/input/event3"

  /// A daemon that holds a device, and does with its watchers what it is told.
  private func daemon(
    at place: FakeDaemon.Place? = nil,
    watched: @escaping @Sendable (FakeDaemon.Connection) -> Void = { _ in }
  ) throws -> FakeDaemon {
    try FakeDaemon(at: place) { call, connection in
      switch ControlMethod.allCases.first(where: { $0.fullName == call.method }) {
      case .devices: connection.answer(device: Self.device)
      case .status:
        connection.answer(ControlParameters(status: StatusSamples.wornKeyboard))
      case .history: connection.answer(ControlParameters(days: "keydebounce days 1\n"))
      case .reload: connection.answer(ControlParameters(problems: []))
      case .watch:
        connection.answer()
        connection.send(WatchedStream.head())
        watched(connection)
      default: connection.answer()
      }
    }
  }

  private func run(_ daemon: FakeDaemon, _ arguments: String...) throws -> Command {
    try Command(arguments: arguments, environment: daemon.environment)
  }

  @Test("status shows what the daemon answers, as text and as JSON")
  func status() throws {
    let daemon = try daemon()
    let text = try run(daemon, "status")
    #expect(text.status == 0 && text.output.contains("Keychron K2"), "\(text.errors)")
    // No colours where there is no terminal.
    #expect(!text.output.contains("\u{1b}"))
    let json = try run(daemon, "status", "--json")
    #expect(
      try StatusJSON.decode(DaemonStatus.self, from: Array(json.output.utf8))
        == StatusSamples.wornKeyboard)
    let history = try run(daemon, "status", "--history")
    #expect(history.status == 0, "\(history.errors)")
  }

  @Test(
    "where no daemon runs, each says so, and who says why",
    arguments: [["status"], ["reload"], ["pause"], ["resume"], ["status", "--reset", "event3"]])
  func noDaemon(arguments: [String]) throws {
    let place = try FakeDaemon.Place()
    let run = try Command(
      arguments: arguments, environment: ["KEYDEBOUNCE_SOCKET": place.socket])
    #expect(run.status == 1)
    #expect(run.output == "")
    #expect(
      run.errors.hasPrefix("keydebounce: error: the daemon is not running. “systemctl status"),
      "\(run.errors)")
  }

  @Test("who may not ask is told to use sudo, in a sentence of the command's own")
  func refused() throws {
    let daemon = try FakeDaemon { _, connection in connection.refuse(.notAllowed, "no") }
    for command in [["status"], ["status", "--history"]] {
      let run = try Command(arguments: command, environment: daemon.environment)
      #expect(run.status == 77)
      #expect(
        run.errors
          == "keydebounce: error: only root may ask the daemon for counts of keys: that would tell what is typed. Try sudo\n"
      )
    }
  }

  @Test("pause names the device and the time, and nothing is asked for that members may not know")
  func pause() throws {
    let calls = Mutex<[ControlCall]>([])
    let daemon = try FakeDaemon { call, connection in
      calls.withLock { $0.append(call) }
      if call.method == ControlMethod.devices.fullName {
        connection.answer(ControlParameters(devices: []))
      } else {
        connection.answer()
      }
    }
    #expect(try run(daemon, "pause", "--for", "90s", Self.device).status == 0)
    #expect(try run(daemon, "resume").status == 0)
    let methods = ControlMethod.allCases.filter(\.isForGroup).map(\.fullName)
    let all = calls.withLock { $0 }
    #expect(all.allSatisfy { methods.contains($0.method) })
    #expect(
      all.contains(
        ControlCall(
          ControlMethod.pause.fullName, ["device": .text(Self.device), "seconds": .number(90)])))
    #expect(all.last == ControlCall(ControlMethod.resume.fullName))
  }

  @Test("reload shows what is wrong, and no control character of it")
  func reload() throws {
    let daemon = try FakeDaemon { _, connection in
      let problem = "a.toml:1:2: found “\u{1b}[2J”"
      connection.answer(ControlParameters(problems: Array(repeating: problem, count: 1300)))
    }
    let run = try run(daemon, "reload")
    #expect(run.status == 78)
    #expect(run.errors.contains("error: a.toml:1:2") && !run.errors.contains("\u{1b}"))
    #expect(run.errors.ranges(of: "a.toml").count == 200)
    #expect(run.errors.contains("and 1,100 errors more"))
  }

  /// Has a device recorded, which the daemon shows.
  private func recorded(
    from daemon: FakeDaemon
  ) throws -> (run: Command, frames: [Frame], habits: LearnedHabits) {
    let folder = try Folder()
    let path = folder.path + "/recording"
    let run = try run(daemon, "record", Self.device, "-o", path)
    #expect(run.status == 0)
    var input = try InputFile(path).recording()
    var frames: [Frame] = []
    while let entry = try input.next() {
      if case .raw(let frame) = entry { frames.append(frame) }
    }
    return (run, frames, input.habits)
  }

  @Test("record writes every raw frame of a held device, and what the daemon had learned of it")
  func record() throws {
    let daemon = try daemon { connection in
      connection.send(WatchedStream.raw + WatchedStream.removed + WatchedStream.closing)
      connection.end()
    }
    let (run, frames, habits) = try recorded(from: daemon)
    #expect(run.errors.contains("the daemon holds the device, and debounces it meanwhile"))
    #expect(run.errors.contains("unplugged, or the daemon has given it back; presses recorded: 2"))
    #expect(!run.errors.contains("lost"))
    #expect(frames.map(\.events) == WatchedStream.frames.map(\.events))
    #expect(
      frames.map { $0.time - frames[0].time }
        == WatchedStream.frames.map { $0.time - WatchedStream.start })
    #expect(habits == WatchedStream.habits)
  }

  @Test("record says that events were lost, that the daemon has ended, and keeps what there was")
  func killed() throws {
    let daemon = try daemon { connection in
      connection.send(WatchedStream.raw + WatchedStream.loss(40) + Array("E: 5.6".utf8))
      connection.end()
    }
    let (run, frames, _) = try recorded(from: daemon)
    #expect(run.errors.contains("events were lost once"))
    #expect(run.errors.contains("the daemon has ended, and shows no more of the device"))
    #expect(frames.count == WatchedStream.frames.count + 1)
    #expect(frames.last?.saysEventsWereLost == true)
  }

  @Test("record says why the daemon does not show a device, and writes nothing")
  func unwatched() throws {
    // Who may not watch may still open a device that has no clone: here, it is not there.
    for (refusal, words) in [
      (ControlRefusal.notAllowed, "error: "), (.tooMany, "the daemon refused “Watch”: so many"),
    ] {
      let daemon = try FakeDaemon { call, connection in
        guard call.method == ControlMethod.devices.fullName else {
          return connection.refuse(refusal, "so many")
        }
        connection.answer(device: Self.device)
      }
      let folder = try Folder()
      let run = try run(daemon, "record", Self.device, "-o", folder.path + "/recording")
      #expect(run.status != 0 && run.errors.contains(words), "\(run.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
  }

  @Test("top lights up what is pressed, says that the daemon has ended, and goes on with the next")
  func top() throws {
    let place = try FakeDaemon.Place()
    var daemon: FakeDaemon? = try daemon(at: place) { connection in
      connection.send(WatchedStream.raw + WatchedStream.removed)
    }
    let session = try TopOnTerminal(at: place.socket, columns: 100, rows: 30)
    func wait(for words: String) throws {
      try session.top.waitForScreen(columns: 100, rows: 30, with: words) { $0.contains(words) }
    }
    try wait(for: "2 presses, 1 removed")
    daemon = nil
    try wait(for: "Trying again: the daemon")
    let next = try self.daemon(at: place) { connection in
      connection.send(WatchedStream.raw)
    }
    try wait(for: "2 presses, 0 removed")
    withExtendedLifetime(next) {}
    _ = daemon
  }

  @Test("top leaves what a command has said on the terminal until Enter, whatever its size becomes")
  func resizedBehindCommand() throws {
    // The command ends at once: there is no such device.
    var shown = StatusSamples.wornKeyboard
    shown.devices[0].node = "/dev/input/event987654"
    let daemon = try FakeDaemon(showing: shown)
    let session = try TopOnTerminal(at: daemon.path, columns: 100, rows: 30, isAsking: true)
    let (terminal, top) = (session.terminal, session.top)
    func countScreens() -> Int {
      top.shownSoFar().components(separatedBy: "\u{1b}[?1049h").count - 1
    }
    try top.waitForQuestion(endingIn: TopOnTerminal.last)
    terminal.type("l")
    try top.waitForQuestion(endingIn: "Enter goes back to the screen")
    for columns: UInt16 in [90, 95] {
      terminal.resize(columns: columns, rows: 30)
      top.signal(SIGWINCH)
      try top.waitUntilAsleep(for: 300_000)
      #expect(countScreens() == 1)
    }
    terminal.type("\r")
    try top.waitForQuestion(endingIn: TopOnTerminal.last)
    #expect(countScreens() == 2)
    terminal.type("l")
    try top.waitForQuestion(endingIn: "Enter goes back to the screen")
    terminal.type("\u{03}")
    #expect(try top.waitForEnd() == 0)
    #expect(countScreens() == 2)
  }
}

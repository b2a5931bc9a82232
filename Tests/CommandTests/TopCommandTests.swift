import Control
import Foundation
import Glibc
import Samples
import Status
import Synchronization
import TestMachine
import Testing

/// `top` on a terminal, beside a daemon.
final class TopOnTerminal {
  /// What is drawn last, without colours.
  static let last = "Tab and arrows select"

  let terminal: PseudoTerminal
  let before: TerminalSettings
  let top: WatchingProcess
  private let daemon: FakeDaemon?

  /// - Parameter socket: Where the daemon listens; without it, there is one that shows a sample.
  init(
    at socket: String? = nil, columns: UInt16 = 80, rows: UInt16 = 24, isAsking: Bool = false,
    environment: [String] = ["TERM=xterm", "NO_COLOR=1"]
  ) throws {
    daemon = try socket == nil ? FakeDaemon(showing: StatusSamples.wornKeyboard) : nil
    terminal = try PseudoTerminal()
    terminal.resize(columns: columns, rows: rows)
    before = terminal.settings
    top = try WatchingProcess(
      ["-u", "NO_COLOR"] + environment + [
        "LC_ALL=C.UTF-8", "KEYDEBOUNCE_SOCKET=\(socket ?? daemon?.path ?? "")",
        Command.program.path, "top",
      ], on: terminal, isAsking: isAsking, program: "/usr/bin/env")
  }
}

@Suite("top leaves the terminal as it was")
struct TopCommandTests {
  /// The sequences that begin a screen, and that end it.
  private static let begin = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l"
  private static let end = "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

  /// What is typed, or else a signal, and the exit code.
  private static let ways: [(String, CInt, CInt)] = [
    ("q", 0, 0), ("\u{03}", 0, 0), ("", SIGQUIT, 0), ("", SIGTERM, 0), ("", SIGHUP, 0),
    ("", SIGINT, 0),
    // A crash, a failed check, an abort.
    ("", SIGSEGV, 128 + SIGSEGV), ("", SIGILL, 128 + SIGILL), ("", SIGABRT, 128 + SIGABRT),
  ]

  @Test("on every way out", arguments: ways)
  func wayOut(typed: String, signal: CInt, status: CInt) throws {
    let session = try TopOnTerminal()
    try session.top.waitForQuestion(endingIn: TopOnTerminal.last)
    #expect(session.terminal.settings != session.before)
    if signal == 0 { session.terminal.type(typed) } else { session.top.signal(signal) }
    #expect(try session.top.waitForEnd() == status)
    #expect(session.terminal.settings == session.before)
    let shown = session.top.shownSoFar()
    #expect(shown.contains(Self.begin) && shown.hasSuffix(Self.end), "\(shown.suffix(60))")
  }

  @Test("while it is stopped by Ctrl-Z, and draws everything again when it goes on")
  func stop() throws {
    let session = try TopOnTerminal()
    try session.top.waitForQuestion(endingIn: TopOnTerminal.last)
    for times in 1...2 {
      session.terminal.type("\u{1a}")
      try session.top.waitUntilStopped()
      #expect(session.terminal.settings == session.before)
      #expect(session.top.shownSoFar().hasSuffix(Self.end))
      session.top.signal(SIGCONT)
      try session.top.waitForQuestion(endingIn: TopOnTerminal.last)
      #expect(session.terminal.settings != session.before)
      #expect(session.top.shownSoFar().components(separatedBy: Self.begin).count == times + 2)
    }
  }

  @Test("and heeds Ctrl-C while the daemon does not answer")
  func lateDaemon() throws {
    let isAsked = DispatchSemaphore(value: 0)
    let calls = Mutex(0)
    let daemon = try FakeDaemon { _, connection in
      let count = calls.withLock { count in
        count += 1
        return count
      }
      // The first call comes before the screen.
      guard count > 1 else {
        return connection.answer(ControlParameters(status: StatusSamples.wornKeyboard))
      }
      isAsked.signal()
    }
    let session = try TopOnTerminal(at: daemon.path)
    #expect(isAsked.wait(timeout: .now() + 60) == .success)
    let start = ContinuousClock.now
    session.terminal.type("\u{03}")
    #expect(try session.top.waitForEnd() == 0)
    // An answer may take 10 s.
    #expect(start.duration(to: .now) < .seconds(8))
  }

  @Test("and draws for another size when it gets one")
  func size() throws {
    let session = try TopOnTerminal(rows: 10)
    try session.top.waitForQuestion(endingIn: TopOnTerminal.last)
    session.terminal.resize(columns: 120, rows: 50)
    session.top.signal(SIGWINCH)
    try session.top.waitForQuestion(endingIn: TopOnTerminal.last)
    #expect(session.top.shownSoFar().contains("no chatter or unpressed"))
  }

  @Test("without colours where NO_COLOR is set", arguments: [["NO_COLOR=1"], []] as [[String]])
  func colours(environment: [String]) throws {
    let session = try TopOnTerminal(environment: ["TERM=xterm"] + environment)
    try session.top.waitForQuestion(
      endingIn: TopOnTerminal.last + (environment.isEmpty ? "\u{1b}[0m" : ""))
    #expect(session.top.shownSoFar().contains("\u{1b}[0;1m") == environment.isEmpty)
  }

  @Test("and refuses one that shows no screen, and what is none")
  func refusals() throws {
    let session = try TopOnTerminal(environment: ["TERM=dumb"])
    #expect(try session.top.waitForEnd() == 1)
    #expect(session.top.errors.contains("keydebounce status --plain"))
    #expect(session.terminal.settings == session.before)
    #expect(!session.top.shownSoFar().contains("\u{1b}"))
    let piped = try Command("top")
    #expect(piped.status == 1)
    #expect(piped.errors.contains("needs a terminal"))
  }
}

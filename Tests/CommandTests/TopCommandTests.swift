import Control
import Foundation
import Glibc
import Samples
import Status
import Synchronization
import TestMachine
import Testing

@Suite("top leaves the terminal as it was")
struct TopCommandTests {
  /// The sequences that begin a screen, and that end it.
  private static let begin = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l"
  private static let end = "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

  /// A terminal with `top` on it, which shows a sample.
  private final class Session {
    let terminal: PseudoTerminal
    let before: TerminalSettings
    let top: WatchingProcess
    private let folder: Folder

    init(
      columns: UInt16 = 80, rows: UInt16 = 24, environment: [String] = ["TERM=xterm", "NO_COLOR=1"]
    ) throws {
      let status = try StatusJSON.encode(StatusSamples.wornKeyboard)
      folder = try Folder(["status.json": String(decoding: status, as: UTF8.self)])
      terminal = try PseudoTerminal()
      terminal.resize(columns: columns, rows: rows)
      before = terminal.settings
      top = try WatchingProcess(
        ["-u", "NO_COLOR"] + environment + [
          "LC_ALL=C.UTF-8", Command.program.path, "top", "--from", folder.path + "/status.json",
        ],
        on: terminal, program: "/usr/bin/env")
    }

    /// Waits until this has been shown so often.
    func wait(for text: String, times: Int = 1) throws {
      try top.waitForQuestion(endingIn: text)
      for _ in 1..<times { try top.waitForQuestion(endingIn: text) }
    }

    /// What is drawn last, without colours.
    static let last = "Tab and arrows select"
  }

  /// A way out, and the exit code that it ends with.
  private static let ways:
    [(name: String, leave: @Sendable (PseudoTerminal, WatchingProcess) -> Void, status: CInt)] = [
      ("q", { terminal, _ in terminal.type("q") }, 0),
      ("Ctrl-C", { terminal, _ in terminal.type("\u{03}") }, 0),
      ("SIGQUIT", { $1.signal(SIGQUIT) }, 0),
      ("SIGTERM", { $1.signal(SIGTERM) }, 0),
      ("SIGHUP", { $1.signal(SIGHUP) }, 0),
      ("SIGINT", { $1.signal(SIGINT) }, 0),
      ("a crash", { $1.signal(SIGSEGV) }, 128 + SIGSEGV),
      ("a failed check", { $1.signal(SIGILL) }, 128 + SIGILL),
      ("an abort", { $1.signal(SIGABRT) }, 128 + SIGABRT),
    ]

  @Test("on every way out", arguments: ways.indices)
  func wayOut(index: Int) throws {
    let (name, leave, status) = Self.ways[index]
    let session = try Session()
    try session.wait(for: Session.last)
    #expect(session.terminal.settings != session.before)
    leave(session.terminal, session.top)
    #expect(try session.top.waitForEnd() == status, "\(name)")
    #expect(session.terminal.settings == session.before, "\(name)")
    let shown = session.top.shownSoFar()
    #expect(shown.contains(Self.begin) && shown.hasSuffix(Self.end), "\(name): \(shown.suffix(60))")
  }

  @Test("while it is stopped by Ctrl-Z, and draws everything again when it goes on")
  func stop() throws {
    let session = try Session()
    try session.wait(for: Session.last)
    for times in 1...2 {
      session.terminal.type("\u{1a}")
      try session.top.waitUntilStopped()
      #expect(session.terminal.settings == session.before)
      #expect(session.top.shownSoFar().hasSuffix(Self.end))
      session.top.signal(SIGCONT)
      try session.wait(for: Session.last)
      #expect(session.terminal.settings != session.before)
      #expect(session.top.shownSoFar().components(separatedBy: Self.begin).count == times + 2)
    }
    session.terminal.type("q")
    #expect(try session.top.waitForEnd() == 0)
    #expect(session.terminal.settings == session.before)
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
    let terminal = try PseudoTerminal()
    terminal.resize(columns: 80, rows: 24)
    let top = try WatchingProcess(
      ["KEYDEBOUNCE_SOCKET=" + daemon.path, "TERM=xterm", Command.program.path, "top"],
      on: terminal, program: "/usr/bin/env")
    #expect(isAsked.wait(timeout: .now() + 60) == .success)
    let start = ContinuousClock.now
    terminal.type("\u{03}")
    #expect(try top.waitForEnd() == 0)
    // An answer may take 10 s.
    #expect(start.duration(to: .now) < .seconds(8))
  }

  @Test("and draws for another size when it gets one")
  func size() throws {
    let session = try Session(columns: 60, rows: 10)
    try session.wait(for: Session.last)
    session.terminal.resize(columns: 120, rows: 50)
    session.top.signal(SIGWINCH)
    try session.wait(for: Session.last)
    #expect(session.top.shownSoFar().contains("no chatter or unpressed"))
    session.terminal.type("q")
    #expect(try session.top.waitForEnd() == 0)
  }

  @Test("without colours where NO_COLOR is set")
  func colours() throws {
    for (environment, hasColours) in [
      (["TERM=xterm", "NO_COLOR=1"], false), (["TERM=xterm"], true),
    ] {
      let session = try Session(environment: environment)
      try session.wait(for: Session.last + (hasColours ? "\u{1b}[0m" : ""))
      session.terminal.type("q")
      #expect(try session.top.waitForEnd() == 0)
      #expect(session.top.shownSoFar().contains("\u{1b}[0;1m") == hasColours)
    }
  }

  @Test("and refuses one that shows no screen, and what is none")
  func refusals() throws {
    let session = try Session(environment: ["TERM=dumb"])
    #expect(try session.top.waitForEnd() == 1)
    #expect(session.top.errors.contains("keydebounce status --plain"))
    #expect(session.terminal.settings == session.before)
    #expect(!session.top.shownSoFar().contains("\u{1b}"))
    let piped = try Command("top")
    #expect(piped.status == 1)
    #expect(piped.errors.contains("needs a terminal"))
  }
}

import Control
import Debounce
import EventDevices
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("top beside a running daemon")
  struct TopTests {
    /// Root's `top` on a terminal.
    private final class Screen {
      let terminal: PseudoTerminal
      let before: TerminalSettings
      let top: WatchingProcess

      init() throws {
        terminal = try PseudoTerminal()
        terminal.resize(columns: 80, rows: 24)
        before = terminal.settings
        top = try WatchingProcess(
          [
            "TERM=xterm", "NO_COLOR=1", "LC_ALL=C.UTF-8", DaemonProcess.program, "top",
          ], on: terminal, program: "/usr/bin/env")
      }

      /// Waits until the screen shows all of this, and returns it.
      @discardableResult
      func wait(for words: String...) throws -> String {
        try wait(until: { text in words.allSatisfy { text.contains($0) } }, "\(words)")
      }

      /// Waits until the screen is as wanted, and returns it.
      @discardableResult
      func wait(until isShown: (String) -> Bool, _ what: String) throws -> String {
        try top.waitForScreen(columns: 80, rows: 24, with: what, until: isShown)
      }

      /// The key's row in the table: its strokes and what was removed.
      func row(of key: Substring, in text: String) -> [Substring]? {
        text.split(separator: "\n")
          .map { line in Array(line.split(separator: " ").drop { $0 == ">" }.prefix(3)) }
          .first { $0.first == key }.map { Array($0.dropFirst()) }
      }
    }

    @Test("shows the device, lights keys up, counts what is removed, pauses, and sleeps in between")
    func whole() throws {
      let desk = try Desk(UinputDevice(name: "worn keyboard"))
      let screen = try Screen()
      try screen.wait(for: "worn keyboard", "  debounced  adaptive", "q quit")
      desk.keyboard.send(31, down: true)
      try screen.wait(for: "Since top began: 1 press, 0 removed")
      desk.keyboard.send(31, down: false)
      _ = try desk.application.moves(of: .bouncing(30), on: desk.keyboard)
      try screen.wait(for: " KEY_S  ", "+A+")
      desk.keyboard.send(31, down: true)
      try screen.wait(for: "{S}")
      desk.keyboard.send(31, down: false)
      try screen.wait(
        until: {
          $0.contains(" S │ D │") && $0.contains("1 removed")
            && screen.row(of: "KEY_A", in: $0) == ["1", "1"]
        }, "one removal of A")
      for _ in 0..<2 {
        _ = try desk.application.moves(of: .bouncing(30), on: desk.keyboard)
      }
      // The sum is live; the table has what the daemon answered when top last asked.
      try screen.wait(
        until: {
          $0.contains("*A*") && $0.contains("3 removed")
            && screen.row(of: "KEY_A", in: $0) == ["3", "3"]
        }, "three removals of A")
      // It asks once a second.
      try screen.top.waitUntilAsleep(for: 500_000)

      screen.terminal.type("p")
      try screen.wait(for: "  paused  adaptive", "everything passes, chatter too")
      var client = try DaemonClient()
      #expect(try client.status().devices.first?.pause != nil)
      // Somebody else resumes it.
      try client.resume()
      try screen.wait(for: "  debounced  adaptive")

      // The screen says that its figures are of a daemon that has ended.
      #expect(try desk.daemon.end() == 0)
      let last = try screen.wait(for: " has ended: this is what it last reported")
      #expect(!last.contains("running for"))

      screen.terminal.type("q")
      #expect(try screen.top.waitForEnd() == 0)
      #expect(screen.terminal.settings == screen.before)
      #expect(screen.top.shownSoFar().hasSuffix("\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"))
    }

    @Test("is root's alone, and says so before it touches the terminal")
    func others() throws {
      let (_, daemon, _) = try Desk().all
      let terminal = try PseudoTerminal()
      let before = terminal.settings
      let top = try WatchingProcess(
        ["TERM=xterm"] + Command.nobody + [DaemonProcess.program, "top"], on: terminal,
        program: "/usr/bin/env")
      #expect(try top.waitForEnd() == 77)
      #expect(top.errors.contains("only root may ask the daemon for counts of keys"))
      #expect(terminal.settings == before && !top.shownSoFar().contains("\u{1b}"))
      withExtendedLifetime(daemon) {}
    }
  }
}

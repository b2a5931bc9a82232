import Debounce
import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("keydebounce monitor")
  struct MonitorTests {
    @Test("shows raw beside clean while others read the device, and sums up in the end")
    func lines() throws {
      let keyboard = try UinputDevice(name: "watched keyboard")
      let console = try EventReader(path: keyboard.path)
      let monitor = try WatchingProcess(["monitor", keyboard.path])
      try monitor.waitForLine(containing: "PASSED ON")

      _ = try console.moves(of: .bouncing(18), on: keyboard)
      let lines = try monitor.waitForLine(containing: "KEY_F10", times: 2)
      let chattering = lines.filter { $0.contains("KEY_E") }
      // Press and release of the bounce, press and release of the stroke, and the release that waited.
      #expect(chattering.filter { $0.contains("press bounce") }.count == 1, "\(lines)")
      #expect(chattering.filter { $0.contains("waits") }.count == 2, "\(lines)")
      #expect(chattering.filter { $0.contains("release +") }.count == 1, "\(lines)")
      #expect(!lines.contains { $0.contains("\u{1b}") })

      #expect(try monitor.end(by: SIGINT) == 0)
      #expect(monitor.errors.contains("watching “watched keyboard” (\(keyboard.path))"))
      #expect(monitor.errors.contains("keys that you type there are shown"))
      #expect(monitor.errors.contains("removed: 1 press bounce"))
      #expect(monitor.errors.contains("KEY_E (1 of 2)"))
    }

    @Test("finds the device by a part of its name, and ends when it is unplugged")
    func unplugged() throws {
      var keyboard: UinputDevice? = try UinputDevice(name: "short-lived keyboard")
      let monitor = try WatchingProcess(["monitor", "Short-lived"])
      try monitor.waitForLine(containing: "PASSED ON")
      keyboard?.send(30, down: true)
      try monitor.waitForLine(containing: "KEY_A")
      keyboard = nil
      #expect(try monitor.waitForEnd() == 0)
      #expect(monitor.errors.contains("unplugged"))
    }

    @Test("ends quietly when nobody reads it any more")
    func brokenPipe() throws {
      let keyboard = try UinputDevice()
      let monitor = try WatchingProcess(["monitor", keyboard.path])
      try monitor.waitForLine(containing: "PASSED ON")
      monitor.closeOutput()
      keyboard.play(.stroke(30))
      #expect(try monitor.waitForEnd() == 0)
    }

    @Test(
      "shows nothing that is typed besides its lines, and leaves the terminal as it was",
      // How calibrate ends on the others is tested, too.
      arguments: isEndurance ? [SIGINT, SIGTERM, SIGHUP, SIGQUIT] : [SIGINT, SIGQUIT])
    func terminal(_ signal: CInt) throws {
      let keyboard = try UinputDevice()
      let terminal = try PseudoTerminal()
      let before = terminal.settings
      #expect(before.echoes)
      let monitor = try WatchingProcess(["monitor", keyboard.path], on: terminal)
      try monitor.waitForLine(containing: "PASSED ON")
      #expect(!terminal.settings.echoes)

      terminal.type("secret")
      keyboard.play(.stroke(30))
      let lines = try monitor.waitForLine(containing: "release")
      #expect(!lines.contains { $0.contains("secret") })
      #expect(try monitor.end(by: signal) == 0)
      #expect(terminal.settings == before)
      #expect(terminal.countTyped() == 0)
    }

    @Test("gives the terminal back while it is stopped, and shows nothing of what was typed then")
    func suspension() throws {
      let keyboard = try UinputDevice()
      let terminal = try PseudoTerminal()
      let monitor = try WatchingProcess(["monitor", keyboard.path], on: terminal)
      try monitor.waitForLine(containing: "PASSED ON")
      monitor.signal(SIGTSTP)
      try monitor.waitUntilStopped()
      #expect(terminal.settings.echoes)
      keyboard.play(.stroke(30))
      monitor.signal(SIGCONT)
      try terminal.waitForSilence()
      try keyboard.playMark()
      let lines = try monitor.waitForLine(containing: "KEY_F10", times: 2)
      #expect(!lines.contains { $0.contains("KEY_A") })
      #expect(try monitor.end() == 0)
    }

    @Test("shows what the daemon makes of a device that it holds, which goes on debouncing")
    func watching() throws {
      let desk = try Desk()
      let (keyboard, _, application) = desk.all
      let monitor = try WatchingProcess(["monitor", keyboard.path])
      try monitor.waitForLine(containing: "PASSED ON")
      keyboard.play(.bouncing(18))
      try keyboard.playMark()
      let lines = try monitor.waitForLine(containing: "KEY_F10", times: 2)
      #expect(lines.filter { $0.contains("press bounce") }.count == 1, "\(lines)")
      #expect(
        keyMoves(try application.framesUpToMark()) == .stroke(18))
      let listed = try Command.asNobody(["list", "--all", "--json"])
      #expect(listed.output.contains("\"is_debounced\" : true"))
      #expect(try monitor.end(by: SIGINT) == 0)
      #expect(monitor.errors.contains("the daemon holds the device, and debounces it meanwhile"))
      #expect(monitor.errors.contains("removed: 1 press bounce"))
      withExtendedLifetime(desk) {}
    }

    @Test("of a device that the daemon holds is root's alone, who reads what to do in one line")
    func watchingForbidden() throws {
      let desk = try Desk()
      for call in [
        ["monitor"], ["record", "-o", "/tmp/none"], ["calibrate", "--passive"], ["calibrate"],
      ] {
        let run = try Command.asNobody(call + [desk.keyboard.path])
        #expect(run.status == 77, "\(call): \(run.errors)")
        #expect(
          run.errors
            == "keydebounce: error: only root may watch what the daemon does: it shows what is typed. Try sudo\n",
          "\(call)")
      }
      withExtendedLifetime(desk) {}
    }

    @Test("of a device that may not be read names what is missing, and so does record")
    func forbidden() throws {
      let keyboard = try UinputDevice()
      for call in [["monitor"], ["record", "-o", "/tmp/none"]] {
        let run = try Command.asNobody(call + [keyboard.path])
        #expect(run.errors.contains("no permission to open \(keyboard.path)"), "\(run.errors)")
        #expect(run.status == 77)
      }
    }
  }
}

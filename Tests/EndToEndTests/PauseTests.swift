import Debounce
import EventDevices
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("Ctrl-Z does not freeze the keyboard")
  struct PauseTests {
    @Test("all is given back while the daemon is stopped, and debounced again when it goes on")
    func paused() throws {
      let keyboard = try UinputDevice()
      let console = try EventReader(path: keyboard.path)
      let daemon = try DaemonProcess(["--device", keyboard.path])
      let application = try EventReader(path: daemon.waitForClone())
      // As Ctrl is when somebody presses Ctrl-Z.
      keyboard.send(29, down: true)
      _ = try application.frames { $0.events.contains(.key(29, down: true)) }

      daemon.signal(SIGTSTP)
      let last = try application.frames { $0.events.contains(.key(29, down: false)) }
      #expect(keyMoves(last) == [.key(29, down: false)])
      try daemon.waitUntilStopped()
      _ = console.framesAtHand()
      keyboard.send(29, down: false)
      keyboard.play(.stroke(30))
      let heard = try console.frames { $0.events.contains(.key(30, down: false)) }
      #expect(keyMoves(heard) == .stroke(30))
      #expect(console.grab(), "the keyboard is still grabbed")
      console.grab(false)

      daemon.signal(SIGCONT)
      _ = try daemon.waitForClone()
      #expect(try application.moves(of: .stroke(31), on: keyboard) == .stroke(31))
      #expect(console.framesAtHand().isEmpty, "the keyboard is read past the daemon")
      #expect(try daemon.end() == 0)
    }

    @Test("keys of the panic chord that were held then are not still held for it afterwards")
    func chord() throws {
      let (backspace, escape, enter): (KeyCode, KeyCode, KeyCode) = (14, 1, 28)
      let (keyboard, daemon, application) = try Desk().all
      for key in [backspace, escape] { keyboard.send(key, down: true) }
      _ = try application.frames { $0.events.contains(.key(escape, down: true)) }
      daemon.signal(SIGTSTP)
      try daemon.waitUntilStopped()
      for key in [backspace, escape] { keyboard.send(key, down: false) }
      daemon.signal(SIGCONT)
      _ = try daemon.waitForClone()
      _ = application.framesAtHand()
      #expect(try application.moves(of: .stroke(enter), on: keyboard) == .stroke(enter))
    }

    @Test("told to end while it is stopped, it does when it goes on")
    func stoppedForGood() throws {
      let (keyboard, daemon, _) = try Desk().all
      daemon.signal(SIGTSTP)
      try daemon.waitUntilStopped()
      daemon.signal(SIGTERM)
      daemon.signal(SIGCONT)
      #expect(try daemon.waitForEnd() == 0)
      #expect(try EventReader(path: keyboard.path).grab())
    }
  }
}

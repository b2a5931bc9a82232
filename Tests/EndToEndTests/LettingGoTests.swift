import CEvdev
import Debounce
import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("The keyboard works whatever happens to the daemon")
  struct LettingGoTests {
    @Test("Enter held at the start is not grabbed away, and works afterwards")
    func heldAtStart() throws {
      let enter: KeyCode = 28
      let keyboard = try UinputDevice()
      let console = try EventReader(path: keyboard.path)
      keyboard.send(enter, down: true)

      let daemon = try DaemonProcess(["--device", keyboard.path])
      // Not debounced while the key is down: the daemon says so, and the console still hears the keyboard.
      try daemon.waitForLine(containing: "still waiting for 1 key(s) to come up")
      // Repeats, of which there are more by now than the kernel keeps.
      _ = console.framesAtHand()
      keyboard.send(enter, down: false)
      let heard = try console.frames { $0.events.contains(.key(enter, down: false)) }
      #expect(keyMoves(heard).last == .key(enter, down: false))

      let application = try EventReader(path: daemon.waitForClone())
      keyboard.play(.stroke(enter))
      try keyboard.playMark()
      let received = try application.framesUpToMark()
      // Exactly this: neither a repeat of the first Enter, nor a second one lost.
      #expect(keyMoves(received) == .stroke(enter))
      #expect(!received.contains { $0.events.contains { $0.value == 2 } })
      #expect(console.framesAtHand().isEmpty, "the keyboard is read past the daemon")
    }

    @Test("a key that is pressed while it lets go reaches applications")
    func pressedMeanwhile() throws {
      let keyboard = try UinputDevice()
      let daemon = try DaemonProcess(
        ["--device", keyboard.path],
        wrapper: DaemonProcess.withFaults(["STALL_AFTER_RELEASE=1000"]))
      let clone = try daemon.waitForClone()
      let (application, other) = (try BackgroundReader(path: clone), try EventReader(path: clone))
      let console = try EventReader(path: keyboard.path)
      keyboard.send(42, down: true)
      _ = try other.frames { $0.events.contains(.key(42, down: true)) }
      daemon.signal(SIGTERM)
      // When its release is written, the last that the keyboard has sent was read, and it is still grabbed.
      _ = try other.frames { $0.events.contains(.key(42, down: false)) }
      keyboard.send(30, down: true)
      keyboard.send(30, down: false)
      #expect(try daemon.waitForEnd() == 0)
      let passedBy = keyMoves(console.framesAtHand()).contains(.key(30, down: true))
      let strokes = application.waitForEnd().filter { $0.code == 30 }
      // Or not, if the machine stood still for longer than the daemon.
      #expect(strokes == (passedBy ? [] : [Event].stroke(30)))
    }

    @Test("told to stop, it waits a moment for a stroke to end, so that nobody sees half of it")
    func stoppedWithinStroke() throws {
      let (keyboard, daemon, application) = try Desk().all
      keyboard.send(30, down: true)
      _ = try application.frames { $0.events.contains(.key(30, down: true)) }
      daemon.signal(SIGTERM)
      try daemon.waitForLine(containing: "stopping")
      keyboard.send(30, down: false)
      #expect(try application.frames { _ in true }.map(\.events) == [[.key(30, down: false)]])
      #expect(try daemon.waitForEnd() == 0)
    }

    @Test("also while the keyboard floods it")
    func stoppedWhileFlooded() throws {
      let (keyboard, daemon, application) = try Desk().all
      keyboard.send(42, down: true)
      _ = try application.frames { $0.events.contains(.key(42, down: true)) }
      let flood = KeyFlood(of: keyboard)
      defer { flood.stop() }
      #expect(try daemon.end() == 0)
      #expect(try EventReader(path: keyboard.path).grab(), "the keyboard is still grabbed")
    }

    @Test("Backspace, Escape and Enter held together let go of everything")
    func panicChord() throws {
      let (backspace, escape, enter): (KeyCode, KeyCode, KeyCode) = (14, 1, 28)
      let keyboard = try UinputDevice()
      let other = try UinputDevice(name: "keydebounce other keyboard")
      let daemon = try DaemonProcess(["--device", keyboard.path, "--device", other.path])
      let lines = try (0..<2).map { _ in try daemon.waitForLine(containing: "debounced from now") }
      let line = try #require(lines.first { $0.contains("other keyboard") })
      let application = try EventReader(path: String(line.split(separator: " ").last ?? ""))

      // Two of the three, on one keyboard, and the third on another: nothing.
      keyboard.send(backspace, down: true)
      keyboard.send(escape, down: true)
      other.send(enter, down: true)
      other.send(enter, down: false)
      try other.playMark()
      #expect(
        keyMoves(try application.framesUpToMark()) == .stroke(enter))
      keyboard.send(enter, down: true)
      try daemon.waitForLine(containing: "the panic chord was held")
      #expect(try daemon.waitForEnd() == 75)
      for device in [keyboard, other] {
        #expect(try EventReader(path: device.path).grab(), "\(device.path) is still grabbed")
      }
    }

    @Test("also when the chord's presses were lost before they were read")
    func panicChordAfterLostEvents() throws {
      let keyboard = try UinputDevice()
      // What repeats says again that it is down.
      keyboard.endRepeats()
      let daemon = try DaemonProcess(["--device", keyboard.path])
      _ = try daemon.waitForClone()
      daemon.signal(SIGSTOP)
      try daemon.waitUntilStopped()
      for key: KeyCode in [14, 1, 28] { keyboard.send(key, down: true) }
      for _ in 0..<200 {
        keyboard.send(31, down: true)
        keyboard.send(31, down: false)
      }
      daemon.signal(SIGCONT)
      try daemon.waitForLine(containing: "events were lost")
      try daemon.waitForLine(containing: "the panic chord was held")
      #expect(try daemon.waitForEnd() == 75)
    }

    @Test("a PS/2 keyboard repeats by itself: to the kernel, a key that is held stays down")
    func heldOnBuiltInKeyboard() throws {
      var laptop = Blueprint.keyboard(name: "keydebounce test laptop")
      laptop.bus = UInt16(BUS_I8042)
      laptop.repeats = false
      let (keyboard, daemon, application) = try Desk(UinputDevice(laptop)).all
      keyboard.send(30, down: true)
      _ = try application.frames { $0.events.contains(.key(30, down: true)) }
      daemon.signal(SIGTERM)
      _ = try application.frames { $0.events.contains(.key(30, down: false)) }
      #expect(try daemon.waitForEnd() == 0)
      // Such a driver makes a press of a repeat if the kernel takes the key for released.
      #expect(try DeviceState(path: keyboard.path).keys == [30])
      let console = try EventReader(path: keyboard.path)
      keyboard.send(30, down: false)
      #expect(console.next()?.events == [.key(30, down: false)])
    }
  }
}

import Debounce
import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("The grab")
  struct GrabTests {
    @Test(
      "is taken with a key down if the configuration says so: whoever saw the press sees the release"
    )
    func forced() throws {
      let keyboard = try UinputDevice()
      keyboard.endRepeats()
      let console = try EventReader(path: keyboard.path)
      let folder = try ConfigurationFolder()
      try folder.write(defaults: "[defaults]\ngrab-after = 1\n")
      keyboard.send(30, down: true)
      let press = try console.frames { $0.events.contains(.key(30, down: true)) }
      #expect(keyMoves(press) == [.key(30, down: true)])
      let daemon = try DaemonProcess(["--device", keyboard.path, "--config", folder.path])
      try daemon.waitForLine(containing: "1 key(s) are still down; grabbing it now")
      let application = try EventReader(path: daemon.waitForClone())
      #expect(keyMoves(console.framesAtHand()) == [.key(30, down: false)])
      // The key that was jammed comes up, unheard, and works again.
      keyboard.send(30, down: false)
      keyboard.play(.stroke(30))
      try keyboard.playMark()
      #expect(
        keyMoves(try application.framesUpToMark()) == [.key(30, down: true), .key(30, down: false)])
      #expect(console.framesAtHand().isEmpty, "the keyboard is read past the daemon")
    }

    @Test("of one device waits while others are taken")
    func eachForItself() throws {
      let jammed = try UinputDevice(name: "keydebounce jammed keyboard")
      jammed.endRepeats()
      jammed.send(30, down: true)
      let keyboard = try UinputDevice()
      let daemon = try DaemonProcess(["--device", jammed.path, "--device", keyboard.path])
      let application = try EventReader(path: daemon.waitForClone())
      keyboard.play(.stroke(31))
      try keyboard.playMark()
      #expect(
        keyMoves(try application.framesUpToMark()) == [.key(31, down: true), .key(31, down: false)])
      try daemon.waitForLine(containing: "still waiting for 1 key(s)")
      // It waits without doing anything.
      try daemon.waitForIdleness(lasting: 1_000_000)
      jammed.send(30, down: false)
      _ = try daemon.waitForClone()
    }
  }
}

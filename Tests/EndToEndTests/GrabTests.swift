import CEvdev
import Debounce
import EventDevices
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
      let folder = try ConfigurationFolder(defaults: "[defaults]\ngrab-after = 1\n")
      #expect(try console.move(30, down: true, on: keyboard) == [.key(30, down: true)])
      let daemon = try DaemonProcess(["--device", keyboard.path, "--config", folder.path])
      try daemon.waitForLine(containing: "1 key(s) are still down; grabbing it now")
      let application = try EventReader(path: daemon.waitForClone())
      #expect(keyMoves(console.framesAtHand()) == [.key(30, down: false)])
      // The key that was jammed comes up, unheard, and works again.
      keyboard.send(30, down: false)
      #expect(try application.moves(of: .stroke(30), on: keyboard) == .stroke(30))
      #expect(console.framesAtHand().isEmpty, "the keyboard is read past the daemon")
    }

    @Test("is not taken amid the bounces of a key that comes up: no stroke is made of them")
    func amidBounces() throws {
      // A round in which the machine stands still for longer than keys bounce does not count.
      for _ in 0..<10 {
        let keyboard = try UinputDevice(name: "keydebounce bouncing keyboard")
        keyboard.endRepeats()
        keyboard.send(30, down: true)
        let daemon = try DaemonProcess(["--device", keyboard.path])
        try daemon.waitForLine(containing: "still waiting for 1 key(s)")
        let clone = try Monitor().waitForNode {
          $0.isClone && $0.name == "keydebounce bouncing keyboard"
        }
        let application = try EventReader(path: clone.path)
        let start = monotonicNow()
        keyboard.send(30, down: false)
        sleep(until: start + 25_000)
        keyboard.send(30, down: true)
        let gap = monotonicNow() - start
        keyboard.send(30, down: false)
        _ = try daemon.waitForClone()
        let moves = try application.moves(of: .stroke(31), on: keyboard)
        guard gap < 45_000 else { continue }
        #expect(moves == .stroke(31))
        return
      }
      throw WaitedInVain(description: "a round in which the machine does not stand still")
    }

    @Test("finds switches as they are, and so does who reads the clone")
    func switches() throws {
      var blueprint = Blueprint.keyboard(name: "keydebounce test tablet")
      blueprint.codes[EV_SW] = [SW_TABLET_MODE, SW_DOCK]
      let tablet = try UinputDevice(blueprint)
      tablet.send([Event(type: UInt16(EV_SW), code: UInt16(SW_DOCK), value: 1)])
      let daemon = try DaemonProcess(["--device", tablet.path])
      let clone = try daemon.waitForClone()
      // Whatever was written to it at the grab is there before this stroke.
      let application = try EventReader(path: clone)
      tablet.play(.stroke(30))
      _ = try application.frames(upTo: .key(30, down: false))
      #expect(try DeviceState(path: clone).switches == [UInt16(SW_DOCK)])
    }

    @Test("is not taken from another program that has it, not even with a key down")
    func held() throws {
      let keyboard = try UinputDevice()
      keyboard.endRepeats()
      let remapper = try EventReader(path: keyboard.path)
      try #require(remapper.grab())
      let folder = try ConfigurationFolder(defaults: "[defaults]\ngrab-after = 0\n")
      keyboard.send(30, down: true)
      let daemon = try DaemonProcess(["--device", keyboard.path, "--config", folder.path])
      try daemon.waitForLine(containing: "another program has grabbed")
      #expect(try remapper.move(30, down: false, on: keyboard) == .stroke(30))
      // Exactly one release: the remapper's keys are none of the daemon's.
      keyboard.tap(31)
      let more = try remapper.frames(upTo: .key(31, down: false))
      #expect(keyMoves(more) == .stroke(31))
      remapper.grab(false)
      _ = try daemon.waitForClone()
    }

    @Test("is taken as soon as the program that has it closes it, not when the next try is due")
    func closedByOther() throws {
      // Both are tried at the same times. The program that has the first ungrabs it, of which the kernel reports
      // nothing. Now and then the next try is due just then: one of a few rounds is enough.
      for _ in 0..<4 {
        let (ungrabbed, closed) = (try UinputDevice(), try UinputDevice())
        let remapper = try EventReader(path: ungrabbed.path)
        var other: EventReader? = try EventReader(path: closed.path)
        try #require(remapper.grab() && other?.grab() == true)
        let daemon = try DaemonProcess(
          [ungrabbed, closed].flatMap { ["--device", $0.path] })
        for keyboard in [ungrabbed, closed] {
          try daemon.waitUntilSaid("another program has grabbed \(keyboard.path)")
        }
        // The pauses between tries are longer then.
        sleep(until: monotonicNow() + 3_000_000)
        remapper.grab(false)
        other = nil
        _ = try daemon.waitForClone(of: closed.path)
        // Only one that is not grabbed can be.
        if remapper.grab() { return }
      }
      Issue.record("what was closed was never taken before what was ungrabbed at the same time")
    }

    @Test("of one device waits while others are taken")
    func eachForItself() throws {
      let jammed = try UinputDevice(name: "keydebounce jammed keyboard")
      jammed.endRepeats()
      jammed.send(30, down: true)
      let keyboard = try UinputDevice()
      let daemon = try DaemonProcess(["--device", jammed.path, "--device", keyboard.path])
      let application = try EventReader(path: daemon.waitForClone())
      #expect(try application.moves(of: .stroke(31), on: keyboard) == .stroke(31))
      try daemon.waitForLine(containing: "still waiting for 1 key(s)")
      // It waits without doing anything.
      try daemon.waitForIdleness(lasting: 1_000_000)
      jammed.send(30, down: false)
      _ = try daemon.waitForClone()
    }
  }
}

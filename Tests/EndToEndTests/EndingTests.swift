import CEvdev
import Debounce
import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("However the daemon ends, whoever reads is told, and the keyboard works at once")
  struct EndingTests {
    private static let (shift, letter): (KeyCode, KeyCode) = (42, 30)

    /// How the daemon is told to end.
    enum Order: String, CaseIterable {
      case terminate, interrupt, panicChord
    }

    @Test(
      "told to: readers that poll and readers that block see every key go up",
      arguments: Order.allCases)
    func told(by order: Order) throws {
      let desk = try Desk()
      let (keyboard, daemon, application) = desk.all
      let readers = try BackgroundReader.Manner.allCases.map {
        try BackgroundReader(path: desk.clone, $0)
      }
      keyboard.send(Self.shift, down: true)
      try application.move(Self.letter, down: true, on: keyboard)

      var held: Set<KeyCode> = [Self.shift, Self.letter]
      switch order {
      case .terminate: daemon.signal(SIGTERM)
      case .interrupt: daemon.signal(SIGINT)
      case .panicChord:
        for key in usualChord { keyboard.send(key, down: true) }
        held.formUnion(usualChord)
      }
      #expect(try daemon.waitForEnd() == (order == .panicChord ? 75 : 0))
      for reader in readers {
        let moves = reader.waitForEnd()
        #expect(Set(moves.filter { $0.value == 0 }.map(\.code)) == held, "\(moves)")
        #expect(moves.count { $0.value == 0 } == held.count, "\(moves)")
        // A modifier last, or the letter would be another one for a moment.
        #expect(moves.last == .key(Self.shift, down: false), "\(moves)")
      }
      try expectWorking(keyboard, for: desk.console)
    }

    @Test("told to while a key is held: what udev reports of the keyboard then does not keep it")
    func toldBeforeChange() throws {
      let (keyboard, daemon, application) = try Desk().all
      try application.move(Self.letter, down: true, on: keyboard)
      // Both are there when it goes on: the signal is read first, or the device's change after it.
      let monitor = try Monitor()
      daemon.signal(SIGSTOP)
      daemon.signal(SIGTERM)
      let name = keyboard.path.split(separator: "/").last ?? ""
      try "change".write(
        toFile: "/sys/class/input/\(name)/uevent", atomically: false, encoding: .utf8)
      try monitor.waitForAnnouncement { $0.path == keyboard.path }
      daemon.signal(SIGCONT)
      #expect(try daemon.waitForEnd() == 0)
    }

    @Test("told to: a key that is pressed while it lets go reaches applications")
    func pressedMeanwhile() throws {
      let keyboard = try UinputDevice()
      let daemon = try DaemonProcess(
        ["--device", keyboard.path],
        wrapper: DaemonProcess.withFaults(["STALL_AFTER_RELEASE=1000"]))
      let clone = try daemon.waitForClone()
      let (application, other) = (try BackgroundReader(path: clone), try EventReader(path: clone))
      let console = try EventReader(path: keyboard.path)
      try other.move(42, down: true, on: keyboard)
      daemon.signal(SIGTERM)
      // When its release is written, the last that the keyboard has sent was read, and it is still grabbed.
      _ = try other.frames(upTo: .key(42, down: false))
      keyboard.tap(30)
      #expect(try daemon.waitForEnd() == 0)
      let passedBy = keyMoves(console.framesAtHand()).contains(.key(30, down: true))
      let strokes = application.waitForEnd().filter { $0.code == 30 }
      // The console got it instead if the machine stood still for longer than the daemon.
      #expect(strokes == (passedBy ? [] : [Event].stroke(30)))
    }

    @Test("told to: it waits a moment for a stroke to end, so that nobody sees half of it")
    func stoppedWithinStroke() throws {
      let (keyboard, daemon, application) = try Desk().all
      try application.move(30, down: true, on: keyboard)
      daemon.signal(SIGTERM)
      try daemon.waitForLine(containing: "stopping")
      keyboard.send(30, down: false)
      #expect(try application.frames { _ in true }.map(\.events) == [[.key(30, down: false)]])
      #expect(try daemon.waitForEnd() == 0)
    }

    @Test("told to while the keyboard floods it: the keyboard is free")
    func stoppedWhileFlooded() throws {
      let (keyboard, daemon, application) = try Desk().all
      try application.move(42, down: true, on: keyboard)
      let flood = KeyFlood(of: keyboard)
      defer { flood.stop() }
      #expect(try daemon.end() == 0)
      #expect(try EventReader(path: keyboard.path).grab(), "the keyboard is still grabbed")
    }

    @Test("told to: a PS/2 keyboard repeats by itself, so its held key stays down to the kernel")
    func heldOnBuiltInKeyboard() throws {
      var laptop = Blueprint.keyboard(name: "keydebounce test laptop")
      laptop.bus = UInt16(BUS_I8042)
      laptop.repeats = false
      let (keyboard, daemon, application) = try Desk(UinputDevice(laptop)).all
      try application.move(30, down: true, on: keyboard)
      daemon.signal(SIGTERM)
      _ = try application.frames(upTo: .key(30, down: false))
      #expect(try daemon.waitForEnd() == 0)
      // Such a driver makes a press of a repeat if the kernel takes the key for released.
      #expect(try DeviceState(path: keyboard.path).keys == [30])
      let console = try EventReader(path: keyboard.path)
      keyboard.send(30, down: false)
      #expect(console.next()?.events == [.key(30, down: false)])
    }

    @Test(
      "not asked: the keyboard is everyone's again, and no key of it is stuck",
      // A trap in Swift is one of the first two, as the processor has it. The last is the kernel's, out of memory.
      arguments: [SIGILL, SIGTRAP, SIGKILL, nil] as [CInt?])
    func struck(by signal: CInt?) throws {
      let desk = try Desk()
      let (keyboard, daemon, application) = desk.all
      let blocking = try BackgroundReader(path: desk.clone, .blocking)
      keyboard.send(Self.shift, down: true)
      try application.move(Self.letter, down: true, on: keyboard)
      #expect(try Self.consoleHasShift())

      if let signal {
        daemon.signal(signal)
      } else {
        // The kernel chooses the process that is worth least. As if there were no memory left:
        try "1000".write(
          toFile: "/proc/\(daemon.processIdentifier)/oom_score_adj", atomically: false,
          encoding: .utf8)
        try "f".write(toFile: "/proc/sysrq-trigger", atomically: false, encoding: .utf8)
      }
      #expect(try daemon.waitForEnd() == 128 + (signal ?? SIGKILL))
      // Whoever waits in a call of read is told that the clone is gone, and may miss that its keys went up before that.
      _ = blocking.waitForEnd()
      while application.next() != nil {}
      #expect(try !Self.consoleHasShift(), "Shift is stuck on the console")
      #expect(try Clones.present().isEmpty)
      keyboard.send(Self.letter, down: false)
      keyboard.send(Self.shift, down: false)
      try expectWorking(keyboard, for: desk.console)
    }

    /// Whether the kernel's text console takes Shift for held.
    private static func consoleHasShift() throws -> Bool {
      let console = open("/dev/tty0", O_RDONLY | O_CLOEXEC)
      defer { close(console) }
      var answer: UInt8 = 6  // TIOCL_GETSHIFTSTATE
      guard ioctl(console, UInt(TIOCLINUX), &answer) == 0 else {
        throw WaitedInVain(description: "the console does not say what it takes for held: \(errno)")
      }
      return answer & 1 != 0
    }

    /// Expects that another program reads the keyboard, that no key of it is down, and that it can be grabbed.
    private func expectWorking(_ keyboard: UinputDevice, for console: EventReader) throws {
      _ = console.framesAtHand()
      for down in [true, false] {
        keyboard.send(31, down: down)
        let heard = try console.frames(upTo: .key(31, down: down))
        #expect(keyMoves(heard) == [.key(31, down: down)])
      }
      #expect(try DeviceState(path: keyboard.path).keys.isEmpty)
      #expect(console.grab(), "the keyboard is still grabbed")
    }
  }
}

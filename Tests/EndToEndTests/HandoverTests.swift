import Bus
import Debounce
import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("A device is handed over and comes back")
  struct HandoverTests {
    @Test(
      "a key that is held comes up for those who read the clone, and nothing is stuck when it is back"
    )
    func withKeyHeld() throws {
      let desk = try Desk(on: SystemBus())
      desk.keyboard.send(42, down: true)
      _ = try desk.application.frames { $0.events.contains(.key(42, down: true)) }
      let client = try DaemonClient()
      #expect(try client.handOver(desk.keyboard.path) == 600)
      let last = try desk.application.frames { $0.events.contains(.key(42, down: false)) }
      #expect(keyMoves(last) == [.key(42, down: false)])
      #expect(try client.status().devices.map(\.state) == [.handedOver])
      desk.keyboard.send(42, down: false)
      _ = desk.console.framesAtHand()
      try desk.checkHandedOver()

      // Not grabbed before the key is up.
      desk.keyboard.send(31, down: true)
      try client.giveBack(desk.keyboard.path)
      desk.keyboard.send(31, down: false)
      #expect(try desk.console.frames { $0.events.contains(.key(31, down: false)) }.count == 2)
      _ = try desk.daemon.waitForClone()
      try desk.checkDebounced()
    }

    @Test("who asks again before the first answer has come gets both")
    func twice() throws {
      let desk = try Desk(on: SystemBus())
      let client = try BusClient(as: .root)
      // As long as it is down, there is no answer.
      desk.keyboard.send(42, down: true)
      _ = try desk.application.frames { $0.events.contains(.key(42, down: true)) }
      #expect(try client.handOver(desk.keyboard.path, seconds: [500, 400]) == ["400", "400"])
      _ = try desk.application.frames { $0.events.contains(.key(42, down: false)) }
      desk.keyboard.send(42, down: false)
      try desk.checkHandedOver()
    }

    @Test("who asks for a device that is not held keeps nobody from one that is")
    func asksForNothing() throws {
      let desk = try Desk(on: SystemBus())
      // More than may have something handed over at a time. All of them stay.
      let others = try (0..<40).map { _ in try BusClient(as: .member) }
      for other in others {
        let answer = try other.answer(to: "Borrow", "/dev/input/event99", number: 1)
        #expect(answer == .failed(BusNames.Error.notHeld))
      }
      #expect(try DaemonClient().handOver(desk.keyboard.path) != nil)
      withExtendedLifetime(others) {}
    }

    @Test("again and again")
    func often() throws {
      let desk = try Desk(on: SystemBus())
      let client = try DaemonClient()
      for _ in 0..<10 {
        #expect(try client.handOver(desk.keyboard.path) != nil)
        #expect(desk.console.grab(), "the keyboard is still grabbed")
        desk.console.grab(false)
        try client.giveBack(desk.keyboard.path)
        _ = try desk.daemon.waitForClone()
      }
      try desk.checkDebounced()
    }

    @Test("it comes back when the recipient's time is over, and stays when more is asked for")
    func limit() throws {
      let desk = try Desk(on: SystemBus())
      let client = try DaemonClient()
      #expect(try client.handOver(desk.keyboard.path, for: 1) == 1)
      #expect(try client.handOver(desk.keyboard.path, for: 100_000) == 600)
      try desk.checkHandedOver()
      #expect(try client.handOver(desk.keyboard.path, for: 1) == 1)
      try desk.daemon.waitForLine(containing: "it was handed over for too long")
      _ = try desk.daemon.waitForClone()
      try desk.checkDebounced()
      #expect(throws: ControlError.self) { try client.giveBack(desk.keyboard.path) }
    }

    @Test("it comes back when the recipient is gone")
    func recipientGone() throws {
      let desk = try Desk(on: SystemBus())
      do {
        let client = try DaemonClient()
        #expect(try client.handOver(desk.keyboard.path) != nil)
      }
      _ = try desk.daemon.waitForClone()
      try desk.checkDebounced()
      // One that is gone as soon as it has asked.
      let busctl = try Command(
        program: "/usr/bin/busctl",
        [
          "--system", "call", "--expect-reply=no", BusNames.service, BusNames.object,
          BusNames.interface, "Borrow", "su", desk.keyboard.path, "600",
        ])
      #expect(busctl.status == 0)
      // The daemon answers after it has found out who that was, or that it is gone.
      while try DaemonClient().status().devices.map(\.state) != [.debounced] {}
      try desk.checkDebounced()
    }

    @Test("nobody else ends it by saying that the recipient is gone")
    func forged() throws {
      let desk = try Desk(on: SystemBus())
      let recipient = try BusClient(as: .root)
      #expect(try recipient.handOver(desk.keyboard.path, seconds: [600]) == ["600"])
      for user in [BusClient.User.nobody, .member] {
        let other = try BusClient(as: user)
        try other.send(
          signal: "NameOwnerChanged", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
          [recipient.name, recipient.name, ""], to: BusNames.service)
        #expect(try other.answer(to: "Return", desk.keyboard.path) != .answered)
      }
      // The daemon answers root after whatever came before.
      #expect(try DaemonClient().status().devices.map(\.state) == [.handedOver])
      try desk.checkHandedOver()
    }

    @Test("it comes back when record is killed in the middle")
    func recordKilled() throws {
      let desk = try Desk(on: SystemBus())
      let path = "/tmp/recording-\(getpid())-killed"
      defer { unlink(path) }
      let record = try DaemonProcess(call: ["record", desk.keyboard.path, "-o", path])
      try desk.daemon.waitForLine(containing: "handed over to another program")
      try desk.checkHandedOver()
      desk.keyboard.send(31, down: true)
      #expect(try record.end(by: SIGKILL) == 128 + SIGKILL)
      desk.keyboard.send(31, down: false)
      _ = try desk.daemon.waitForClone()
      try desk.checkDebounced()
    }

    @Test("it comes back when the bus is gone")
    func busGone() throws {
      let desk = try Desk(on: SystemBus())
      let client = try DaemonClient()
      #expect(try client.handOver(desk.keyboard.path) != nil)
      desk.bus?.stop()
      _ = try desk.daemon.waitForClone()
      try desk.checkDebounced()
    }

    @Test("to one at a time, and only what the daemon holds")
    func refusals() throws {
      let desk = try Desk(on: SystemBus())
      let first = try DaemonClient()
      let second = try DaemonClient()
      #expect(try first.handOver("/dev/input/event99") == nil)
      #expect(try first.handOver(desk.keyboard.path) != nil)
      #expect(throws: ControlError.handedOver(desk.keyboard.path)) {
        try second.handOver(desk.keyboard.path)
      }
      #expect(throws: ControlError.self) { try second.giveBack(desk.keyboard.path) }
      #expect(try second.status().devices.map(\.state) == [.handedOver])
      try first.giveBack(desk.keyboard.path)
      _ = try desk.daemon.waitForClone()
    }

    @Test("unplugged while it is handed over, and the daemon stopped while another is")
    func gone() throws {
      let desk = try Desk(on: SystemBus())
      let client = try DaemonClient()
      let descriptors: Int
      do {
        let other = try UinputDevice(name: "keydebounce test keyboard 2")
        let folder = try ConfigurationFolder(
          device: "[device]\nname = \"keydebounce test keyboard 2\"\nvirtual = true\n")
        let daemon = try DaemonProcess(
          call: ["run", "--config", folder.path],
          wrapper: ["/usr/bin/env", "RUNTIME_DIRECTORY=\(folder.path)"])
        // The name on the bus is the first daemon's: this one cannot be asked. It goes on all the same.
        try daemon.waitForLine(containing: "cannot take the name")
        #expect(try daemon.end() == 0)
        descriptors = try desk.daemon.countDescriptors()
        withExtendedLifetime(other) {}
      }
      #expect(descriptors > 0)
      #expect(try client.handOver(desk.keyboard.path) != nil)
      #expect(try desk.daemon.end() == 0)
      #expect(desk.console.grab())
    }
  }
}

extension Desk {
  /// Makes a stroke, and checks that it comes out of the clone and nowhere else.
  fileprivate func checkDebounced() throws {
    _ = console.framesAtHand()
    keyboard.play(.stroke(30))
    try keyboard.playMark()
    #expect(keyMoves(try application.framesUpToMark()) == .stroke(30))
    #expect(console.framesAtHand().isEmpty, "the keyboard is read past the daemon")
  }

  /// Makes a stroke, and checks that it comes from the keyboard itself.
  fileprivate func checkHandedOver() throws {
    keyboard.play(.stroke(30))
    try keyboard.playMark()
    #expect(keyMoves(try console.framesUpToMark()) == .stroke(30))
    #expect(keyMoves(application.framesAtHand()).isEmpty)
  }
}

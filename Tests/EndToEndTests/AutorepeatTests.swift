import CEvdev
import Debounce
import EventDevices
import TestMachine
import Testing

extension EndToEnd {
  @Suite("Held keys repeat at the keyboard's pace, and only those that are passed on")
  struct AutorepeatTests {
    private static let key: KeyCode = 30
    /// In milliseconds, so long that no test lives to see it.
    private static let never: Int32 = 3_600_000

    private func pace(_ code: CInt, _ value: Int32) -> Event {
      Event(type: UInt16(EV_REP), code: UInt16(code), value: value)
    }

    @Test("the pace that the keyboard was given before is the clone's")
    func takenOver() throws {
      let keyboard = try UinputDevice()
      try EventReader(path: keyboard.path).send([pace(REP_DELAY, 432), pace(REP_PERIOD, 43)])
      try #require(DeviceState(path: keyboard.path).pace == [432, 43])
      let daemon = try DaemonProcess(["--device", keyboard.path])
      #expect(try DeviceState(path: daemon.waitForClone()).pace == [432, 43])
    }

    @Test("the pace that a program gives the clone is the keyboard's")
    func keptInStep() throws {
      let desk = try Desk()
      let (keyboard, daemon, desktop) = desk.all
      // Quickly one after the other, as a slider does that someone drags.
      for delay in Int32(317)...320 {
        desktop.send([pace(REP_DELAY, delay), pace(REP_PERIOD, delay / 10)])
      }
      try keyboard.waitForFeedback(pace(REP_DELAY, 320))
      try keyboard.waitForFeedback(pace(REP_PERIOD, 32))
      #expect(try DeviceState(path: keyboard.path).pace == [320, 32])
      #expect(try DeviceState(path: desk.clone).pace == [320, 32])
      // The two do not go on telling each other.
      try daemon.waitForIdleness(lasting: 500_000)
    }

    @Test("the keyboard's own repeats are not passed on: the clone makes its own")
    func notDoubled() throws {
      let (keyboard, daemon, application) = try Desk().all
      application.send([pace(REP_DELAY, Self.never)])
      try keyboard.waitForFeedback(pace(REP_DELAY, Self.never))
      keyboard.send(Self.key, down: true)
      for _ in 0..<20 {
        keyboard.send([Event(type: EventType.key, code: Self.key, value: 2)])
        sleep(until: monotonicNow() + 10_000)
      }
      keyboard.send(Self.key, down: false)
      try keyboard.playMark()
      let received = try application.framesUpToMark().filter {
        !$0.events.contains { $0.type == EV_REP }
      }
      #expect(
        received.map { Array($0.events) } == [
          [.key(Self.key, down: true)], [.key(Self.key, down: false)],
        ])
      let recording = try daemon.recording(withMarks: 1)
      #expect(recording.raw.count(where: \.isRepeat) == 20)
    }

    @Test("repeats go on through a drop-out that is removed")
    func dropOut() throws {
      // So long that no machine is too slow to drop out within it.
      let folder = try ConfigurationFolder(
        defaults: "[defaults]\nstrategy = \"eager-defer\"\npress = 0\nrelease = 1000\n")
      let desk = try Desk(settings: folder)
      let (keyboard, _, application) = desk.all
      keyboard.send(Self.key, down: true)
      _ = try application.frames(upTo: \.isRepeat)
      // From now on, repeats that stop do not begin again.
      application.send([pace(REP_DELAY, Self.never)])
      try keyboard.waitForFeedback(pace(REP_DELAY, Self.never))
      keyboard.send(Self.key, down: false)
      keyboard.send(Self.key, down: true)
      _ = application.framesAtHand()
      for _ in 0..<20 { _ = try application.frames(upTo: \.isRepeat) }
      keyboard.send(Self.key, down: false)
      let last = try application.frames { !keyMoves([$0]).isEmpty }
      #expect(last.last?.events == [.key(Self.key, down: false)])
      try keyboard.playMark()
      #expect(try application.framesUpToMark().isEmpty, "it repeats after its release")
    }
  }
}

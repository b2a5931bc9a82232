import CEvdev
import Debounce
import EventDevices
import Glibc
import Randomness
import TestMachine
import Testing

extension EndToEnd {
  @Suite("When the kernel lost events, the clone is soon as the device is")
  struct LostEventsTests {
    private static let blueprint: Blueprint = {
      var device = Blueprint.keyboard(name: "keydebounce test panel")
      device.codes[EV_SW] = [SW_LID, SW_TABLET_MODE, SW_DOCK, SW_LINEIN_INSERT]
      device.axes = [ABS_X: 1000, ABS_Y: 1000, ABS_THROTTLE: 1000]
      return device
    }()

    /// The types and codes that move while nobody reads, and how many values each has.
    private func codes() -> [(CInt, CInt, Int32)] {
      let keys = (16..<24).map { (EV_KEY, CInt($0), Int32(2)) }
      let switches = (Self.blueprint.codes[EV_SW] ?? []).map { (EV_SW, $0, Int32(2)) }
      let axes = Self.blueprint.axes.keys.sorted().map { (EV_ABS, $0, Int32(1000)) }
      return keys + switches + axes
    }

    @Test("its keys, switches and axes agree")
    func agreement() throws {
      let desk = try Desk(UinputDevice(Self.blueprint))
      let (device, daemon, application) = desk.all
      let codes = self.codes()
      let seed = UInt64.testSeed
      print("KEYDEBOUNCE_SEED=\(seed)")
      var random = SeededRandom(seed: seed)
      for _ in 0..<5 {
        daemon.signal(SIGSTOP)
        try daemon.waitUntilStopped()
        for _ in 0..<400 {
          let (type, code, values) = random.pick(codes)
          let value = Int32.random(in: 0..<values, using: &random)
          device.send([Event(type: UInt16(type), code: UInt16(code), value: value)])
        }
        daemon.signal(SIGCONT)
        try daemon.waitForLine(containing: "events were lost")
        _ = try application.moves(on: device)
        let source = try DeviceState(path: device.path)
        let clone = try DeviceState(path: desk.clone)
        #expect(clone.keys == source.keys)
        #expect(clone.switches == source.switches)
        #expect(clone.axes == source.axes)
      }
    }

    @Test("events that the kernel had no room for leave no key stuck and none lost")
    func lostEvents() throws {
      let (a, s, d): (KeyCode, KeyCode, KeyCode) = (30, 31, 32)
      let (keyboard, daemon, application) = try Desk().all
      try application.move(a, down: true, on: keyboard)

      daemon.signal(SIGSTOP)
      try daemon.waitUntilStopped()
      keyboard.send(a, down: false)
      for _ in 0..<200 {
        keyboard.tap(s)
      }
      keyboard.send(d, down: true)
      daemon.signal(SIGCONT)
      try daemon.waitForLine(containing: "events were lost")

      // A is let go although its release was lost, and D is down although its press was.
      let moves = try application.moves(on: keyboard).filter { $0.code != s }
      #expect(moves == [.key(a, down: false), .key(d, down: true)])
      keyboard.send(d, down: false)
      #expect(try application.moves(on: keyboard) == [.key(d, down: false)])
      let recording = try daemon.recording(withMarks: 2)
      #expect(recording.clean == recording.replayed)
    }
  }
}

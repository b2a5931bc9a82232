import CEvdev
import Configuration
import Debounce
import EventDevices
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("A mouse's wheel that runs backwards")
  struct WheelTests {
    private func step(_ value: Int32) -> [Event] {
      [
        Event(type: UInt16(EV_REL), code: UInt16(REL_WHEEL), value: value),
        Event(type: UInt16(EV_REL), code: UInt16(REL_WHEEL_HI_RES), value: 120 * value),
      ]
    }

    @Test("goes on as before, and back when it is turned back; the run replays as it was")
    func reversals() throws {
      // So long that no machine is too slow to be within it.
      let folder = try ConfigurationFolder(
        device: passing("keydebounce test mouse", except: "[wheel]\nreversal = 1000"))
      let (mouse, daemon, application) = try Desk(UinputDevice(.mouse()), settings: folder).all
      let moved = Event(type: UInt16(EV_REL), code: UInt16(REL_X), value: 3)
      // The first one waits for what shows its direction, and passes alone when nothing comes.
      mouse.send(step(1))
      #expect(application.next().map { Array($0.events) } == step(1))
      for steps in [step(1), step(1), step(-1) + [moved], step(1), step(-1), step(-1)] {
        mouse.send(steps)
      }
      let end: [Event] = [.key(KeyCode(BTN_RIGHT), down: true)]
      mouse.send(end)
      let received = try application.frames { Array($0.events) == end }
      #expect(
        received.map { Array($0.events) } == [
          step(1), step(1), [moved], step(1), step(-1), step(-1), end,
        ])
      mouse.send([.key(KeyCode(BTN_RIGHT), down: false)])
      _ = try application.frames { !$0.events.contains { $0.value == 1 } }
      #expect(try daemon.end() == 0)
      let rules = try #require(try LoadedSettings(readingFrom: folder.path).settings.devices.first)
        .rules
      let replay = Replay(try daemon.recorded(), by: rules)
      #expect(replay.replayed == replay.clean)
    }
  }
}

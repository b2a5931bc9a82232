import CEvdev
import Debounce
import EventDevices
import TestMachine
import Testing

extension EndToEnd {
  @Suite("What is no debounced key passes unchanged, in order, in its frame")
  struct PassingTests {
    private func moved(_ code: CInt, _ value: Int32) -> Event {
      Event(type: UInt16(EV_REL), code: UInt16(code), value: value)
    }

    @Test("all that a device sends which is keyboard, mouse, slider and switch at once")
    func mixture() throws {
      var mixture = Blueprint.keyboard(name: "keydebounce test mixture")
      mixture.codes[EV_REL] = [REL_X, REL_Y, REL_WHEEL]
      mixture.codes[EV_KEY]? += [BTN_LEFT, BTN_TRIGGER, BTN_TL2, KEY_VOLUMEUP, BTN_TRIGGER_HAPPY1]
      mixture.codes[EV_SW] = [SW_LID, SW_TABLET_MODE]
      mixture.axes = [ABS_VOLUME: 1000, ABS_MISC: 255]
      let desk = try Desk(UinputDevice(mixture))
      let (device, _, application) = desk.all

      let lid = Event(type: UInt16(EV_SW), code: UInt16(SW_LID), value: 1)
      let volume = Event(type: UInt16(EV_ABS), code: UInt16(ABS_VOLUME), value: 700)
      let other = Event(type: UInt16(EV_ABS), code: UInt16(ABS_MISC), value: 9)
      let frames: [[Event]] = [
        [lid, .scan(4), .key(30, down: true), moved(REL_X, -7), volume],
        [moved(REL_WHEEL, 1), other],
        [
          .key(KeyCode(BTN_TRIGGER), down: true), .key(KeyCode(BTN_LEFT), down: true),
          moved(REL_Y, 1),
        ],
        [.key(KeyCode(BTN_TRIGGER_HAPPY1), down: true)],
        [.scan(4), .key(30, down: false), .key(KeyCode(BTN_LEFT), down: false)],
      ]
      for frame in frames {
        // Slowly: nothing of this is chatter.
        sleep(until: monotonicNow() + 100_000)
        device.send(frame)
      }
      let received = try application.frames(upTo: .key(30, down: false))
      #expect(received.map { Array($0.events) }.filter { !$0.contains { $0.value == 2 } } == frames)
      #expect(try DeviceState(path: desk.clone) == DeviceState(path: device.path))
    }
  }
}

import CEvdev
import Debounce
import EventDevices
import TestMachine
import Testing

extension EndToEnd {
  @Suite("LEDs and sounds go back to the keyboard, and never the other way")
  struct FeedbackTests {
    /// A keyboard with a beeper, and a LED that the console leaves alone.
    private static let beeper: Blueprint = {
      var keyboard = Blueprint.keyboard(name: "keydebounce test beeper")
      keyboard.codes[EV_LED]? += [LED_COMPOSE, LED_MISC, LED_MAIL]
      keyboard.codes[EV_SND] = [SND_CLICK, SND_BELL, SND_TONE]
      return keyboard
    }()

    private func led(_ code: CInt, _ value: Int32) -> Event {
      Event(type: UInt16(EV_LED), code: UInt16(code), value: value)
    }

    private func sound(_ code: CInt, _ value: Int32) -> Event {
      Event(type: UInt16(EV_SND), code: UInt16(code), value: value)
    }

    @Test("what a desktop tells the clone, the keyboard does, in order")
    func back() throws {
      let (keyboard, daemon, desktop) = try Desk(UinputDevice(Self.beeper)).all
      let orders = [
        led(LED_COMPOSE, 1), led(LED_MISC, 1), sound(SND_TONE, 440), led(LED_COMPOSE, 0),
        sound(SND_BELL, 1), sound(SND_TONE, 0), sound(SND_BELL, 0), led(LED_MAIL, 1),
      ]
      for order in orders { desktop.send([order]) }
      var done: [Event] = []
      while done.last != orders.last, done.count < 100, let event = keyboard.nextFeedback() {
        // The console's own LEDs come in between.
        if orders.contains(where: { $0.type == event.type && $0.code == event.code }) {
          done.append(event)
        }
      }
      #expect(done == orders)
      // The two do not go on telling each other, although the kernel shows readers of a device what the device is told.
      try daemon.waitForIdleness(lasting: 500_000)
      #expect(try DeviceState(path: keyboard.path).leds.contains(UInt16(LED_MISC)))
    }

    @Test("a device that can be told nothing is not listened to, and sends scan codes for ever")
    func nothingToTell() throws {
      var buttons = Blueprint.keyboard(name: "keydebounce test buttons")
      buttons.codes[EV_LED] = nil
      buttons.repeats = false
      let (device, daemon, application) = try Desk(UinputDevice(buttons)).all
      // More than the kernel keeps of what is handed back.
      for number in 0..<50 {
        let isDown = number % 2 == 0
        device.send([.scan(0x70004), .key(30, down: isDown)])
        let frames = try application.frames(upTo: .key(30, down: isDown))
        #expect(frames.flatMap(\.events) == [.scan(0x70004), .key(30, down: isDown)])
        sleep(until: monotonicNow() + 60_000)
      }
      try daemon.waitForIdleness(lasting: 500_000)
    }

    @Test("what someone tells the keyboard itself does not come out of the clone")
    func notForth() throws {
      let desk = try Desk(UinputDevice(Self.beeper))
      let (keyboard, daemon, application) = desk.all
      desk.console.send([led(LED_MISC, 1), sound(SND_TONE, 440)])
      try keyboard.waitForFeedback(sound(SND_TONE, 440))
      try daemon.waitForIdleness(lasting: 500_000)
      try keyboard.playMark()
      let received = try application.framesUpToMark().flatMap(\.events)
      #expect(!received.contains { $0.type == EV_SND || $0.type == EV_LED && $0.code == LED_MISC })
      #expect(try !DeviceState(path: desk.clone).leds.contains(UInt16(LED_MISC)))
    }

    @Test("what the clone was told before the grab holds after it")
    func appliedAgain() throws {
      let keyboard = try UinputDevice(Self.beeper)
      keyboard.send(30, down: true)
      let monitor = try Monitor()
      let daemon = try DaemonProcess(["--device", keyboard.path])
      let clone = try monitor.waitForNode { $0.isClone }
      try EventReader(path: clone.path).send([led(LED_MISC, 1)])
      try keyboard.waitForFeedback(led(LED_MISC, 1))
      // Someone else switches it off on the keyboard while it is still everyone's.
      try EventReader(path: keyboard.path).send([led(LED_MISC, 0)])
      try keyboard.waitForFeedback(led(LED_MISC, 0))
      keyboard.send(30, down: false)
      _ = try daemon.waitForClone()
      try keyboard.waitForFeedback(led(LED_MISC, 1))
      #expect(try DeviceState(path: keyboard.path).leds.contains(UInt16(LED_MISC)))
    }

    @Test("a LED that was lit before is lit on the clone, and goes dark with it")
    func lit() throws {
      let keyboard = try UinputDevice(Self.beeper)
      try EventReader(path: keyboard.path).send([led(LED_MISC, 1)])
      try keyboard.waitForFeedback(led(LED_MISC, 1))
      let daemon = try DaemonProcess(["--device", keyboard.path])
      let clone = try daemon.waitForClone()
      #expect(try DeviceState(path: clone).leds.contains(UInt16(LED_MISC)))
      try EventReader(path: clone).send([led(LED_MISC, 0)])
      try keyboard.waitForFeedback(led(LED_MISC, 0))
      #expect(try !DeviceState(path: keyboard.path).leds.contains(UInt16(LED_MISC)))
    }
  }
}

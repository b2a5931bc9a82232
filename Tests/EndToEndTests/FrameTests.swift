import CEvdev
import Debounce
import EventDevices
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("Frames pass whole")
  struct FrameTests {
    @Test("with the scan code before the key that it belongs to")
    func scanCodes() throws {
      let desk = try Desk()
      let (keyboard, _, application) = desk.all

      let frames: [[Event]] = [
        [.scan(0x70004), .key(30, down: true)],
        [.scan(0x70016), .key(31, down: true), .scan(0x70007), .key(32, down: true)],
        [.scan(0x70004), .key(30, down: false), .scan(0x70016), .key(31, down: false)],
        [.scan(0x70007), .key(32, down: false)],
      ]
      for frame in frames {
        // Slowly: the tests of chatter are elsewhere.
        sleep(until: monotonicNow() + 100_000)
        keyboard.send(frame)
      }
      try keyboard.playMark()
      let received = try application.framesUpToMark().map { Array($0.events) }
      #expect(received.filter { !$0.contains { $0.value == 2 } } == frames)
    }

    @Test("and a deferred release carries its own scan code")
    func deferredScanCode() throws {
      let (keyboard, daemon, application) = try Desk().all

      // Up and down with one stamp each, so close that no machine is too slow for it to be a bounce.
      keyboard.send([.scan(0x70004), .key(30, down: true)])
      keyboard.send([.scan(0x70004), .key(30, down: false)])
      try keyboard.playMark()
      let received = try application.framesUpToMark()
      #expect(
        received.map { Array($0.events) } == [
          [.scan(0x70004), .key(30, down: true)], [.scan(0x70004), .key(30, down: false)],
        ])
      #expect(try daemon.recording(withMarks: 1).clean.count == 4)
    }

    @Test("and the clone is the keyboard's twin in all but its phys")
    func identity() throws {
      let keyboard = try UinputDevice()
      let daemon = try DaemonProcess(["--device", keyboard.path])
      let clone = try Source(path: daemon.waitForClone())
      let source = try Source(path: keyboard.path)
      let (original, copy) = (source.identity, clone.identity)
      #expect(copy.name == original.name)
      #expect(copy.bus == original.bus)
      #expect(copy.vendor == original.vendor)
      #expect(copy.product == original.product)
      #expect(copy.version == original.version)
      #expect(copy.phys == "keydebounce/" + (original.phys ?? ""))
      let (originalCapabilities, copiedCapabilities) = (source.capabilities, clone.capabilities)
      #expect(copiedCapabilities == originalCapabilities)
    }
  }
}

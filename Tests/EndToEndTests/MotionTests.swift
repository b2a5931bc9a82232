import CEvdev
import Debounce
import EventDevices
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  /// Motion has a way of its own past the engine, for as long as there is nothing to decide.
  @Suite("A mouse that moves while its button bounces")
  struct MotionTests {
    private static let button = KeyCode(BTN_LEFT)
    /// The button whose stroke ends a round.
    private static let mark = KeyCode(BTN_RIGHT)
    private static let moved = Event(type: UInt16(EV_REL), code: UInt16(REL_X), value: 3)
    /// How long a release waits, in microseconds. Few machines stand still for so long.
    private static let wait: Int64 = 500_000

    @Test("is debounced by the times of its events, however late they are read")
    func stalled() throws {
      let folder = try ConfigurationFolder(
        device: """
          [device]
          name = "keydebounce test mouse"
          virtual = true
          [debounce]
          strategy = "eager-defer"
          press = 10
          release = \(Self.wait / 1000)
          """)
      let mouse = try UinputDevice(.mouse())
      // A recording would have all that is read walk through the engine.
      let daemon = try DaemonProcess(
        call: ["run", "--device", mouse.path, "--config", folder.path],
        wrapper: DaemonProcess.withFaults(["STALL_AFTER_MOTION=\(2 * Self.wait / 1000)"]))
      let application = try EventReader(path: daemon.waitForClone())
      for _ in 0..<10 {
        mouse.send(Self.button, down: true)
        sleep(until: monotonicNow() + Self.wait / 4)
        let start = monotonicNow()
        mouse.send(Self.button, down: false)
        // The daemon reads that, then the motion, and stands still until the release is due.
        sleep(until: start + Self.wait / 4)
        mouse.send([Self.moved])
        sleep(until: start + Self.wait / 2)
        mouse.send(Self.button, down: true)
        let isInTime = monotonicNow() - start < Self.wait
        sleep(until: start + 3 * Self.wait)
        mouse.send(Self.button, down: false)
        for down in [true, false] { mouse.send(Self.mark, down: down) }
        let received = try application.frames(upTo: .key(Self.mark, down: false))
          .filter { frame in !frame.events.contains { $0.code == Self.mark } }
        // On a machine that has stood still, there is another round.
        guard isInTime else { continue }
        #expect(
          received.map { Array($0.events) } == [
            [.key(Self.button, down: true)], [Self.moved], [.key(Self.button, down: false)],
          ])
        return
      }
      throw WaitedInVain(description: "nothing is sent in time")
    }
  }
}

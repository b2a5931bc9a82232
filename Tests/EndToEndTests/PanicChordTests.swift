import CEvdev
import Debounce
import EventDevices
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("The panic chord stops the daemon, and what is none never does")
  struct PanicChordTests {
    @Test("its keys chatter and are never all down, though the clone's are")
    func chatter() throws {
      let folder = try ConfigurationFolder(
        defaults: "[defaults]\nstrategy = \"eager-defer\"\nthreshold = 1000\n")
      let desk = try Desk(settings: folder)
      let (keyboard, daemon, application) = desk.all
      for _ in 0..<3 {
        for key in usualChord {
          keyboard.tap(key)
        }
      }
      _ = try application.frames(upTo: .key(usualChord[2], down: true))
      #expect(try DeviceState(path: desk.clone).keys == usualChord.sorted())
      try expectAlive(daemon, keyboard, application)
    }

    @Test("a movement has the number of a key")
    func movement() throws {
      let codes = usualChord.map(CInt.init)
      var pad = Blueprint.keyboard(name: "keydebounce test pad")
      pad.axes = Dictionary(uniqueKeysWithValues: codes.map { ($0, 100) })
      pad.codes[EV_REL] = [REL_Y]
      let (device, daemon, application) = try Desk(UinputDevice(pad)).all
      device.send(codes.map { Event(type: UInt16(EV_ABS), code: UInt16($0), value: 1) })
      device.send(
        [Event(type: UInt16(EV_REL), code: UInt16(REL_Y), value: 1)]
          + usualChord.dropFirst().map { .key($0, down: true) })
      try expectAlive(daemon, device, application)
    }

    @Test(
      "the keys of a chord are spread over two nodes of a keyboard: it works; of two keyboards, it does not"
    )
    func nodes() throws {
      let folder = try ConfigurationFolder(
        defaults: "[defaults]\npanic = [\"KEY_A\", \"KEY_MUTE\"]\n")
      func device(_ phys: String, without key: CInt) throws -> UinputDevice {
        var blueprint = Blueprint.keyboard(name: "keydebounce test keyboard")
        blueprint.codes[EV_KEY]?.removeAll { $0 == key }
        blueprint.phys = phys
        return try UinputDevice(blueprint)
      }
      let letters = try device("usb-test-1/input0", without: KEY_MUTE)
      let media = try device("usb-test-1/input1", without: KEY_A)
      let other = try device("usb-test-2/input1", without: KEY_A)
      let paths = [letters, media, other].map(\.path)
      let daemon = try DaemonProcess(
        paths.flatMap { ["--device", $0] } + ["--config", folder.path])
      for path in paths { _ = try daemon.waitForClone(of: path) }
      let application = try EventReader(path: daemon.waitForClone(of: letters.path))
      letters.send(KeyCode(KEY_A), down: true)
      other.tap(KeyCode(KEY_MUTE))
      letters.send(KeyCode(KEY_A), down: false)
      media.send(KeyCode(KEY_MUTE), down: true)
      // The two keys one after the other are no chord, either.
      _ = try application.moves(on: letters)
      letters.send(KeyCode(KEY_A), down: true)
      #expect(try daemon.waitForEnd() == 75)
      for path in paths { #expect(try EventReader(path: path).grab(), "\(path) is still grabbed") }
    }

    @Test("its presses were lost before they were read: it works all the same")
    func panicChordAfterLostEvents() throws {
      let keyboard = try UinputDevice()
      // A repeat would tell the daemon again that the key is down.
      keyboard.endRepeats()
      let daemon = try DaemonProcess(["--device", keyboard.path])
      _ = try daemon.waitForClone()
      daemon.signal(SIGSTOP)
      try daemon.waitUntilStopped()
      for key in usualChord { keyboard.send(key, down: true) }
      for _ in 0..<200 {
        keyboard.tap(31)
      }
      daemon.signal(SIGCONT)
      try daemon.waitForLine(containing: "events were lost")
      try daemon.waitForLine(containing: "the panic chord was held")
      #expect(try daemon.waitForEnd() == 75)
    }

    /// Expects that the daemon goes on: a stroke still comes through.
    private func expectAlive(
      _ daemon: DaemonProcess, _ keyboard: UinputDevice, _ application: EventReader
    ) throws {
      _ = try application.moves(on: keyboard)
      _ = try daemon.recording(withMarks: 1)
      #expect(!daemon.log.contains("panic"))
    }
  }
}

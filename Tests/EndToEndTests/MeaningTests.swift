import CEvdev
import Configuration
import Debounce
import EventDevices
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("A button with several meanings", .serialized)
  struct MeaningTests {
    private static let (pedal, enter) = (KeyCode(BTN_0), KeyCode(KEY_ENTER))
    private static let (play, next, stop) = (
      KeyCode(KEY_PLAYPAUSE), KeyCode(KEY_NEXTSONG), KeyCode(KEY_STOP)
    )

    /// A pedal that is a media key, too: two buttons that nobody would call a keyboard.
    private static let blueprint: Blueprint = {
      var pedal = Blueprint(name: "keydebounce test pedal", [EV_KEY: [BTN_0, KEY_PLAYPAUSE]])
      pedal.codes[EV_MSC] = [MSC_SCAN]
      return pedal
    }()

    /// Times so long that no machine is too slow to be within them, and so short that waiting for them is nothing.
    private static let settings = """
      [device]
      name = "keydebounce test pedal"
      virtual = true
      [keys]
      BTN_0         = { threshold = 20, double = "KEY_ENTER", within = 900 }
      KEY_PLAYPAUSE = { double = "KEY_NEXTSONG", hold = "KEY_STOP", within = 900, after = 300 }

      """

    private func start(_ settings: String = settings) throws -> (
      UinputDevice, ConfigurationFolder, DaemonProcess
    ) {
      let pedal = try UinputDevice(Self.blueprint)
      let folder = try ConfigurationFolder(device: settings)
      let daemon = try DaemonProcess(["--device", pedal.path, "--config", folder.path])
      return (pedal, folder, daemon)
    }

    /// Plays a stroke that does not chatter, and is short.
    private func tap(_ key: KeyCode, on pedal: UinputDevice) {
      pedal.play(.edges(of: key, at: 0, 60))
      sleep(until: monotonicNow() + 60_000)
    }

    @Test("emits each of them through a device that has the keys for it, and replays as it was")
    func everyMeaning() throws {
      let (pedal, folder, daemon) = try start()
      let application = try EventReader(path: daemon.waitForClone())
      // Single: nothing else comes. Another key would decide it.
      tap(Self.pedal, on: pedal)
      var received = try application.frames(upTo: .key(Self.pedal, down: false))
      #expect(keyMoves(received) == .stroke(Self.pedal))
      #expect(received.count == 2)
      // Double, held for as long as the finger holds it, and repeated as any key is that is held.
      tap(Self.pedal, on: pedal)
      pedal.send(Self.pedal, down: true)
      received = try application.frames(upTo: .key(Self.enter, down: true))
      #expect(keyMoves(received) == [.key(Self.enter, down: true)])
      #expect(try DeviceState(path: daemon.waitForClone(of: pedal.path)).keys == [Self.enter])
      pedal.send(Self.pedal, down: false)
      _ = try application.frames(upTo: .key(Self.enter, down: false))
      // Before another key.
      tap(Self.pedal, on: pedal)
      tap(Self.play, on: pedal)
      received = try application.frames(upTo: .key(Self.play, down: false))
      #expect(keyMoves(received) == .stroke(Self.pedal) + .stroke(Self.play))
      // Long.
      pedal.send(Self.play, down: true)
      received = try application.frames(upTo: .key(Self.stop, down: true))
      pedal.send(Self.play, down: false)
      received += try application.frames(upTo: .key(Self.stop, down: false))
      #expect(keyMoves(received) == .stroke(Self.stop))
      // The media key's double press.
      tap(Self.play, on: pedal)
      tap(Self.play, on: pedal)
      received = try application.frames(upTo: .key(Self.next, down: false))
      #expect(keyMoves(received) == .stroke(Self.next))
      // Chatter is none: a bounce after 4 ms.
      pedal.play(.edges(of: Self.pedal, at: 0, 4, 8, 90))
      received = try application.frames { $0.events.contains { $0.value == 0 } }
      #expect(keyMoves(received) == .stroke(Self.pedal))

      #expect(try daemon.end() == 0)
      let rules = try #require(try LoadedSettings(readingFrom: folder.path).settings.devices.first)
        .rules
      let replay = Replay(try daemon.recorded(), by: rules)
      #expect(replay.replayed == replay.clean)
      #expect(keyMoves(replay.clean).count == 14)
    }

    @Test("leaves no key down when the device goes, or the daemon ends")
    func endings() throws {
      for isUnplugged in [true, false] {
        var (pedal, folder, daemon): (UinputDevice?, ConfigurationFolder, DaemonProcess) =
          try start()
        let application = try EventReader(path: daemon.waitForClone())
        pedal?.send(Self.play, down: true)
        _ = try application.frames(upTo: .key(Self.stop, down: true))
        // A second key is undecided, and becomes a single press at the end.
        if let pedal { tap(Self.pedal, on: pedal) }
        if isUnplugged { pedal = nil } else { daemon.signal(SIGTERM) }
        var held: Set<KeyCode> = [Self.stop]
        var moves: [Event] = []
        while !held.isEmpty, let frame = application.next() {
          for event in keyMoves([frame]) {
            moves.append(event)
            if event.value == 1 { held.insert(event.code) } else { held.remove(event.code) }
          }
        }
        #expect(held.isEmpty)
        #expect(moves.contains(.key(Self.stop, down: false)))
        withExtendedLifetime((pedal, folder)) {}
      }
    }

    @Test("has the application get a new device when a reload adds a key, and loses nothing")
    func reload() throws {
      let (pedal, folder, daemon) = try start(
        "[device]\nname = \"keydebounce test pedal\"\nvirtual = true\n")
      let monitor = try Monitor()
      let old = try daemon.waitForClone()
      let application = try EventReader(path: old)
      try application.move(Self.pedal, down: true, on: pedal)
      try folder.write(device: "10-test.toml", Self.settings)
      daemon.signal(SIGHUP)
      try daemon.waitForLine(containing: "reloaded the configuration")
      // The stroke in hand ends as it began; then the device is made anew.
      try application.move(Self.pedal, down: false, on: pedal)
      try daemon.waitForLine(containing: "emits new keys; applications get a new device")
      let new = try monitor.waitForNode {
        $0.name == Self.blueprint.name && $0.isClone && $0.path != old
      }
      let reader = try EventReader(path: new.path)
      try daemon.waitForLine(containing: "debounced from now on; applications read \(new.path)")
      tap(Self.pedal, on: pedal)
      tap(Self.pedal, on: pedal)
      let received = try reader.frames(upTo: .key(Self.enter, down: false))
      #expect(keyMoves(received) == .stroke(Self.enter))
    }
  }
}

import Debounce
import EventDevices
import Glibc
import StrokeFixtures
import TestMachine
import Testing

extension EndToEnd {
  @Suite("New settings while the daemon runs")
  struct ReloadTests {
    /// Two strokes with a gap of 100 ms.
    private static let twoStrokes = [Edge].edges(of: 30, at: 0, 100, 200, 300)

    /// Settings that take the gap between them for a drop-out.
    private static let holdingReleases = """
      [defaults]
      strategy = "eager-defer"
      press = 0
      release = 600
      """

    @Test("hold after SIGHUP, for keys that are idle")
    func hold() throws {
      let folder = try ConfigurationFolder(defaults: "[defaults]\nstrategy = \"none\"\n")
      let keyboard = try UinputDevice()
      let daemon = try DaemonProcess(["--device", keyboard.path, "--config", folder.path])
      try daemon.waitForLine(containing: "no key of it has a strategy")
      #expect(try Clones.present().isEmpty)
      #expect(try EventReader(path: keyboard.path).grab(), "someone has grabbed the keyboard")
      try folder.write(defaults: "[defaults]\nstrategy = \"eager-defer\"\nthreshold = 1\n")
      daemon.signal(SIGHUP)
      let application = try EventReader(path: daemon.waitForClone())
      #expect(try application.moves(of: Self.twoStrokes, on: keyboard) == Self.twoStrokes.moves)

      try folder.write(defaults: Self.holdingReleases)
      keyboard.send(31, down: true)
      daemon.signal(SIGHUP)
      try daemon.waitForLine(containing: "reloaded the configuration")
      // This key was down: its stroke ends by the old settings.
      try application.move(31, down: false, on: keyboard)
      keyboard.play(Self.twoStrokes)
      sleep(until: monotonicNow() + 600_000)
      #expect(try application.moves(on: keyboard).filter { $0.code == 30 } == .stroke(30))
    }

    @Test("that are broken change nothing, and are told of without the names of keys")
    func broken() throws {
      let folder = try ConfigurationFolder()
      let (keyboard, daemon, application) = try Desk(settings: folder).all

      try folder.write(defaults: Self.holdingReleases + "\n")
      try folder.write(device: "10-desk.toml", "[device]\nname = \"desk\"\n\n[keys]\nKEY_EE = 40\n")
      let reload = try Command(["reload"])
      #expect(reload.status == 78)
      #expect(reload.errors.contains("10-desk.toml:5:1"))
      try daemon.waitForLine(containing: "10-desk.toml:5:1: an unknown key")
      try daemon.waitForLine(containing: "the settings from before still hold")
      #expect(!daemon.log.contains("KEY_"))
      #expect(try Command(["status", "--json"]).output.contains("10-desk.toml:5:1"))
      #expect(try application.moves(of: Self.twoStrokes, on: keyboard) == Self.twoStrokes.moves)

      try folder.write(device: "10-desk.toml", "[device]\nname = \"desk\"\n")
      let mended = try Command(["reload"])
      #expect(mended.status == 0, "\(mended.errors)")
      // There is no such device here.
      try daemon.waitForLine(containing: ": matches no device that is present")
    }

    @Test("choose another panic chord, which holds at once")
    func panicChord() throws {
      let folder = try ConfigurationFolder()
      let (keyboard, daemon, application) = try Desk(settings: folder).all
      try folder.write(defaults: "[defaults]\npanic = [\"KEY_F1\", \"KEY_F2\"]\n")
      daemon.signal(SIGHUP)
      try daemon.waitForLine(containing: "reloaded the configuration")
      // Backspace, Escape and Enter are keys as others now.
      for key in usualChord { keyboard.send(key, down: true) }
      for key in usualChord { keyboard.send(key, down: false) }
      #expect(try application.moves(on: keyboard).count == 6)
      keyboard.send(59, down: true)
      keyboard.send(60, down: true)
      try daemon.waitForLine(containing: "the panic chord was held")
      #expect(try daemon.waitForEnd() == 75)
      #expect(try EventReader(path: keyboard.path).grab(), "the keyboard is still grabbed")
    }

    @Test("take what a file names, and give back what it ignores, with nothing stuck")
    func takenAndGivenBack() throws {
      let folder = try ConfigurationFolder()
      let keyboard = try UinputDevice()
      try BuiltInKeyboard.detach()
      let daemon = try DaemonProcess(call: ["run", "--config", folder.path])
      // A virtual device: left alone unless a file asks for it.
      let named = "[device]\nname = \"keydebounce test keyboard\"\nvirtual = true\n"
      try daemon.waitForLine(containing: "waiting for one to be plugged in")
      for _ in 0..<3 {
        try folder.write(device: "test.toml", named)
        daemon.signal(SIGHUP)
        let application = try EventReader(path: daemon.waitForClone())
        try application.move(30, down: true, on: keyboard)
        try folder.write(device: "test.toml", named + "ignore = true\n")
        daemon.signal(SIGHUP)
        try daemon.waitForLine(containing: "given back")
        let last = try application.frames(upTo: .key(30, down: false))
        #expect(keyMoves(last).last == .key(30, down: false))
        keyboard.send(30, down: false)
        try daemon.waitForLine(containing: "presses passed on")
        #expect(try EventReader(path: keyboard.path).grab(), "the keyboard is still grabbed")
      }
    }
  }
}

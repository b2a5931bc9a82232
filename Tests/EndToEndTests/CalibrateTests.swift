import Control
import Debounce
import EventDevices
import Foundation
import Glibc
import StrokeFixtures
import TestMachine
import Testing

extension EndToEnd {
  @Suite("keydebounce calibrate")
  struct CalibrateTests {
    private let folder: ConfigurationFolder
    private let keyboard: UinputDevice

    init() throws {
      folder = try ConfigurationFolder()
      keyboard = try UinputDevice(name: "worn keyboard")
    }

    /// Without what is shown in the end: that goes to standard output.
    private static let quiet = ["/bin/sh", "-c", "exec \"$@\" >/dev/null", "sh"]

    @Test(
      "gives the terminal back at every step, takes nothing from the daemon, tells what was found, and writes nothing",
      // Ctrl-C on the terminal, or a signal.
      arguments: [(0, nil), (3, nil), (1, SIGTERM), (2, SIGHUP)]
        + (isEndurance ? [(1, nil), (2, nil)] : []) as [(Int, CInt?)])
    func brokenOff(_ steps: Int, _ signal: CInt?) throws {
      let daemon = try Desk(keyboard, settings: folder).daemon
      let terminal = try PseudoTerminal()
      terminal.resize(columns: 100, rows: 30)
      let before = terminal.settings
      let calibrate = try WatchingProcess(
        ["calibrate", keyboard.path, "--config", folder.path], on: terminal)
      try calibrate.waitForLine(containing: "keydebounce calibrate")
      #expect(!terminal.settings.echoes)
      for _ in 0..<4 { keyboard.play(.worn(18)) }
      let titles = ["suspects so far", "one tap a beat", "Hold KEY_E", "Double taps of KEY_E"]
      for step in 0...steps {
        if step > 0 { keyboard.play(.pausing(Self.onward)) }
        try calibrate.waitForLine(containing: titles[step])
      }
      terminal.resize(columns: 120, rows: 40)
      terminal.type("secret")
      if let signal { calibrate.signal(signal) } else { terminal.type("\u{03}") }
      #expect(try calibrate.waitForEnd() == 0)
      #expect(terminal.settings == before)
      #expect(terminal.countTyped() == 0)
      #expect(isLeftAsFound(calibrate.shownSoFar()))
      // Calibrate tells what it has found so far, unless the terminal has gone.
      #expect(calibrate.shownSoFar().contains("press bounces (A)") == (signal != SIGHUP))
      #expect(calibrate.errors.contains("there is nothing to set") == (signal != SIGHUP))
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/calibrated.d"))
      #expect(!daemon.log.contains("given back"))
      #expect(
        try DaemonClient.statusNow().devices.first { $0.node == keyboard.path }?.state == .debounced
      )
    }

    @Test("says in plain lines what to do where the terminal is small")
    func smallTerminal() throws {
      let terminal = try PseudoTerminal()
      terminal.resize(columns: 38, rows: 20)
      let calibrate = try WatchingProcess(
        ["calibrate", keyboard.path, "--config", folder.path], on: terminal)
      try terminal.waitForSilence()
      for _ in 0..<3 { keyboard.play(.worn(18)) }
      // Typing, taps, holds, doubles and typing again are skipped.
      for _ in 0..<5 { keyboard.play(.pausing(Self.onward)) }
      let lines = try calibrate.waitForLine(containing: "KEY_E")
      #expect(!lines.contains { $0.contains("\u{1b}[?1049h") || $0.contains("\u{1b}[2K") })
      #expect(try calibrate.waitForEnd() == 0)
      #expect(calibrate.errors.contains("Tap KEY_E"))
    }

    @Test("the panic chord ends it at once")
    func panicChord() throws {
      let calibrate = try DaemonProcess(
        call: ["calibrate", keyboard.path, "--config", folder.path], wrapper: Self.quiet)
      try calibrate.waitForLine(containing: "Type. ")
      for key in usualChord { keyboard.send(key, down: true) }
      #expect(try calibrate.waitForEnd() == 75)
      for key in usualChord { keyboard.send(key, down: false) }
    }

    /// Has it listen to ordinary work.
    ///
    /// - Returns: It, and the file in which is what it shows in the end.
    private func listen(_ options: String...) throws -> (
      calibrate: DaemonProcess, shown: String
    ) {
      let shown = folder.path + "/shown"
      let calibrate = try DaemonProcess(
        call: ["calibrate", keyboard.path, "--config", folder.path, "--passive"] + options,
        wrapper: ["/bin/sh", "-c", "exec \"$@\" >'\(shown)'", "sh"])
      try calibrate.waitForLine(containing: "listening to")
      return (calibrate, shown)
    }

    @Test("listens to ordinary work, and judges at Ctrl-C")
    func passive() throws {
      let (calibrate, shown) = try listen()
      for _ in 0..<5 {
        keyboard.play(.worn(18))
        keyboard.play(.pausing(Self.onward))
      }
      let console = try EventReader(path: keyboard.path)
      _ = try console.moves(on: keyboard)
      calibrate.signal(SIGINT)
      try calibrate.waitForLine(containing: "there is nothing to set")
      #expect(try calibrate.waitForEnd() == 0)
      let text = try String(contentsOfFile: shown, encoding: .utf8)
      #expect(text.contains("one key is worn"), "\(text)")
      #expect(text.contains("KEY_E worn"))
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/calibrated.d"))
    }

    @Test("judges a keyboard that the daemon debounces by every frame that the keyboard sent")
    func everyFrame() throws {
      try folder.write(
        device: "10.toml", "[device]\nname = \"worn keyboard\"\nvirtual = true\n")
      let daemon = try DaemonProcess(call: ["run", "--config", folder.path])
      let application = try EventReader(path: daemon.waitForClone(of: keyboard.path))
      let recording = folder.path + "/recording.evemu"
      let record = try DaemonProcess(
        call: ["record", keyboard.path, "-o", recording], recording: recording)
      try record.waitForLine(containing: "Ctrl-C ends it")
      let (calibrate, shown) = try listen("--json")
      try calibrate.waitForLine(
        containing: "the daemon holds the device, and debounces it meanwhile")
      for key: KeyCode in [18, 30, 31, 44, 18, 30, 31, 44, 18] {
        keyboard.play(.worn(key))
        keyboard.play(.pausing(key))
        #expect(try application.moves(on: keyboard).count { $0 == .key(key, down: true) } == 2)
      }
      _ = try DaemonClient.statusNow()
      calibrate.signal(SIGINT)
      try calibrate.waitForLine(
        containing: "the daemon meanwhile: 36 presses in, 27 out; removed: 9 press bounces")
      #expect(try calibrate.waitForEnd() == 0)
      #expect(!calibrate.log.contains("lost"))
      #expect(try record.end(by: SIGINT) == 0)
      withExtendedLifetime(daemon) {}

      // The recording has each frame: RecordTests holds that against what the keyboard sent.
      let recorded = try Command([
        "calibrate", "--from", recording, "--json", "--config", folder.path,
      ])
      let live = try String(contentsOfFile: shown, encoding: .utf8)
      #expect(
        try Self.judgement(live) == Self.judgement(recorded.output), "\(live)\n\(recorded.output)")
      #expect(live.contains("KEY_E"))
    }

    /// What the JSON of a calibration says of the keys.
    private static func judgement(_ json: String) throws -> String {
      var fields = try #require(
        JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any], "\(json)")
      // A recording does not have the serial number of its device.
      for field in ["method", "device"] { fields[field] = nil }
      let data = try JSONSerialization.data(
        withJSONObject: fields, options: [.sortedKeys, .prettyPrinted])
      return String(decoding: data, as: UTF8.self)
    }

    @Test("takes the keyboard on which a key is pressed")
    func pressedKey() throws {
      // Devices that programs make are taken only if a file says so.
      for name in ["first keyboard", "second keyboard"] {
        try folder.write(device: "\(name).toml", "[device]\nname = \"\(name)\"\nvirtual = true\n")
      }
      let first = try UinputDevice(name: "first keyboard")
      let second = try UinputDevice(name: "second keyboard")
      let terminal = try PseudoTerminal()
      let before = terminal.settings
      let ended = try WatchingProcess(
        ["calibrate", "--config", folder.path], on: terminal, isAsking: true)
      try ended.waitForLine(containing: "press a key on the keyboard you mean")
      try terminal.waitForSilence()
      terminal.type("\u{03}")
      #expect(try ended.waitForEnd() == 0)
      #expect(terminal.settings == before)

      let calibrate = try DaemonProcess(
        call: ["calibrate", "--config", folder.path], wrapper: Self.quiet)
      try calibrate.waitForLine(containing: "press a key on the keyboard you mean")
      second.play(.pausing(30))
      try calibrate.waitForLine(containing: "listening to “second keyboard” (\(second.path))")
      #expect(try calibrate.end() == 0)
      withExtendedLifetime(first) {}
    }

    /// Whether a terminal on which this was shown has its first screen again, and its cursor.
    private func isLeftAsFound(_ shown: String) -> Bool {
      func count(_ text: String) -> Int { shown.ranges(of: text).count }
      let isBack = count("\u{1b}[?1049h") > 0 && count("\u{1b}[?1049h") == count("\u{1b}[?1049l")
      let last = shown.ranges(of: "\u{1b}[?25").last?.upperBound
      return isBack && last.map { shown[$0] == "h" } == true
        && shown.contains("\u{1b}[?25h\u{1b}[?1049l")
    }

    /// `KEY_RIGHT`.
    private static let onward: KeyCode = 106
  }
}

extension [Edge] {
  /// A stroke that begins with a bounce, and a pause.
  static func worn(_ key: KeyCode) -> [Edge] {
    edges(of: key, at: 0, 5, 11, 100).pausing(until: 320)
  }

  /// A stroke, and a pause.
  static func pausing(_ key: KeyCode) -> [Edge] { stroke(key).pausing(until: 450) }
}

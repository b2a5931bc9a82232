import Debounce
import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  /// What this is like on a machine that was booted without systemd is seen with `make without-systemd`.
  @Suite("Without libsystemd")
  struct WithoutSystemdTests {
    /// The library, hidden from programs that start while the value lives.
    private final class Absence {
      private let paths: [String]

      init() throws {
        let folders = ["/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
        paths = folders.map { $0 + "/libsystemd.so.0" }.filter { access($0, F_OK) == 0 }
        for path in paths { try #require(rename(path, path + ".away") == 0) }
        try #require(!paths.isEmpty, "there is no libsystemd to be hidden")
      }

      deinit {
        for path in paths { rename(path + ".away", path) }
      }
    }

    /// What is pressed twice within a second was pressed once, however slow the machine is.
    private static let settings = """
      [device]
      name = "worn keyboard"
      virtual = true

      [debounce]
      strategy = "eager"
      threshold = 1000
      """

    @Test("a keyboard is taken, debounced and given back, and what cannot be done is said")
    func debounced() throws {
      let absence = try Absence()
      let bus = try? SystemBus()
      let folder = try ConfigurationFolder()
      try folder.write(device: "10.toml", Self.settings)
      let keyboard = try UinputDevice(name: "worn keyboard")
      let console = try EventReader(path: keyboard.path)
      let daemon = try DaemonProcess(["--device", keyboard.path, "--config", folder.path])
      try daemon.waitForLine(containing: "no libsystemd (libsystemd.so.0: cannot open")
      let application = try EventReader(path: daemon.waitForClone())
      for _ in 0..<2 {
        keyboard.send(18, down: true)
        keyboard.send(18, down: false)
      }
      try keyboard.playMark()
      let received = keyMoves(try application.framesUpToMark())
      #expect(received.filter { $0 == .key(18, down: true) }.count == 1, "\(received)")
      #expect(console.framesAtHand().isEmpty, "the keyboard is read past the daemon")

      for command in ["status", "reload"] {
        let refusal = try Command([command])
        #expect(refusal.status == 1)
        #expect(refusal.errors.contains("cannot reach the daemon"), "\(refusal.errors)")
        #expect(refusal.errors.contains("libsystemd.so.0: cannot open"), "\(refusal.errors)")
      }
      let list = try Command(["list", "--config", folder.path])
      #expect(list.status == 0 && list.output.contains("worn keyboard"), "\(list)")
      let monitor = try WatchingProcess(["monitor", keyboard.path])
      try monitor.waitForLine(containing: "PASSED ON")
      #expect(try monitor.end(by: SIGINT) == 0)
      #expect(
        monitor.errors.contains(
          "keydebounce (process \(daemon.processIdentifier)) has \(keyboard.path) open"),
        "\(monitor.errors)")

      try folder.write(
        device: "10.toml", Self.settings.replacing("\"eager\"", with: "\"none\""))
      daemon.signal(SIGHUP)
      try daemon.waitForLine(containing: "reloaded")
      #expect(try daemon.end() == 0)
      keyboard.send(30, down: true)
      let own = try console.frames { $0.events.contains(.key(30, down: true)) }
      #expect(keyMoves(own).last == .key(30, down: true))
      withExtendedLifetime((absence, bus)) {}
    }

    @Test("a daemon that has nothing to do sleeps: the library is not looked for again")
    func idle() throws {
      let absence = try Absence()
      let desk = try Desk()
      try desk.daemon.waitForIdleness(lasting: 3_000_000)
      withExtendedLifetime(absence) {}
    }

    @Test("monitor shows a keyboard that nobody holds")
    func monitor() throws {
      let absence = try Absence()
      let keyboard = try UinputDevice(name: "watched keyboard")
      let monitor = try WatchingProcess(["monitor", keyboard.path])
      try monitor.waitForLine(containing: "PASSED ON")
      keyboard.send(30, down: true)
      try monitor.waitForLine(containing: "KEY_A")
      #expect(try monitor.end(by: SIGINT) == 0)
      #expect(!monitor.errors.contains("libsystemd"), "\(monitor.errors)")
      withExtendedLifetime(absence) {}
    }

    @Test("calibrate finds a chattering key and writes its file")
    func calibrate() throws {
      let absence = try Absence()
      let folder = try ConfigurationFolder()
      // The default would leave nothing to set.
      try folder.write(
        device: "10.toml",
        """
        [device]
        name = "worn keyboard"
        virtual = true
        [debounce]
        strategy = "none"
        [keys]
        KEY_A = "adaptive"
        """)
      let keyboard = try UinputDevice(name: "worn keyboard")
      let calibrate = try DaemonProcess(
        call: ["calibrate", keyboard.path, "--config", folder.path, "--apply"],
        wrapper: ["/bin/sh", "-c", "exec \"$@\" >/dev/null", "sh"])
      try calibrate.waitForLine(containing: "Type. ")
      for _ in 0..<8 {
        keyboard.play(.worn(18))
        keyboard.play(.pausing(30))
      }
      keyboard.play(.pausing(Self.onward))
      try calibrate.waitForLine(containing: "Tap KEY_E")
      for index in 0..<32 { keyboard.play(index.isMultiple(of: 2) ? .worn(18) : .pausing(18)) }
      try calibrate.waitForLine(containing: "Hold KEY_E")
      keyboard.play(.pausing(Self.onward))
      try calibrate.waitForLine(containing: "Double taps of KEY_E")
      keyboard.play(.pausing(Self.onward))
      try calibrate.waitForLine(containing: "Type again")
      keyboard.play(.pausing(Self.onward))
      try calibrate.waitForLine(containing: "written: \(folder.path)/calibrated.d/worn-keyboard")
      try calibrate.waitForLine(
        containing: "without libsystemd, keydebounce cannot tell the service")
      #expect(try calibrate.waitForEnd() == 0)
      let written = folder.path + "/calibrated.d"
      let files = try FileManager.default.contentsOfDirectory(atPath: written)
      #expect(files.count == 1)
      let text = try String(contentsOfFile: "\(written)/\(files.first ?? "")", encoding: .utf8)
      #expect(text.contains("\nKEY_E = { ") && !text.contains("KEY_A ="), "\(text)")
      withExtendedLifetime(absence) {}
    }

    /// The key that goes on to the next step.
    private static let onward: KeyCode = 106
  }
}

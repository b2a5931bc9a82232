import Debounce
import EventDevices
import Foundation
import StrokeFixtures
import TestMachine
import Testing

extension EndToEnd {
  @Suite("From a worn keyboard to a cured one")
  struct GuidedRunTests {
    /// Everything passes but what `KEY_A` sends, so that other keys are seen to chatter until they are calibrated.
    private static let settings = passing(
      "*USB Keyboard", except: "[keys]\nKEY_A = \"adaptive\"")

    private static let worn: KeyCode = 18  // KEY_E
    private static let healthy: KeyCode = 16  // KEY_Q
    private static let onward: KeyCode = 106  // KEY_RIGHT

    @Test("a person at a USB keyboard is led through it, says yes, and types on without chatter")
    func wholeRun() throws {
      let hypervisor = try Hypervisor()
      let folder = try ConfigurationFolder(device: Self.settings)
      let daemon = try DaemonProcess.beforeDevices(["--config", folder.path])
      try hypervisor.plugKeyboard("worn")
      let person = UsbPlayer(hypervisor: hypervisor)

      // As it is, the chatter of both keys comes through.
      let clone = try daemon.waitForClone()
      let before = try EventReader(path: clone)
      #expect(
        try before.moves(
          of: .worn(Self.worn) + [Edge].worn(Self.healthy).later(by: 330), on: person)
          == [Self.worn, Self.worn, Self.healthy, Self.healthy].flatMap { [Event].stroke($0) })

      let terminal = try PseudoTerminal()
      terminal.resize(columns: 100, rows: 30)
      let settings = terminal.settings
      let calibrate = try WatchingProcess(
        ["calibrate", "--config", folder.path], on: terminal, isAsking: true)
      try calibrate.waitForLine(containing: "Type")
      /// Does so until the screen shows what is waited for.
      func `repeat`(until text: String, _ strokes: [Edge]...) throws {
        for index in 0..<60 {
          if calibrate.shownSoFar().contains(text) { return }
          try person.play(strokes[index % strokes.count])
        }
        try calibrate.waitForLine(containing: text)
      }
      // Two keys in turn, of which one bounces.
      try `repeat`(
        until: "suspects so far", .worn(Self.worn), .tapping(Self.healthy),
        .worn(Self.worn), .tapping(Self.healthy))
      try person.play(.tapping(Self.onward))
      try calibrate.waitForLine(containing: "Tap KEY_E")
      // Late and badly: with a tap too many, and holds that are let go early. A tap too many is no fault.
      try person.play(.doubleTapping(Self.worn))
      try `repeat`(until: "Hold KEY_E", .worn(Self.worn), .tapping(Self.worn))
      try person.play(.tapping(Self.worn))
      // “Let go too soon: keep it down”; each word is drawn by itself.
      try calibrate.waitForLine(containing: "soon:")
      try `repeat`(until: "Double taps of KEY_E", .holding(Self.worn))
      // A busy machine may stretch doubles until they are none: some will do.
      for _ in 0..<8 { try person.play(.doubleTapping(Self.worn)) }
      try person.play(.tapping(Self.onward))
      // Where one key is worn, others may be. The person has typed enough.
      try calibrate.waitForLine(containing: "Type again")
      try person.play([Edge(Self.onward, down: false, at: 500_000)] + .tapping(Self.onward))
      try calibrate.waitForQuestion(endingIn: "[y/N] ")
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/calibrated.d"))
      #expect(terminal.settings == settings)
      #expect(calibrate.shownSoFar().contains("+KEY_E = "))
      #expect(!calibrate.shownSoFar().contains("+KEY_Q = "))

      // The keyboard was the daemon's all the time, and the terminal is an application like others.
      #expect(!daemon.log.contains("given back"))
      let desktop = try EventReader(path: clone)
      for (key, text) in [(21, "y"), (28, "\n")] as [(KeyCode, String)] {
        try person.play(.tapping(key))
        _ = try desktop.frames(upTo: .key(key, down: false))
        terminal.type(text)
      }
      try calibrate.waitForLine(containing: "keydebounce: written:")
      try calibrate.waitForLine(containing: "the service uses it from now on")
      #expect(try calibrate.waitForEnd() == 0)
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/calibrated.d")
      #expect(files.count == 1 && files[0].hasPrefix("qemu-qemu-usb"), "\(files)")

      _ = desktop.framesAtHand()
      // An emulated machine may stretch a bounce; by the daemon's own record it is known whether it did.
      for attempt in 1...10 {
        let earlier = try daemon.recording(withMarks: attempt)
        let moves = try desktop.moves(
          of: .worn(Self.worn) + [Edge].worn(Self.healthy).later(by: 330), on: person)
        let now = try daemon.recording(withMarks: attempt + 1)
        let sent = now.raw[earlier.raw.count...].filter { $0.concerns(Self.worn) }
        guard sent.count == 4, sent[2].time - sent[1].time < 30_000 else { continue }
        #expect(
          moves == [Self.worn, Self.healthy, Self.healthy].flatMap { [Event].stroke($0) })
        // What is healthy is passed on as it comes, and at once.
        let untouched = now.raw[earlier.raw.count...].filter { $0.concerns(Self.healthy) }
        let passedOn = now.clean[earlier.clean.count...].filter { $0.concerns(Self.healthy) }
        #expect(untouched.count == 4)
        #expect(passedOn == untouched)
        try hypervisor.unplug("worn")
        try daemon.waitForLine(containing: "was unplugged")
        return
      }
      Issue.record("the machine was too slow to play a bounce in time, even once")
    }
  }
}

extension Frame {
  fileprivate func concerns(_ key: KeyCode) -> Bool {
    events.contains { $0.type == EventType.key && $0.code == key && $0.value != 2 }
  }
}

extension [Edge] {
  /// A single stroke, and a pause.
  fileprivate static func tapping(_ key: KeyCode) -> [Edge] { stroke(key).pausing(until: 300) }

  /// Held for about two seconds, and a pause.
  fileprivate static func holding(_ key: KeyCode) -> [Edge] {
    edges(of: key, at: 0, 1800).pausing(until: 2100)
  }

  /// Two quick strokes, and a pause.
  fileprivate static func doubleTapping(_ key: KeyCode) -> [Edge] {
    edges(of: key, at: 0, 60, 140, 200).pausing(until: 420)
  }
}

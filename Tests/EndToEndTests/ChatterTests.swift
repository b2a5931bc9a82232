import Debounce
import EventDevices
import TestMachine
import Testing

/// Strokes with chatter in them, and what must come of them.
struct Scenario: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let raw: String
  let clean: String

  static let all = [
    Scenario("a stroke", "A+0 A-100", clean: "A+0 A-100"),
    Scenario("a press bounce", "A+0 A-8 A+16 A-120", clean: "A+0 A-120"),
    Scenario("a chain of press bounces", "A+0 A-8 A+16 A-24 A+32 A-150", clean: "A+0 A-150"),
    Scenario("a release bounce", "A+0 A-100 A+108 A-116", clean: "A+0 A-100"),
    Scenario(
      "a chain of release bounces", "A+0 A-100 A+108 A-116 A+124 A-132", clean: "A+0 A-100"),
    Scenario(
      "bounces at both ends", "A+0 A-8 A+16 A-120 A+128 A-136", clean: "A+0 A-120"),
    Scenario(
      "a drop-out of a key that has bounced before", "A+0 A-8 A+16 A-120 A+300 A-400 A+408 A-600",
      clean: "A+0 A-120 A+300 A-600"),
    Scenario("a genuine double", "A+0 A-90 A+150 A-240", clean: "A+0 A-90 A+150 A-240"),
    Scenario(
      "rollover", "A+0 S+60 A-100 D+130 S-160 D-220", clean: "A+0 S+60 A-100 D+130 S-160 D-220"),
    Scenario(
      "Shift held over letters", "SHIFT+0 A+80 A-150 S+200 S-270 SHIFT-330 D+400 D-480",
      clean: "SHIFT+0 A+80 A-150 S+200 S-270 SHIFT-330 D+400 D-480"),
    Scenario(
      "a held key that chatters while others type",
      "A+0 A-8 A+16 S+100 S-160 A-200 A+208 D+300 D-360 A-450",
      clean: "A+0 S+100 S-160 D+300 D-360 A-450"),
  ]

  init(_ name: String, _ raw: String, clean: String) {
    testDescription = name
    self.raw = raw
    self.clean = clean
  }
}

extension EndToEnd {
  @Suite("A keyboard that chatters comes out clean")
  struct ChatterTests {
    @Test("made by a program", arguments: Scenario.all)
    func uinput(scenario: Scenario) throws {
      let keyboard = try UinputDevice()
      let daemon = try DaemonProcess(["--device", keyboard.path])
      try check(scenario, played: keyboard, through: daemon)
    }

    @Test("plugged into USB", arguments: Scenario.all)
    func usb(scenario: Scenario) throws {
      let hypervisor = try Hypervisor()
      try BuiltInKeyboard.detach()
      let daemon = try DaemonProcess()
      try daemon.waitForLine(containing: "waiting for one to be plugged in")
      try hypervisor.plugKeyboard("worn")
      try check(scenario, played: UsbPlayer(hypervisor: hypervisor), through: daemon)
      try hypervisor.unplug("worn")
      try daemon.waitForLine(containing: "was unplugged")
    }

    /// Plays the scenario until it came out in time, and checks what was received each time.
    ///
    /// An emulated machine may stretch a bounce of 8 ms to one that nobody would take for a bounce. By the time
    /// stamps that the daemon read it is known whether that happened.
    private func check(
      _ scenario: Scenario, played player: some Player, through daemon: DaemonProcess
    ) throws {
      let application = try EventReader(path: daemon.waitForClone())
      var framesSeen = (raw: 0, clean: 0)
      // Other keys each time: the engine must not remember this key's earlier bounces.
      for (attempt, row) in [16, 30, 44].flatMap({ [$0, $0 + 4] }).enumerated() {
        let keys: [String: KeyCode] = [
          "A": KeyCode(row), "S": KeyCode(row + 1), "D": KeyCode(row + 2), "SHIFT": 42,
        ]
        let (raw, clean) = (
          Strokes(scenario.raw, keys: keys), Strokes(scenario.clean, keys: keys)
        )
        try #require(cleaned(raw.frames) == clean.moves, "the scenario itself is wrong")

        try player.play(raw)
        try player.playMark()
        let received = try application.framesUpToMark()

        let recording = try daemon.recording(withMarks: attempt + 1)
        #expect(recording.clean == recording.replayed, "the run is not what the engine does")
        let sent = recording.raw[framesSeen.raw...].filter { !isMark($0) }
        let passedOn = recording.clean[framesSeen.clean...].filter { !isMark($0) }
        framesSeen = (recording.raw.count, recording.clean.count)
        #expect(keyMoves(sent) == raw.moves, "the keyboard sent something else")
        #expect(
          received.filter { !isRepeat($0) }.map(\.events) == passedOn.map(\.events),
          "the clone delivered something else than it was given")

        if cleaned(sent) == clean.moves {
          #expect(keyMoves(received) == clean.moves)
          return
        }
      }
      Issue.record("the machine was too slow to play this in time, even once")
    }

    private func isMark(_ frame: Frame) -> Bool {
      frame.events.contains { $0.type == EventType.key && $0.code == mark }
    }

    /// A repeat that the clone made by itself while a key was held.
    private func isRepeat(_ frame: Frame) -> Bool {
      frame.events.contains { $0.type == EventType.key && $0.value == 2 }
    }
  }
}

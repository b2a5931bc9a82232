import Debounce
import EventDevices
import StrokeFixtures
import TestMachine
import Testing

/// The cases of a fixture, which the engine's own tests play as well.
private let scenarios: [StrokeCase] = {
  do {
    return try StrokeCase.load(DaemonProcess.fixtures + "/chatter.strokes")
  } catch {
    Issue.record(error)
    return []
  }
}()

extension EndToEnd {
  @Suite("A keyboard that chatters comes out clean")
  struct ChatterTests {
    @Test("there are scenarios to play")
    func scenariosAreThere() {
      #expect(scenarios.count >= 10)
    }

    @Test("made by a program", arguments: scenarios)
    func uinput(scenario: StrokeCase) throws {
      let keyboard = try UinputDevice()
      let daemon = try DaemonProcess(["--device", keyboard.path])
      try check(scenario, played: keyboard, through: daemon)
    }

    // The engine makes the same of a scenario whatever the device: a few are enough here.
    @Test("plugged into USB", arguments: isEndurance ? scenarios : Array(scenarios.prefix(3)))
    func usb(scenario: StrokeCase) throws {
      let hypervisor = try Hypervisor()
      let daemon = try DaemonProcess.beforeDevices()
      try hypervisor.plugKeyboard("worn")
      let received = try check(
        scenario, played: UsbPlayer(hypervisor: hypervisor), through: daemon)
      #expect(received.allSatisfy { $0.events.first?.isScan == true }, "a scan code is missing")
      try hypervisor.unplug("worn")
      try daemon.waitForLine(containing: "was unplugged")
    }

    /// Plays the scenario until it came out in time, and checks what was received each time.
    ///
    /// An emulated machine may stretch a bounce of 8 ms to one that nobody would take for a bounce. By the time
    /// stamps that the daemon read it is known whether that happened.
    ///
    /// - Returns: What an application received of the last try.
    @discardableResult
    private func check(
      _ scenario: StrokeCase, played player: some Player, through daemon: DaemonProcess
    ) throws -> [Frame] {
      let application = try EventReader(path: daemon.waitForClone())
      var framesSeen = (raw: 0, clean: 0)
      // Other keys each time: the engine must not remember this key's earlier bounces.
      for (attempt, row) in [16, 30, 44].flatMap({ [$0, $0 + 4] }).enumerated() {
        let keys: [KeyCode: KeyCode] = [
          30: KeyCode(row), 31: KeyCode(row + 1), 32: KeyCode(row + 2),
        ]
        let (raw, clean) = (scenario.raw.on(keys), scenario.clean.on(keys))
        try #require(cleaned(raw.frames) == clean.moves, "the scenario itself is wrong")

        try player.play(raw)
        try player.playMark()
        let received = try application.framesUpToMark().filter { !$0.isRepeat }

        let recording = try daemon.recording(withMarks: attempt + 1)
        #expect(recording.clean == recording.replayed, "the run is not what the engine does")
        let played = Array(recording.raw[framesSeen.raw...])
        let sent = played.filter { !$0.isMark }
        let passedOn = recording.clean[framesSeen.clean...].filter { !$0.isMark }
        framesSeen = (recording.raw.count, recording.clean.count)
        #expect(keyMoves(sent) == raw.moves, "the keyboard sent something else")
        #expect(
          received.map(\.events) == passedOn.map(\.events),
          "the clone delivered something else than it was given")

        // With the mark: where all of it came at once, that is a machine's next stroke, and nothing was a bounce.
        if cleaned(played).filter({ $0.code != mark }) == clean.moves {
          #expect(keyMoves(received) == clean.moves)
          return received
        }
      }
      Issue.record("the machine was too slow to play this in time, even once")
      return []
    }
  }
}

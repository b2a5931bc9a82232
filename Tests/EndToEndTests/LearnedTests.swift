import Debounce
import EventDevices
import Recording
import Status
import StrokeFixtures
import TestMachine
import Testing

extension EndToEnd {
  @Suite("What was learned of a device")
  struct LearnedTests {
    private let state: TemporaryFolder
    private let key: KeyCode = 30

    init() throws {
      state = try TemporaryFolder()
    }

    /// A stroke whose contact fails for a moment while the key is held.
    private var dropOut: [Edge] { .edges(of: key, at: 0, 100, 108, 300) }

    /// A daemon that keeps what it learns, and an application that reads the clone.
    ///
    /// - Parameter knowing: Whether the daemon has learned something earlier.
    private func start(
      _ keyboard: UinputDevice, knowing: Bool = false
    ) throws -> (DaemonProcess, EventReader) {
      let daemon = try DaemonProcess(["--device", keyboard.path, "--state", state.path])
      let application = try EventReader(path: daemon.waitForClone())
      if knowing { try daemon.waitUntilSaid("going on from what was learned of it earlier") }
      return (daemon, application)
    }

    /// Plays bounces until one was evidence: until the machine has kept its times.
    private func showEvidence(
      _ keyboard: UinputDevice, _ daemon: DaemonProcess, _ application: EventReader
    ) throws {
      for _ in 0..<10 {
        // A stroke that begins with a bounce: evidence against the switch.
        _ = try application.moves(of: .edges(of: key, at: 0, 8, 14, 200), on: keyboard)
        let replay = Replay(try daemon.recorded(), knowing: try daemon.recordedHabits())
        if replay.habits.isBad(key) { return }
      }
      throw WaitedInVain(description: "the machine is too slow for a bounce of 8 ms")
    }

    /// Plays the strokes until the machine has kept the times of one of them.
    ///
    /// - Returns: How many presses of it were passed on.
    private func presses(
      of strokes: [Edge], _ keyboard: UinputDevice, _ daemon: DaemonProcess,
      _ application: EventReader
    ) throws -> Int {
      for _ in 0..<10 {
        let before = try Replay(daemon.recorded()).raw.count
        let presses = try application.moves(of: strokes, on: keyboard)
          .count { $0 == .key(key, down: true) }
        let times = try Replay(daemon.recorded()).raw.dropFirst(before)
          .filter { $0.events.contains { $0.code == key } }
          .map(\.time)
        if times.count >= 3, times[2] - times[1] < 15_000 { return presses }
      }
      throw WaitedInVain(description: "the machine is too slow for a gap of 8 ms")
    }

    private func status(of keyboard: UinputDevice) throws -> DeviceCounts {
      try #require(DaemonStatus.ask().devices.first { $0.node == keyboard.path }?.counts)
    }

    /// What the daemon wrote is what the engine makes of the recording, with what stands in its head.
    private func expectReplay(of daemon: DaemonProcess) throws {
      let replay = Replay(try daemon.recorded(), knowing: try daemon.recordedHabits())
      #expect(replay.clean == replay.replayed)
      let run = try Command(["replay", daemon.recording])
      #expect(run.status == 0, "\(run.errors)")
      var parser = RecordingParser()
      let frames: [Frame] = try run.output.split(separator: "\n").compactMap {
        if case .raw(let frame) = try parser.read(line: Array($0.utf8)[...]) { frame } else { nil }
      }
      #expect(frames == replay.clean)
    }

    @Test("outlasts a restart, is in the recording's head, and goes with “status --reset”")
    func restart() throws {
      let keyboard = try UinputDevice()
      do {
        let (daemon, application) = try start(keyboard)
        try showEvidence(keyboard, daemon, application)
        let learned = try #require(try status(of: keyboard).keys.first { $0.code == key })
        #expect(learned.habits.badFor != nil && learned.isBad && learned.badSince != nil)
        #expect(try daemon.recordedHabits().isEmpty)
        #expect(try daemon.end() == 0)
        try expectReplay(of: daemon)
      }
      do {
        let (daemon, application) = try start(keyboard, knowing: true)
        // The first one that it sees.
        #expect(try presses(of: dropOut, keyboard, daemon, application) == 1)
        #expect(try daemon.recordedHabits().isBad(key))

        let reset = try Command(["status", "--reset", keyboard.path, "--key", "KEY_A"])
        #expect(reset.status == 0, "\(reset.errors)")
        let counts = try status(of: keyboard)
        #expect(!counts.keys.contains { $0.code == key })
        #expect(counts.badKeys == 0)
        #expect(try presses(of: dropOut, keyboard, daemon, application) == 2)
        #expect(try daemon.end() == 0)
        try expectReplay(of: daemon)
        // Without what was known, and dropped, another one.
        let entries = try daemon.recorded()
        #expect(entries.contains { if case .reset(key, _) = $0 { true } else { false } })
        #expect(Replay(entries).replayed != Replay(entries).clean)
      }
      do {
        let (daemon, application) = try start(keyboard)
        #expect(try presses(of: dropOut, keyboard, daemon, application) == 2)
        #expect(try daemon.end() == 0)
        try expectReplay(of: daemon)
      }
    }
  }
}

extension LearnedHabits {
  /// Whether the key is taken for bad.
  fileprivate func isBad(_ key: KeyCode) -> Bool {
    keys.contains { $0.code == key && $0.badFor != nil }
  }
}

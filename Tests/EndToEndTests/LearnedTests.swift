import Debounce
import EventDevices
import Foundation
import Glibc
import Recording
import Status
import StrokeFixtures
import TestMachine
import Testing

extension EndToEnd {
  @Suite("What was learned of a device")
  final class LearnedTests {
    private let state = "/tmp/state-\(UUID().uuidString)"
    private let key: KeyCode = 30

    init() throws {
      try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    }

    deinit {
      try? FileManager.default.removeItem(atPath: state)
    }

    /// A stroke that begins with a bounce: evidence against the switch.
    private var bounce: [Edge] { edges(0, 8, 14, 200) }

    /// A stroke whose contact fails for a moment while the key is held.
    private var dropOut: [Edge] { edges(0, 100, 108, 300) }

    /// Edges of the key at these times, in milliseconds.
    private func edges(_ times: Microseconds...) -> [Edge] {
      times.enumerated().map { Edge(key, down: $0 % 2 == 0, at: $1 * 1000) }
    }

    /// A daemon that keeps what it learns, and an application that reads the clone.
    ///
    /// - Parameter knowing: Whether the daemon has learned something earlier.
    private func start(
      _ keyboard: UinputDevice, knowing: Bool = false
    ) throws -> (DaemonProcess, EventReader) {
      let daemon = try DaemonProcess(["--device", keyboard.path, "--state", state])
      let application = try EventReader(path: daemon.waitForClone())
      if knowing { try daemon.waitUntilSaid("going on from what was learned of it earlier") }
      return (daemon, application)
    }

    /// Plays bounces until one was evidence: until the machine has kept its times.
    private func showEvidence(
      _ keyboard: UinputDevice, _ daemon: DaemonProcess, _ application: EventReader
    ) throws {
      for _ in 0..<10 {
        keyboard.play(bounce)
        try keyboard.playMark()
        _ = try application.framesUpToMark()
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
        let before = try daemon.recorded().count { if case .raw = $0 { true } else { false } }
        keyboard.play(strokes)
        try keyboard.playMark()
        let presses = try application.framesUpToMark().count {
          $0.events.contains(.key(key, down: true))
        }
        let raw = try daemon.recorded().compactMap { entry -> Frame? in
          if case .raw(let frame) = entry { frame } else { nil }
        }
        let times = raw.dropFirst(before).filter { $0.events.contains { $0.code == key } }
          .map(\.time)
        if times.count >= 3, times[2] - times[1] < 15_000 { return presses }
      }
      throw WaitedInVain(description: "the machine is too slow for a gap of 8 ms")
    }

    private func status(of keyboard: UinputDevice) throws -> DeviceCounts {
      let run = try Command(["status", "--json"])
      let status = try StatusJSON.decode(DaemonStatus.self, from: Array(run.output.utf8))
      return try #require(status.devices.first { $0.node == keyboard.path }?.counts)
    }

    private func end(_ daemon: DaemonProcess) throws {
      daemon.signal(SIGTERM)
      #expect(try daemon.waitForEnd() == 0)
    }

    /// What the daemon wrote is what the engine makes of the recording, with what stands in its head.
    private func expectReplay(of daemon: DaemonProcess) throws {
      let replay = Replay(try daemon.recorded(), knowing: try daemon.recordedHabits())
      #expect(replay.clean == replay.replayed)
      let run = try Command(["replay", daemon.recording])
      #expect(run.status == 0, "\(run.errors)")
      var parser = RecordingParser()
      let frames: [Frame] = try run.output.split(separator: "\n").compactMap {
        if case .raw(let frame) = try parser.read(line: $0) { frame } else { nil }
      }
      #expect(frames == replay.clean)
    }

    @Test("outlasts a restart, is in the recording's head, and goes with “status --reset”")
    func restart() throws {
      let bus = try SystemBus()
      let keyboard = try UinputDevice()
      do {
        let (daemon, application) = try start(keyboard)
        try daemon.waitUntilSaid("on the system bus")
        try showEvidence(keyboard, daemon, application)
        let learned = try #require(try status(of: keyboard).keys.first { $0.code == key })
        #expect(learned.habits.badFor != nil && learned.isBad && learned.badSince != nil)
        #expect(try daemon.recordedHabits().isEmpty)
        try end(daemon)
        try expectReplay(of: daemon)
      }
      do {
        let (daemon, application) = try start(keyboard, knowing: true)
        try daemon.waitUntilSaid("on the system bus")
        // The first one that it sees.
        #expect(try presses(of: dropOut, keyboard, daemon, application) == 1)
        #expect(try daemon.recordedHabits().isBad(key))

        let reset = try Command(["status", "--reset", keyboard.path, "--key", "KEY_A"])
        #expect(reset.status == 0, "\(reset.errors)")
        let counts = try status(of: keyboard)
        #expect(!counts.keys.contains { $0.code == key })
        #expect(counts.badKeys == 0)
        #expect(try presses(of: dropOut, keyboard, daemon, application) == 2)
        try end(daemon)
        try expectReplay(of: daemon)
        // Without what was known, and dropped, another one.
        let entries = try daemon.recorded()
        #expect(entries.contains { if case .reset(key, _) = $0 { true } else { false } })
        #expect(Replay(entries).replayed != Replay(entries).clean)
      }
      do {
        let (daemon, application) = try start(keyboard)
        #expect(try presses(of: dropOut, keyboard, daemon, application) == 2)
        try end(daemon)
        try expectReplay(of: daemon)
      }
      withExtendedLifetime(bus) {}
    }

    @Test("goes with the whole device, at once and on disk")
    func wholeDevice() throws {
      let bus = try SystemBus()
      let keyboard = try UinputDevice()
      for round in 0..<2 {
        let (daemon, application) = try start(keyboard)
        try daemon.waitUntilSaid("on the system bus")
        if round == 0 {
          try showEvidence(keyboard, daemon, application)
        } else {
          #expect(try status(of: keyboard).keys.contains { $0.habits.badFor != nil })
          // Its counts, and its days.
          #expect(try FileManager.default.contentsOfDirectory(atPath: state).count == 2)
          let name = try #require(
            StatusJSON.decode(
              DaemonStatus.self, from: Array(Command(["status", "--json"]).output.utf8)
            ).devices.first?.device.name)
          #expect(try Command(["status", "--reset", name]).status == 0)
          #expect(try status(of: keyboard).keys.isEmpty)
        }
        try end(daemon)
      }
      // Nothing was typed since.
      #expect(try FileManager.default.contentsOfDirectory(atPath: state).isEmpty)
      withExtendedLifetime(bus) {}
    }

    @Test("is not reset of what is not there, nor by who may not")
    func resetErrors() throws {
      let bus = try SystemBus()
      let keyboard = try UinputDevice()
      let (daemon, _) = try start(keyboard)
      try daemon.waitUntilSaid("on the system bus")
      let nobody = try Command(
        program: "/usr/bin/setpriv",
        [
          "--reuid=65534", "--regid=65534", "--clear-groups", DaemonProcess.program, "status",
          "--reset", keyboard.path,
        ])
      #expect(nobody.status == 77)
      #expect(nobody.errors.contains("group “keydebounce”"), "\(nobody.errors)")
      let device = try Command(["status", "--reset", "/dev/input/event999"])
      #expect(device.status == 1)
      #expect(device.errors.contains("event999"), "\(device.errors)")
      let key = try Command(["status", "--reset", keyboard.path, "--key", "BTN_TL2"])
      #expect(key.status == 1)
      #expect(key.errors.contains("has no key BTN_TL2"), "\(key.errors)")
      try end(daemon)
      let gone = try Command(["status", "--reset", keyboard.path])
      #expect(gone.status == 1)
      #expect(gone.errors.contains("is not running"), "\(gone.errors)")
      withExtendedLifetime(bus) {}
    }

    @Test(
      "is kept beside a file that is damaged, or of a newer version, which is left byte for byte",
      arguments: [
        ("{\"format\": 99, \"keys\": \"otherwise\"}\n", "of a newer version"),
        ("{\"format\": 1, \"keys\"", "the file is damaged"),
      ])
    func leftAlone(text: String, message: String) throws {
      let keyboard = try UinputDevice()
      for round in 0..<3 {
        let (daemon, application) = try start(keyboard, knowing: round == 2)
        if round == 1 {
          try showEvidence(keyboard, daemon, application)
        } else {
          keyboard.play(.stroke(31))
          try keyboard.playMark()
          _ = try application.framesUpToMark()
        }
        try end(daemon)
        #expect(daemon.log.contains(message) == (round > 0))
        #expect(try daemon.recordedHabits().isBad(key) == (round == 2))
        let files = try FileManager.default.contentsOfDirectory(atPath: state)
          .filter { $0.hasSuffix(".counts.json") }
          .sorted { $0.utf8.count < $1.utf8.count }
        #expect(files.count == (round == 0 ? 1 : 2))
        let path = state + "/" + files[0]
        if round == 0 {
          try text.write(toFile: path, atomically: false, encoding: .utf8)
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
      }
    }

    @Test("is written at the next whole minute, so that a daemon that is killed loses no more")
    func killed() throws {
      let keyboard = try UinputDevice()
      let (daemon, application) = try start(keyboard)
      try showEvidence(keyboard, daemon, application)
      let isBad = { () -> Bool in
        let names = try FileManager.default.contentsOfDirectory(atPath: self.state)
        guard let name = names.first(where: { $0.hasSuffix(".counts.json") }) else { return false }
        let file = try Data(contentsOf: URL(filePath: self.state + "/" + name))
        return try StatusJSON.decode(StoredCounts.self, from: Array(file)).habits.isBad(self.key)
      }
      let limit = monotonicNow() + 2 * patience
      while try !isBad(), monotonicNow() < limit { sleep(until: monotonicNow() + 100_000) }
      #expect(try isBad())
      // A minute that has just begun, and not some moment that a key has chosen.
      #expect(monotonicNow() % 60_000_000 < 30_000_000)
      daemon.signal(SIGKILL)
      _ = try daemon.waitForEnd()
      let (next, reader) = try start(keyboard, knowing: true)
      #expect(try presses(of: dropOut, keyboard, next, reader) == 1)
      try end(next)
      try expectReplay(of: next)
    }

    @Test("stands in what “record” writes of a device that the daemon holds")
    func record() throws {
      let bus = try SystemBus()
      let keyboard = try UinputDevice()
      let (daemon, application) = try start(keyboard)
      try daemon.waitUntilSaid("on the system bus")
      try showEvidence(keyboard, daemon, application)
      let path = "/tmp/record-\(UUID().uuidString).evemu"
      let record = try DaemonProcess(call: ["record", keyboard.path, "-o", path], recording: path)
      try record.waitForLine(containing: "Ctrl-C ends it")
      record.signal(SIGINT)
      #expect(try record.waitForEnd() == 0)
      #expect(try record.recordedHabits().isBad(key))
      try end(daemon)
      withExtendedLifetime(bus) {}
    }
  }
}

extension LearnedHabits {
  /// Whether the key is taken for bad.
  fileprivate func isBad(_ key: KeyCode) -> Bool {
    keys.contains { $0.code == key && $0.badFor != nil }
  }
}

import Debounce
import EventDevices
import Foundation
import Glibc
import Status
import StrokeFixtures
import TestMachine
import Testing

extension EndToEnd {
  @Suite("That a switch has become bad")
  struct KeyWornTests {
    /// Time for what comes after two whole minutes.
    private static let limit: Int64 = 4 * 60_000_000
    /// The keys that are worn between two starts of the daemon. The second start, with a key that was reported and then one
    /// that was not, takes two minutes more, and is played with `KEYDEBOUNCE_LONG=1`; what the first leaves in the file
    /// for it is looked at in any case.
    private static let rounds: [[KeyCode]] =
      ProcessInfo.processInfo.environment["KEYDEBOUNCE_LONG"] == nil ? [[30]] : [[30], [30, 31]]

    /// Strokes that each begin with a bounce.
    ///
    /// - Returns: When the second of them had come: one fault decides nothing.
    private func wear(
      _ key: KeyCode, of keyboard: UinputDevice, until application: EventReader
    ) throws -> Int64 {
      var second: Int64 = 0
      for number in 0..<12 {
        let times: [Microseconds] = [0, 6000, 12_000, 120_000]
        keyboard.play(times.enumerated().map { Edge(key, down: $0 % 2 == 0, at: $1) })
        try keyboard.playMark()
        _ = try application.framesUpToMark()
        if number == 1 { second = monotonicNow() }
      }
      return second
    }

    @Test(
      "everyone is told once for each key, over restarts, without the key, a minute or more after")
    func signal() throws {
      let bus = try SystemBus()
      let state = "/tmp/state-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: state) }
      let keyboard = try UinputDevice()
      var nobody: BusClient?
      for (round, keys) in Self.rounds.enumerated() {
        let daemon = try DaemonProcess(["--device", keyboard.path, "--state", state])
        let application = try EventReader(path: daemon.waitForClone())
        try daemon.waitUntilSaid("on the system bus")
        if nobody == nil {
          nobody = try BusClient(as: .nobody)
          try nobody?.listen(for: "KeyWorn")
        }
        var decisive: Int64 = 0
        for key in keys { decisive = try wear(key, of: keyboard, until: application) }
        let signals = try #require(nobody).waitForSignals(round + 1, limit: Self.limit)
        #expect(signals.count == round + 1)
        let signal = try #require(signals.last)
        #expect(signal.signature == "ss" && signal.texts.count == 2)
        #expect(signal.texts.first == keyboard.path)
        #expect(signal.texts.last.flatMap(KeyVerdict.init(rawValue:)) != nil)
        #expect(signal.time - decisive >= 60_000_000)
        // The log names no key either.
        try daemon.waitUntilSaid("the switch of a key is worn")
        daemon.signal(SIGTERM)
        #expect(try daemon.waitForEnd() == 0)
        #expect(!daemon.log.contains("KEY_"))
        #expect(daemon.log.split(separator: "\n").count { $0.contains("is worn") } == 1)
      }
      let file = try #require(
        try FileManager.default.contentsOfDirectory(atPath: state).first { $0.hasSuffix(".days") })
      let stored = try StoredDays(String(contentsOfFile: "\(state)/\(file)", encoding: .utf8))
      #expect(stored.reported.keys.sorted() == Set(Self.rounds.joined()).sorted())
      withExtendedLifetime(bus) {}
    }
  }
}

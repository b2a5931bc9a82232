import Control
import Debounce
import EventDevices
import Foundation
import Glibc
import Status
import TestMachine
import Testing

extension EndToEnd {
  @Suite("What is counted by day")
  struct HistoryTests {
    private func history() throws -> CountedHistory {
      let command = try Command(["status", "--history", "--json"])
      return try StatusJSON.decode(CountedHistory.self, from: Array(command.output.utf8))
    }

    @Test("is all that was counted, over restarts and when another day begins, until it is reset")
    func days() throws {
      let clock = WallClock()
      let state = try TemporaryFolder()
      let keyboard = try UinputDevice()
      var days: Set<Day> = []
      // A stroke of A and one of the mark, before another day begins and after, in every run.
      for _ in 1...3 {
        let daemon = try DaemonProcess(["--device", keyboard.path, "--state", state.path])
        let application = try EventReader(path: daemon.waitForClone())
        for _ in 1...2 {
          _ = try application.moves(of: .stroke(30), on: keyboard)
          days.insert(Day(unixTime: time(nil)))
          try checkSum()
          clock.advance(days: 1)
          days.insert(Day(unixTime: time(nil)))
          try checkSum()
        }
        #expect(try daemon.end() == 0)
      }
      let daemon = try DaemonProcess(["--device", keyboard.path, "--state", state.path])
      _ = try daemon.waitForClone()
      try checkSum()
      let all = try history()
      #expect(Set(all.devices.flatMap(\.days).flatMap(\.keys).map(\.code)).count == 2)
      // Each run ended on another day than the one before.
      #expect(all.devices.flatMap(\.days).count >= 3)
      #expect(days.isSuperset(of: all.devices.flatMap(\.days).map(\.day)))

      // The file of days tells neither order nor time.
      let file = try #require(
        try state.names().first { $0.hasSuffix(".days") }.map { "\(state.path)/\($0)" })
      let stored = try #require(try StoredDays(String(contentsOfFile: file, encoding: .utf8)))
      #expect(stored.days.count >= 2)
      var attributes = stat()
      #expect(stat(file, &attributes) == 0 && attributes.st_mode & 0o777 == 0o600)

      #expect(try Command(["status", "--history", "--all"]).output.contains("KEY_A"))
      #expect(try Command(["status", "--reset", keyboard.path, "--key", "KEY_A"]).status == 0)
      let left = try history().devices.flatMap(\.days).flatMap(\.keys)
      #expect(!left.isEmpty && !left.contains { $0.key == "KEY_A" })
    }

    /// Compares the days of each key with its strokes in all.
    private func checkSum() throws {
      var client = try DaemonClient()
      let device = try #require(try client.status().devices.first)
      let days = try client.history(of: device.node).values
      for key in try #require(device.keys) {
        #expect(days.reduce(0) { $0 + ($1[key.code]?.strokes ?? 0) } == key.strokes)
      }
      #expect(!days.isEmpty)
    }
  }
}

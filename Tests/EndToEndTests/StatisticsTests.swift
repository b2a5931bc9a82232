import Control
import Debounce
import EventDevices
import Foundation
import Glibc
import Status
import TestMachine
import Testing

extension EndToEnd {
  @Suite("What is counted")
  struct StatisticsTests {
    private func history() throws -> CountedHistory {
      let command = try Command(["status", "--history", "--json"])
      return try StatusJSON.decode(CountedHistory.self, from: Array(command.output.utf8))
    }

    @Test(
      "is kept across restarts, in all and by day, also when another day begins, until it is reset")
    func kept() throws {
      let clock = WallClock()
      let state = try TemporaryFolder()
      let keyboard = try UinputDevice()
      var days: Set<Day> = []
      // A stroke of A and one of the mark, before another day begins and after, in every run.
      for run in 0..<3 {
        let daemon = try DaemonProcess(["--device", keyboard.path, "--state", state.path])
        let application = try EventReader(path: daemon.waitForClone())
        for round in 1...2 {
          _ = try application.moves(of: .stroke(30), on: keyboard)
          days.insert(Day(unixTime: time(nil)))
          let device = try checkedSum()
          let counts = device.counts
          #expect(counts.pressesOut == 2 * round)
          #expect(counts.latency.reduce(0) { $0 + Int($1) } == 4 * round)
          let key = try #require(device.keys.first { $0.key == "KEY_A" })
          #expect(key.strokes == 2 * run + round)
          #expect(key.counts.holds.total == 2 * run + round)
          clock.advance(days: 1)
          days.insert(Day(unixTime: time(nil)))
          _ = try checkedSum()
        }
        #expect(try daemon.end() == 0)
      }
      // Two files, which tell neither order nor time, for the daemon's user alone.
      let files = try state.names()
      let stem = files.first?.prefix { $0 != "." } ?? ""
      try #require(files == ["\(stem).counts.json", "\(stem).days"])
      let texts = try files.map { name in
        let file = "\(state.path)/\(name)"
        var attributes = stat()
        #expect(stat(file, &attributes) == 0 && attributes.st_mode & 0o777 == 0o600)
        return try String(contentsOfFile: file, encoding: .utf8)
      }
      #expect(texts[0].contains("KEY_A"))
      let stored = try #require(try StoredDays(texts[1]))
      #expect(stored.days.count >= 2)

      let daemon = try DaemonProcess(["--device", keyboard.path, "--state", state.path])
      _ = try daemon.waitForClone()
      _ = try checkedSum()
      let all = try history()
      #expect(Set(all.devices.flatMap(\.days).flatMap(\.keys).map(\.code)).count == 2)
      // Each run ended on another day than the one before.
      #expect(all.devices.flatMap(\.days).count >= 3)
      #expect(days.isSuperset(of: all.devices.flatMap(\.days).map(\.day)))

      #expect(try Command(["status", "--history", "--all"]).output.contains("KEY_A"))
      #expect(try Command(["status", "--reset", keyboard.path, "--key", "KEY_A"]).status == 0)
      let left = try history().devices.flatMap(\.days).flatMap(\.keys)
      #expect(!left.isEmpty && !left.contains { $0.key == "KEY_A" })
    }

    /// Compares the days of each key with its strokes in all.
    ///
    /// - Returns: What the daemon tells of the device.
    private func checkedSum() throws -> DeviceStatus {
      var client = try DaemonClient()
      let device = try #require(try client.status().devices.first)
      let days = try client.history(of: device.node).values
      for key in device.keys {
        #expect(days.reduce(0) { $0 + ($1[key.code]?.strokes ?? 0) } == key.strokes)
      }
      #expect(!days.isEmpty)
      return device
    }

    @Test("is not kept where the folder cannot be written, and the keyboard works all the same")
    func unwritable() throws {
      let keyboard = try UinputDevice()
      let daemon = try DaemonProcess(["--device", keyboard.path, "--state", "/proc/nothing"])
      let application = try EventReader(path: daemon.waitForClone())
      _ = try application.moves(of: .stroke(30), on: keyboard)
      #expect(try daemon.end() == 0)
      #expect(daemon.log.contains("cannot write the counts"))
    }
  }
}

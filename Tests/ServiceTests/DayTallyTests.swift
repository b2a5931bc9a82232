import Debounce
import EventDevices
import Foundation
import Randomness
import Status
import Testing

@testable import Service

@Suite("Which counts are of which day")
struct DayTallyTests {
  private func day(_ number: Int) -> Day { Day(unixTime: 1_700_000_000 + number * 86_400) }

  private func totals(_ strokes: UInt32) -> KeyDays {
    var counts = KeyDay()
    counts.strokes = strokes
    return strokes == 0 ? [:] : [18: counts]
  }

  @Test("is by what had been counted when the day before was last published")
  func turn() {
    var tally = DayTally(on: day(0))
    // The beginning is stored once there is something to store.
    #expect(tally.receive([:], on: day(0)) == nil)
    #expect(
      tally.receive(totals(5), on: day(0))
        == .init(day: day(0), counts: [:], next: .init(day(0), [:])))
    #expect(tally.receive(totals(7), on: day(0)) == nil)
    #expect(tally.pending(totals(9), on: day(0)) == [day(0): totals(9)])
    #expect(tally.pending(totals(9), on: day(4)) == [day(0): totals(7), day(4): totals(2)])
    // The first keys of the new day are its own.
    #expect(
      tally.receive(totals(12), on: day(4))
        == .init(day: day(0), counts: totals(7), next: .init(day(4), totals(7))))
    #expect(tally.pending(totals(12), on: day(4)) == [day(4): totals(5)])
  }

  @Test("goes on where the daemon ended, also on another day")
  func restart() {
    var tally = DayTally(on: day(1))
    tally.add(totals(40), .init(day(0), totals(25)), on: day(1))
    #expect(
      tally.receive(totals(43), on: day(1))
        == .init(day: day(0), counts: totals(15), next: .init(day(1), totals(40))))
    #expect(tally.pending(totals(43), on: day(1)) == [day(1): totals(3)])
  }

  @Test("does not take for today's what an earlier version has counted, nor what was lost twice")
  func unknown() {
    var tally = DayTally(on: day(1))
    tally.add(totals(40), nil, on: day(1))
    #expect(tally.pending(totals(43), on: day(1)) == [day(1): totals(3)])
    // The counts are from before a crash.
    tally = DayTally(on: day(1))
    tally.add(totals(20), .init(day(1), totals(25)), on: day(1))
    #expect(tally.pending(totals(24), on: day(1)) == [day(1): totals(4)])
    // The counts are gone.
    tally.add([:], .init(day(1), totals(25)), on: day(1))
    #expect(tally.pending(totals(4), on: day(1)) == [day(1): totals(4)])
  }

  @Test("forgets a key that is reset")
  func reset() {
    var tally = DayTally(on: day(0))
    _ = tally.receive(totals(7), on: day(0))
    _ = tally.receive(totals(9), on: day(1))
    tally.reset(18, on: day(1))
    #expect(tally.pending(totals(2), on: day(1)) == [day(1): totals(2)])
    tally.reset(nil, on: day(2))
    #expect(
      tally.receive(totals(3), on: day(2))
        == .init(day: day(2), counts: [:], next: .init(day(2), [:])))
  }

  @Test(
    "adds up to all strokes, through restarts, crashes, days without any, and wrong clocks",
    arguments: [UInt64.testSeed])
  func sum(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    try withStore { store, _ in
      let device = CountedDevice(DeviceIdentity(name: "Desk"))
      func keep(_ turn: DayTally.Turn?) throws {
        if let turn { try store.keep(turn, of: device) }
      }
      var (strokes, stored, today) = (UInt32(0), UInt32(0), 0)
      var tally = DayTally(on: day(today))
      for _ in 0..<500 {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: strokes += UInt32.random(in: 1...50, using: &random)
        case 4..<7:
          try keep(tally.receive(totals(strokes), on: day(today)))
          stored = strokes
        case 7: today += Int.random(in: -1...3, using: &random)
        case 8:
          try keep(tally.receive(totals(strokes), on: day(today)))
          (tally, stored) = (DayTally(on: day(today)), strokes)
          tally.add(totals(stored), store.days(of: device).contents?.beginning, on: day(today))
        default:
          // A crash: what was counted since the last publication is gone.
          (tally, strokes) = (DayTally(on: day(today)), stored)
          guard stored > 0 else { continue }
          tally.add(totals(stored), store.days(of: device).contents?.beginning, on: day(today))
        }
        var days = store.days(of: device).contents ?? StoredDays()
        for (day, counts) in tally.pending(totals(strokes), on: day(today)) {
          days.add(counts, on: day, today: self.day(max(today, 0)))
        }
        // Nothing is old enough to be dropped.
        let sum = days.days.values.reduce(0) { $0 + ($1[18]?.strokes ?? 0) }
        guard today < 400 else { break }
        #expect(sum == strokes)
      }
    }
  }
}

@Suite("Where days are kept")
struct DayStoreTests {
  private let desk = CountedDevice(DeviceIdentity(name: "Desk", bus: 3, phys: "usb-1/input0"))
  private let today = Day(unixTime: 1_700_000_000)

  private func counts(_ strokes: UInt32) -> KeyDays {
    var counts = KeyDay()
    counts.strokes = strokes
    return [18: counts, 19: counts]
  }

  private func add(_ strokes: UInt32, to store: StatisticsStore) throws {
    try store.keep(.init(day: today, counts: counts(strokes), next: .init(today, [:])), of: desk)
  }

  @Test("What is kept comes back, for the daemon's user alone")
  func roundTrip() throws {
    try withStore { store, folder in
      #expect(store.counts(of: desk).days == nil)
      try add(3, to: store)
      try add(4, to: store)
      #expect(store.counts(of: desk).days?.days == [today: counts(7)])
      #expect(try names(in: folder) == [desk.fileName(StoredDays.suffix)])
      let attributes = try FileManager.default.attributesOfItem(
        atPath: "\(folder)/\(desk.fileName(StoredDays.suffix))")
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test(
    "A damaged file, or one of a newer version, is left as it is and named, and ours is beside it",
    arguments: [
      ("", false), ("keydebounce days 1\n2026", false), ("keydebounce days 2\nx\n", true),
    ]
  )
  func unusable(text: String, isNewer: Bool) throws {
    try withStore { store, folder in
      let path = "\(folder)/\(desk.fileName(StoredDays.suffix))"
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      let problems = store.counts(of: desk).problems.map(\.description)
      #expect(problems.count == 1)
      #expect(
        problems.first?.contains(isNewer ? "(format 2, not 1)" : "the file is damaged") == true)
      #expect(problems.first?.contains(path) == true)
      try add(3, to: store)
      try add(4, to: store)
      #expect(store.days(of: desk).contents?.days == [today: counts(7)])
      #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
      try store.reset(19, of: desk)
      #expect(store.days(of: desk).contents?.days[today]?.keys.map(\.self) == [18])
      // When it is gone, ours takes its place.
      try FileManager.default.removeItem(atPath: path)
      try add(1, to: store)
      #expect(store.days(of: desk).contents?.days[today]?[18]?.strokes == 8)
      #expect(try names(in: folder) == [desk.fileName(StoredDays.suffix)])
    }
  }
}

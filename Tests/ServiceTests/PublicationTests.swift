import Debounce
import Randomness
import Status
import Testing

@testable import Service

@Suite("What others than root see of counts")
struct PublicationTests {
  private static let minute = SnapshotTimer.interval

  @Test("is in the log as hundreds, and nothing is there of a device that nobody used")
  func log() {
    var counters = Counters()
    #expect(counters.roughSummary == nil)
    (counters.pressesIn, counters.pressesOut) = (1, 1)
    #expect(
      counters.roughSummary
        == "fewer than 100 presses passed on, fewer than 100 removed as chatter")
    (counters.pressesIn, counters.pressesOut) = (262, 240)
    #expect(counters.roughSummary?.hasPrefix("more than 199 presses passed on, fewer") == true)
  }

  @Test(
    "is renewed on whole minutes, wherever in the minute the keys were pressed",
    arguments: [UInt64.testSeed])
  func grid(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<1000 {
      let start = Microseconds.random(in: 0..<(1 << 40), using: &random)
      let minuteOfStart = start / Self.minute
      var clock = SnapshotTimer()
      var press = start
      while press / Self.minute == minuteOfStart {
        let isChanged = clock.somethingHappened(at: Instant(press))
        #expect(isChanged == (press == start))
        #expect(clock.deadline == Instant((minuteOfStart + 1) * Self.minute))
        let isDue = clock.isDue(at: Instant(press))
        #expect(!isDue)
        press += Microseconds.random(in: 1...20_000_000, using: &random)
      }
      let isDue = clock.isDue(at: Instant((minuteOfStart + 1) * Self.minute))
      #expect(isDue)
    }
  }

  @Test("is not renewed while nothing happens, and nothing wakes up for it")
  func idle() {
    var clock = SnapshotTimer()
    #expect(clock.deadline == .never)
    let (isFirst, isFirstAgain) = (
      clock.somethingHappened(at: Instant(90_000_000)),
      clock.somethingHappened(at: Instant(91_000_000))
    )
    #expect(isFirst && !isFirstAgain)
    let (isDue, isDueAgain) = (
      clock.isDue(at: Instant(125_000_000)), clock.isDue(at: Instant(1_000_000_000))
    )
    #expect(isDue && !isDueAgain)
    #expect(clock.deadline == .never)
    #expect(SnapshotTimer.lastMoment(at: Instant(125_000_000)) == Instant(120_000_000))
    #expect(SnapshotTimer.lastMoment(at: Instant(120_000_000)) == Instant(120_000_000))
  }

  @Test("does not tell of keys that are waited for")
  func states() {
    for state in DeviceStatus.State.allCases {
      var published = PublishedStatus()
      published.renew(state, DeviceCounts(badKeys: 3))
      #expect(published.state == (state == .busy || state == .handedOver ? state : .debounced))
      #expect(published.counts.badKeys == 3)
      published.renew(nil, DeviceCounts(badKeys: 3))
      #expect(published.state == (state == .busy || state == .handedOver ? state : .debounced))
    }
  }
}

@Suite("What others than root see of a key that was reset")
struct PublishedResetTests {
  /// What was counted of two keys.
  private func counts(_ e: UInt32, _ r: UInt32) -> DeviceCounts {
    let strokes: [(KeyCode, UInt32)] = [(18, e), (19, r)]
    return DeviceCounts(
      keys: strokes.map { code, strokes in
        var counts = KeyCounts()
        counts.strokes = strokes
        return KeyStatus(key: "KEY_\(code)", code: code, counts: counts)
      })
  }

  @Test("is nothing at once, and nothing until a whole minute has passed")
  func reset() {
    var published = PublishedStatus()
    published.renew(.debounced, counts(5, 7))
    for _ in 0..<3 { published.reset(18) }
    #expect(published.counts.keys == [counts(5, 7).keys[1]])
    #expect(published.isIncomplete)
    // A stroke between the reset and the minute is not told apart from those after it.
    published.renew(.debounced, counts(1, 8))
    #expect(published.counts.keys == [counts(1, 8).keys[1]])
    #expect(!published.isIncomplete)
    published.renew(.debounced, counts(3, 8))
    #expect(published.counts == counts(3, 8))
  }

  @Test("is the same with the whole device")
  func wholeDevice() {
    var published = PublishedStatus()
    published.renew(.debounced, counts(5, 7))
    published.reset(19)
    published.reset(nil)
    published.reset(18)
    #expect(published.counts.keys.isEmpty)
    published.renew(.debounced, counts(1, 1))
    #expect(published.counts.keys.isEmpty && !published.isIncomplete)
    published.renew(.debounced, counts(1, 2))
    #expect(published.counts == counts(1, 2))
  }
}

@Suite("An answer for all who ask")
struct SharedAnswerTests {
  private typealias Answer = SharedAnswer<Int, Int>

  @Test(
    "is made once a second at most, whatever is asked, and everyone gets one that is true",
    arguments: [UInt64.testSeed])
  func rate(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<50 {
      var answer = Answer()
      var (made, asked, answered): ([Microseconds], Int, Set<Int>) = ([], 0, [])
      var (version, making) = (0, Int?.none)
      var now: Microseconds = 5_000_000
      func give(_ calls: [Int], _ text: String?) {
        for call in calls {
          let isFirst = answered.insert(call).inserted
          #expect(isFirst)
        }
      }
      while now < 15_000_000 || answer.deadline != .never || making != nil {
        if now < 15_000_000 {
          asked += 1
          answer.add(asked)
        } else if making == nil {
          now = answer.deadline.microseconds
        }
        if Bool.random(using: &random) { version += 1 }
        switch answer.take(at: Instant(now), version: version) {
        case .make:
          #expect(making == nil)
          made.append(now)
          making = version
        case .answer(let calls, let text):
          #expect(text == "\(version)")
          give(calls, text)
        case nil: break
        }
        if let made = making, Int.random(in: 0..<3, using: &random) == 0 {
          give(answer.put("\(made)"), "\(made)")
          making = nil
        }
        now += Microseconds.random(in: 1...10_000, using: &random)
      }
      #expect(answered == Set(1...asked))
      for (earlier, later) in zip(made, made.dropFirst()) {
        #expect(later - earlier >= Answer.pause)
      }
      #expect(made.count > 2)
    }
  }

  @Test("is given at once while it is true")
  func present() {
    var answer = Answer()
    #expect(answer.take(at: Instant(0), version: 1) == nil)
    answer.add(6)
    guard case .make = answer.take(at: Instant(10), version: 1) else {
      Issue.record("it is not made")
      return
    }
    // While it is being made, it is not made again.
    answer.add(7)
    #expect(answer.take(at: Instant(20), version: 2) == nil && answer.deadline == .never)
    #expect(answer.put("first") == [6, 7])
    answer.add(8)
    guard case .answer([8], "first") = answer.take(at: Instant(30), version: 1) else {
      Issue.record("it is not given")
      return
    }
    answer.add(9)
    #expect(answer.take(at: Instant(200), version: 2) == nil)
    #expect(answer.deadline == Instant(10 + Answer.pause))
    guard case .make = answer.take(at: answer.deadline, version: 2) else {
      Issue.record("it is not made anew")
      return
    }
    #expect(answer.put("second") == [9])
  }
}

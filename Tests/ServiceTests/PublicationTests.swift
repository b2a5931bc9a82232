import Control
import Debounce
import Randomness
import Status
import Testing

@testable import Service

@Suite("What others than root see")
struct PublicationTests {
  private static let minute = PublicationTimer.interval

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
    "is renewed on whole minutes, wherever in the minute the keys were pressed, and not while nothing happens",
    arguments: [UInt64.testSeed])
  func grid(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<1000 {
      let start = Microseconds.random(in: 0..<(1 << 40), using: &random)
      let minuteOfStart = start / Self.minute
      var clock = PublicationTimer()
      #expect(clock.deadline == .never)
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
      let isDueAgain = clock.isDue(at: Instant((minuteOfStart + 20) * Self.minute))
      #expect(isDue && !isDueAgain && clock.deadline == .never)
    }
  }

  @Test("does not tell of keys that are waited for")
  func states() {
    for state in DeviceStatus.State.allCases {
      #expect(ControlledDevice.State(showing: state) == (state == .busy ? .busy : .debounced))
    }
  }
}

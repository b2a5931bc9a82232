import Randomness
import Testing

@testable import Calibration

@Suite("The sequential test")
struct SequentialTestTests {
  /// A stroke of a switch with this rate of faults, which a finger makes look faulty once in 1/`healthy` strokes.
  private func weigh(
    _ test: inout SequentialTest, rate: Double, healthy: Double, _ numbers: inout SeededRandom
  ) {
    let share = PairClass.bounce.shareOfFaults(isLabelled: true)
    let isBounce =
      Double.random(in: 0..<1, using: &numbers) < rate * share + (1 - rate) * healthy
    if isBounce {
      test.weigh(faulty: share, healthy: healthy)
    } else {
      test.weigh(faulty: 1 - share, healthy: 1 - healthy)
    }
  }

  @Test("reaches 1/α of a healthy switch in no more than α of all cases, whenever one looks")
  func healthy() {
    let seed: UInt64 = 6
    print("sequential test, healthy: seed \(seed)")
    var numbers = SeededRandom(seed: seed)
    // Fingers clumsy enough for it to matter; a stake of 20 then is a risk of one in twenty.
    var reached = 0
    let cases = 3000
    for _ in 0..<cases {
      var test = SequentialTest()
      for _ in 0..<400 { weigh(&test, rate: 0, healthy: 0.005, &numbers) }
      reached += test.highest >= 2.9957 ? 1 : 0
    }
    print("reached by \(reached) of \(cases)")
    #expect(FaultRate(faults: reached, strokes: cases).interval.lowerBound <= 0.05)
    #expect(reached > 0)
  }

  @Test(
    "finds bad switches, the sooner the worse they are",
    arguments: [(0.2, 40), (0.05, 200), (0.02, 600)])
  func bad(rate: Double, strokes: Int) {
    let seed: UInt64 = 7
    var numbers = SeededRandom(seed: seed)
    var found = 0
    for _ in 0..<400 {
      var test = SequentialTest()
      for _ in 0..<strokes { weigh(&test, rate: rate, healthy: 1e-4, &numbers) }
      found += test.isCertain ? 1 : 0
    }
    print("sequential test, \(rate) within \(strokes) strokes: seed \(seed), \(found) of 400")
    #expect(found >= 360)
  }

  @Test("takes more than one bounce, and two close together are enough")
  func twoBounces() {
    var test = SequentialTest()
    test.weigh(faulty: 0.6, healthy: 1e-4)
    #expect(!test.isCertain)
    #expect(test.certainty > 0.3)
    for _ in 0..<20 { test.weigh(faulty: 0.08, healthy: 1) }
    test.weigh(faulty: 0.6, healthy: 1e-4)
    #expect(test.isCertain)
  }

  @Test("forgets nothing it was certain of, and turns to healthy with clean strokes")
  func course() {
    var test = SequentialTest()
    test.weigh(faults: 5, strokes: 100, allowed: 1e-3)
    #expect(test.isCertain)
    let highest = test.highest
    test.weigh(faults: 0, strokes: 100_000, allowed: 1e-3)
    #expect(test.isCertain)
    #expect(test.highest == highest)
    #expect(test.evidence < 0)
  }

  @Test("gives shares of clues that add up to no more than 1")
  func shares() {
    for isLabelled in [false, true] {
      let sum = PairClass.allCases.reduce(0) { $0 + $1.shareOfFaults(isLabelled: isLabelled) }
      #expect(abs(sum - 1) < 1e-9)
    }
    #expect(PairClass.allCases.dropFirst().reduce(0) { $0 + $1.shareOfAccidents } < 1e-3)
  }
}

import Randomness
import Reports
import Status
import Testing

@testable import Calibration

@Suite("How certain it is that a switch is worn")
struct WearTests {
  private func share(
    certainAt rate: Double, allowed: Double, strokes: Int, cases: Int, _ numbers: inout SeededRandom
  ) -> FaultRate {
    var certain = 0
    for _ in 0..<cases {
      var wear = SwitchWear()
      var wasCertain = false
      for _ in 0..<strokes {
        let isFault = Double.random(in: 0..<1, using: &numbers) < rate
        wear.add(faults: isFault ? 1 : 0, strokes: 1, allowed: allowed)
        // Whenever one looks.
        wasCertain = wasCertain || wear.isCertain
      }
      certain += wasCertain ? 1 : 0
    }
    return FaultRate(faults: certain, strokes: cases)
  }

  @Test("hardly a healthy one is called worn, whenever one looks")
  func healthy() {
    let seed = UInt64.testSeed
    print("wear, healthy: seed \(seed)")
    var numbers = SeededRandom(seed: seed)
    let called = share(certainAt: 0.001, allowed: 0.001, strokes: 300, cases: 3000, &numbers)
    #expect(called.interval.lowerBound < 2e-4, "\(called)")
  }

  @Test(
    "worn ones are found, the sooner the worse they are",
    arguments: [(0.2, 40), (0.05, 200), (0.02, 600)])
  func worn(rate: Double, strokes: Int) {
    let seed = UInt64.testSeed
    print("wear, \(rate): seed \(seed)")
    var numbers = SeededRandom(seed: seed)
    let found = share(certainAt: rate, allowed: 5e-4, strokes: strokes, cases: 300, &numbers)
    #expect(found.interval.upperBound > 0.9, "\(found)")
  }

  @Test("one fault proves nothing")
  func one() {
    var wear = SwitchWear()
    wear.add(faults: 1, strokes: 1, allowed: 5e-4)
    #expect(!wear.isCertain && wear.certainty > 0.3)
    wear.add(faults: 0, strokes: 100_000, allowed: 5e-4)
    #expect(wear.certainty == 0)
  }
}

import Randomness
import Reports
import Testing

@testable import Calibration

@Suite("How certain it is that a switch is worn")
struct WearTests {
  /// How often a switch that fails so often is called worn, whenever one looks.
  private func called(at rate: Double, allowed: Double, strokes: Int, cases: Int) -> FaultRate {
    var numbers = SeededRandom.shown("wear, \(rate)")
    let called = (0..<cases).count { _ in
      var wear = SwitchWear()
      return (0..<strokes).contains { _ in
        let isFault = Double.random(in: 0..<1, using: &numbers) < rate
        wear.add(faults: isFault ? 1 : 0, strokes: 1, allowed: allowed)
        return wear.isCertain
      }
    }
    return FaultRate(faults: called, strokes: cases)
  }

  @Test("hardly a healthy one is called worn, whenever one looks")
  func healthy() {
    let called = called(at: 0.001, allowed: 0.001, strokes: 300, cases: 3000)
    #expect(called.interval.lowerBound < 2e-4, "\(called)")
  }

  @Test(
    "worn ones are found, the sooner the worse they are",
    arguments: [(0.2, 40), (0.05, 200), (0.02, 600)])
  func worn(rate: Double, strokes: Int) {
    let found = called(at: rate, allowed: 5e-4, strokes: strokes, cases: 300)
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

import Testing

@testable import Calibration

@Suite("Rates of faults")
struct FaultRateTests {
  @Test(
    "have the exact interval, as tables of Clopper and Pearson's have it",
    arguments: [
      (0, 60, 0.0, 0.0596), (0, 100, 0, 0.0362), (0, 300, 0, 0.0122), (3, 60, 0.0104, 0.1392),
      (10, 100, 0.0490, 0.1762), (1, 10, 0.0025, 0.4450), (5, 10, 0.1871, 0.8129),
      (10, 10, 0.6915, 1), (1, 1, 0.0250, 1), (50, 1000, 0.0373, 0.0654),
    ])
  func interval(faults: Int, strokes: Int, low: Double, high: Double) {
    let interval = FaultRate(faults: faults, strokes: strokes).interval
    #expect(abs(interval.lowerBound - low) < 6e-5)
    #expect(abs(interval.upperBound - high) < 6e-5)
  }

  @Test("say nothing without strokes")
  func nothing() {
    #expect(FaultRate(faults: 0, strokes: 0).interval == 0...1)
  }

  @Test(
    "know how many clean strokes a bound takes",
    arguments: [(0.1, 29), (0.05, 59), (0.02, 149), (0.01, 299), (0.001, 2995), (1, 0)])
  func needed(bound: Double, strokes: Int) {
    #expect(FaultRate(faults: 0, strokes: 0).strokesMissing(for: bound) == strokes)
    #expect(FaultRate(faults: 0, strokes: strokes).upperBound <= bound)
    if strokes > 0 {
      #expect(FaultRate(faults: 0, strokes: strokes - 1).upperBound > bound)
    }
  }

  @Test("rest on a function that is right")
  func functions() {
    #expect(abs(SpecialFunctions.beta(0.3, 2, 5) - 0.579_825) < 1e-6)
    #expect(abs(SpecialFunctions.beta(0.5, 7, 7) - 0.5) < 1e-12)
  }
}

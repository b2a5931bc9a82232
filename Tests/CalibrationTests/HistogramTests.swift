import Debounce
import Foundation
import Testing

@testable import Calibration

@Suite("Histograms")
struct HistogramTests {
  @Test("have percentiles to the millisecond")
  func percentiles() throws {
    var histogram = FineHistogram()
    #expect(histogram.percentiles == nil)
    for milliseconds in 1...100 { histogram.add(Microseconds(milliseconds) * 1000) }
    let percentiles = try #require(histogram.percentiles)
    #expect(percentiles == Percentiles { 1 + $0 * 100 })
    #expect(histogram.count(below: 50) == 49)
  }

  @Test("count what is longer than they go, and what is negative")
  func ends() {
    var histogram = FineHistogram()
    histogram.add(.max)
    histogram.add(-5)
    #expect(histogram.bins[FineHistogram.length] == 1)
    #expect(histogram.bins[0] == 1)
    #expect(histogram.quantile(0.99) == 200)
    histogram.add(0, count: .max)
    histogram.add(0, count: .max)
    #expect(histogram.bins[0] == .max)
  }

  @Test("of the service's classes spread each class over its milliseconds")
  func classes() {
    let coarse = IntervalHistogram([0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 50])
    #expect(coarse.fine.total == 54)
    #expect(coarse.fine.bins[3] == 2)
    #expect(coarse.fine.bins[4] == 2)
    #expect(coarse.fine.bins[50...74].allSatisfy { $0 == 2 })
    #expect(coarse.quantile(0.5).map { abs($0 - 61.5) < 0.01 } == true)
    #expect(coarse.nonEmptyBins(to: 50) == [Bin(low: 3, high: 5, count: 4)])
  }

  @Test("of a wrong length is refused, not read")
  func damaged() throws {
    let data = try JSONEncoder().encode(FineHistogram())
    #expect(try JSONDecoder().decode(FineHistogram.self, from: data) == FineHistogram())
    let short = Data(#"{"bins": [1, 2]}"#.utf8)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(FineHistogram.self, from: short)
    }
  }
}

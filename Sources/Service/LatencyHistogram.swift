import Debounce

/// How often passing something on took about so long: a class for each power of two.
struct LatencyHistogram {
  /// What takes longer than 2²² µs, which is four seconds, stands in the last class.
  private static let classCount = 24

  /// Class `n` counts what took less than 2ⁿ µs and not less than half of that; the last one the rest.
  private(set) var counts = ContiguousArray<UInt64>(repeating: 0, count: classCount)

  mutating func add(_ time: Microseconds) {
    let place = Microseconds.bitWidth - max(time, 0).leadingZeroBitCount
    counts[min(place, counts.count - 1)] += 1
  }
}

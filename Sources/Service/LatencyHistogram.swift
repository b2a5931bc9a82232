import Debounce

/// How often passing something on took about so long: a class for each power of two.
struct LatencyHistogram {
  /// Class `n` counts what took less than 2ⁿ µs and not less than half of that; the last one the rest: what takes longer
  /// than 2²² µs, which is four seconds.
  private var counts = InlineArray<24, UInt64>(repeating: 0)

  /// All counts, in the order of the classes.
  var list: [UInt64] { counts.indices.map { counts[$0] } }

  @inline(__always)
  mutating func add(_ time: Microseconds) {
    let place = Microseconds.bitWidth - max(time, 0).leadingZeroBitCount
    counts[min(place, counts.count - 1)] += 1
  }
}

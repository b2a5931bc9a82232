import Debounce

/// How late edges were emitted: a histogram with steps of a tenth of a millisecond.
struct Latency: Equatable {
  private static let step: Microseconds = 100
  /// The last step takes all that is later.
  private static let steps = 2000

  private var counts = [UInt32](repeating: 0, count: steps)
  private var number = 0
  private var sum: Microseconds = 0
  private(set) var longest: Microseconds = 0

  @inline(__always)
  mutating func add(_ latency: Microseconds) {
    counts[Int(min(latency / Self.step, Microseconds(Self.steps - 1)))] += 1
    number += 1
    sum += latency
    longest = max(longest, latency)
  }

  mutating func add(_ other: Latency) {
    for index in counts.indices { counts[index] += other.counts[index] }
    number += other.number
    sum += other.sum
    longest = max(longest, other.longest)
  }

  /// In milliseconds.
  var mean: Double {
    number == 0 ? 0 : Double(sum) / Double(number) / 1000
  }

  /// In milliseconds.
  var maximum: Double { Double(longest) / 1000 }

  /// What this share of edges is not later than, in milliseconds.
  func quantile(_ share: Double) -> Double {
    var left = Int((share * Double(number)).rounded(.up))
    for (index, count) in counts.enumerated() where left > 0 {
      left -= Int(count)
      if left <= 0 { return Double(index) * Double(Self.step) / 1000 }
    }
    return 0
  }
}

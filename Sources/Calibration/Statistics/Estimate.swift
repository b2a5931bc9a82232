/// An estimated number and the interval in which it lies with 95 % probability.
public struct Estimate: Equatable, Sendable {
  public var value: Double
  public var interval: ClosedRange<Double>

  public init(_ value: Double, in interval: ClosedRange<Double>) {
    self.value = value
    self.interval = interval
  }

  public init(exactly value: Double) {
    self.init(value, in: value...value)
  }

  /// The mean and the middle 95 % of weighted possibilities, whose weights add up to 1.
  init(_ possibilities: [(value: Double, weight: Double)]) {
    let sorted = possibilities.sorted { $0.value < $1.value }
    value = sorted.reduce(0) { $0 + $1.value * $1.weight }
    var (sum, low, high) = (0.0, sorted.first?.value ?? 0, sorted.last?.value ?? 0)
    for (value, weight) in sorted {
      if sum < 0.025 { low = value }
      if sum < 0.975 { high = value }
      sum += weight
    }
    interval = min(low, value)...max(high, value)
  }

  static func * (estimate: Estimate, factor: Double) -> Estimate {
    Estimate(
      estimate.value * factor,
      in: estimate.interval.lowerBound * factor...estimate.interval.upperBound * factor)
  }

  /// The sum, whose interval is a little wider than necessary.
  static func + (one: Estimate, other: Estimate) -> Estimate {
    Estimate(
      one.value + other.value,
      in: one.interval.lowerBound
        + other.interval.lowerBound...one.interval.upperBound + other.interval.upperBound)
  }
}

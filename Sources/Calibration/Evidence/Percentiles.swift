/// Percentiles of a key's gaps or holds, in milliseconds.
public struct Percentiles: Equatable, Sendable {
  public var p1: Double
  public var p5: Double
  public var p50: Double
  public var p95: Double
  public var p99: Double

  /// Returns `nil` if there are no intervals.
  public init?(_ quantile: (Double) -> Double?) {
    guard let p1 = quantile(0.01), let p5 = quantile(0.05), let p50 = quantile(0.5),
      let p95 = quantile(0.95), let p99 = quantile(0.99)
    else { return nil }
    self.p1 = p1
    self.p5 = p5
    self.p50 = p50
    self.p95 = p95
    self.p99 = p99
  }
}

extension FineHistogram {
  public var percentiles: Percentiles? { Percentiles(quantile) }
}

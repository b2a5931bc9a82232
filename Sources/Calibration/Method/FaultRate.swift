import Glibc

/// A number of faults in a number of strokes, and the interval of rates that may cause them.
///
/// The interval is the exact one of Clopper and Pearson (1934): each end is the rate at which so many faults, or so
/// few, would be seen in no more than 2.5 % of all samples.
public struct FaultRate: Equatable, Sendable {
  public var faults: Int
  public var strokes: Int

  public init(faults: Int, strokes: Int) {
    self.faults = max(0, min(faults, strokes))
    self.strokes = max(0, strokes)
  }

  /// The share of strokes that were faulty, 0…1.
  public var share: Double { strokes == 0 ? 0 : Double(faults) / Double(strokes) }

  /// The exact interval in which the rate lies with 95 % confidence.
  public var interval: ClosedRange<Double> { interval(confidence: 0.95) }

  /// The exact interval in which the rate lies with this confidence.
  public func interval(confidence: Double) -> ClosedRange<Double> {
    let tail = (1 - confidence) / 2
    let (k, n) = (Double(faults), Double(strokes))
    guard n > 0 else { return 0...1 }
    let low =
      faults == 0
      ? 0 : SpecialFunctions.bisect(0...1) { SpecialFunctions.beta($0, k, n - k + 1) < tail }
    let high =
      faults == strokes
      ? 1 : SpecialFunctions.bisect(0...1) { SpecialFunctions.beta($0, k + 1, n - k) < 1 - tail }
    return low...max(low, high)
  }

  /// What the rate does not exceed, with 95 % confidence: one-sided. Without faults about 3 in the number of strokes.
  public var upperBound: Double {
    guard faults < strokes else { return 1 }
    return SpecialFunctions.bisect(0...1) {
      SpecialFunctions.beta($0, Double(faults + 1), Double(strokes - faults)) < 0.95
    }
  }

  /// How many strokes without a fault are needed to state with 95 % confidence that the rate is below `bound`.
  public static func strokesNeeded(for bound: Double) -> Int {
    guard bound > 0 else { return .max }
    guard bound < 1 else { return 1 }
    return Int((log(0.05) / log1p(-bound)).rounded(.up))
  }

  /// How many more strokes are needed for that, if no fault is among them.
  func strokesMissing(for bound: Double) -> Int {
    guard faults > 0 else { return max(0, Self.strokesNeeded(for: bound) - strokes) }
    func isEnough(_ more: Int) -> Bool {
      FaultRate(faults: faults, strokes: strokes + more).upperBound <= bound
    }
    var (few, many) = (-1, 1)
    while !isEnough(many) { (few, many) = (many, many * 2) }
    while many - few > 1 {
      let middle = (few + many) / 2
      if isEnough(middle) { many = middle } else { few = middle }
    }
    return many
  }
}

/// What the C library lacks.
enum SpecialFunctions {
  /// The regularised incomplete beta function: how likely a number from the distribution Beta(a, b) is below x.
  ///
  /// Lentz's continued fraction (Numerical Recipes, 6.4).
  static func beta(_ x: Double, _ a: Double, _ b: Double) -> Double {
    guard x > 0 else { return 0 }
    guard x < 1 else { return 1 }
    // The fraction converges fast on this side of the mean only.
    guard x <= (a + 1) / (a + b + 2) else { return 1 - beta(1 - x, b, a) }
    let front = exp(
      lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    func apart(_ value: Double) -> Double { abs(value) < 1e-300 ? 1e-300 : value }
    var c = 1.0
    var d = 1 / apart(1 - (a + b) * x / (a + 1))
    var fraction = d
    for m in 1...500 {
      let m = Double(m)
      let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
      d = 1 / apart(1 + even * d)
      c = apart(1 + even / c)
      fraction *= d * c
      let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      d = 1 / apart(1 + odd * d)
      c = apart(1 + odd / c)
      fraction *= d * c
      if abs(d * c - 1) < 1e-15 { break }
    }
    return front * fraction / a
  }

  /// Where in the range a condition, true at its beginning, becomes false.
  static func bisect(
    _ range: ClosedRange<Double>, _ isBelow: (Double) -> Bool
  ) -> Double {
    var (low, high) = (range.lowerBound, range.upperBound)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if isBelow(middle) { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}

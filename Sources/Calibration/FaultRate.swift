import Glibc

/// A number of faults in a number of strokes, and the interval of rates that may cause them.
///
/// The interval is the exact one of Clopper and Pearson (1934): each end is the rate at which so many faults, or so
/// few, would be seen in no more than 2.5 % of all samples.
public struct FaultRate: Equatable, Sendable {
  public var faults: Int
  public var strokes: Int

  func adding(_ other: FaultRate) -> FaultRate {
    FaultRate(faults: faults + other.faults, strokes: strokes + other.strokes)
  }

  /// The share of strokes that were faulty, 0…1.
  public var share: Double { strokes == 0 ? 0 : Double(faults) / Double(strokes) }

  /// The exact interval in which the rate lies with 95 % confidence.
  var interval: ClosedRange<Double> { interval(confidence: 0.95) }

  /// The exact interval in which the rate lies with this confidence.
  func interval(confidence: Double) -> ClosedRange<Double> {
    let tail = (1 - confidence) / 2
    let (k, n) = (Double(faults), Double(strokes))
    guard n > 0 else { return 0...1 }
    let low =
      faults == 0
      ? 0 : SpecialFunctions.bisect { SpecialFunctions.beta($0, k, n - k + 1) < tail }
    let high =
      faults == strokes
      ? 1 : SpecialFunctions.bisect { SpecialFunctions.beta($0, k + 1, n - k) < 1 - tail }
    return low...max(low, high)
  }

  /// The one-sided upper bound of the rate with 95 % confidence. Without faults it is about 3 divided by the strokes.
  var upperBound: Double { interval(confidence: 0.9).upperBound }

  /// How many more strokes are needed to state with 95 % confidence that the rate is below `bound`, if no fault is among
  /// them.
  ///
  /// - Returns: 2²⁴ at most. That is also the answer where no number is enough, because the bound is 0 or next to it.
  func strokesMissing(for bound: Double) -> Int {
    var (few, enough) = (-1, 1 << 24)
    while enough - few > 1 {
      let middle = (few + enough) / 2
      let bounded = FaultRate(faults: faults, strokes: strokes + middle).upperBound <= bound
      (few, enough) = bounded ? (few, middle) : (middle, enough)
    }
    return enough
  }
}

/// Functions that the C library lacks.
enum SpecialFunctions {
  /// The regularised incomplete beta function: how likely a number from the distribution Beta(a, b) is below x.
  ///
  /// Lentz's continued fraction (Numerical Recipes, 6.4).
  static func beta(_ x: Double, _ a: Double, _ b: Double) -> Double {
    guard x > 0 else { return 0 }
    guard x < 1 else { return 1 }
    // The fraction converges fast below the mean, and slowly above it.
    guard x <= (a + 1) / (a + b + 2) else { return 1 - beta(1 - x, b, a) }
    let front = exp(
      lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    func apart(_ value: Double) -> Double { abs(value) < 1e-300 ? 1e-300 : value }
    var c = 1.0
    var d = 1 / apart(1 - (a + b) * x / (a + 1))
    var fraction = d
    func step(_ term: Double) {
      d = 1 / apart(1 + term * d)
      c = apart(1 + term / c)
      fraction *= d * c
    }
    for m in 1...500 {
      let m = Double(m)
      step(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)))
      step(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)))
      if abs(d * c - 1) < 1e-15 { break }
    }
    return front * fraction / a
  }

  /// The place between 0 and 1 where a condition that is true at 0 becomes false.
  static func bisect(_ isBelow: (Double) -> Bool) -> Double {
    var (low, high) = (0.0, 1.0)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if isBelow(middle) { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}

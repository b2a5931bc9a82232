import Glibc

/// The functions of statistics that the C library lacks.
enum SpecialFunctions {
  /// The distribution function of the standard normal distribution.
  static func normal(_ x: Double) -> Double {
    erfc(-x / 2.0.squareRoot()) / 2
  }

  /// The quantile of the standard normal distribution.
  static func normalQuantile(_ probability: Double) -> Double {
    bisect(-40...40) { normal($0) < probability }
  }

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

  /// The base to the power of the exponent: callers need not import the C library.
  static func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
}

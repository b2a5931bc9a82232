import Foundation

/// What one would do without labels: to split a key's gaps in two by their histogram alone.
enum Baseline: String, CaseIterable {
  /// Otsu's threshold (1979) on the logarithms: the split with the greatest variance between its parts.
  case otsu = "Otsu"
  /// Two lognormal laws fitted by expectation and maximisation, if they are better than one by the Bayesian information
  /// criterion; the threshold is where they are equally likely.
  case mixture = "mixture"

  /// The threshold in milliseconds, if there are two kinds of gaps.
  func threshold(_ gaps: [Double]) -> Double? {
    let logarithms = gaps.filter { $0 < 250 }.map { log(max($0, 0.5)) }.sorted()
    guard logarithms.count >= 5 else { return nil }
    let threshold =
      switch self {
      case .otsu: Self.otsu(logarithms)
      case .mixture: Self.mixture(logarithms)
      }
    // A lower part that reaches so far up is no chatter's: both are given this hint.
    return threshold.flatMap { exp($0) < 60 ? exp($0) : nil }
  }

  private static func otsu(_ x: [Double]) -> Double? {
    let total = x.reduce(0, +)
    var below = 0.0
    var best: (variance: Double, place: Double)?
    for index in 0..<x.count - 1 {
      below += x[index]
      let (low, high) = (Double(index + 1), Double(x.count - index - 1))
      let distance = below / low - (total - below) / high
      let variance = low * high * distance * distance
      if variance > best?.variance ?? -1 {
        best = (variance, (x[index] + x[index + 1]) / 2)
      }
    }
    return best?.place
  }

  private static func mixture(_ x: [Double]) -> Double? {
    let n = Double(x.count)
    let mean = x.reduce(0, +) / n
    let deviation = max(0.05, (x.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / n).squareRoot())
    func density(_ x: Double, _ mean: Double, _ deviation: Double) -> Double {
      let z = (x - mean) / deviation
      return exp(-z * z / 2) / (deviation * (2 * Double.pi).squareRoot())
    }
    let one = x.reduce(0) { $0 + log(max(density($1, mean, deviation), 1e-300)) }

    var share = 0.3
    var low = (mean: x[x.count / 8], deviation: deviation)
    var high = (mean: x[x.count * 5 / 8], deviation: deviation)
    var two = -Double.infinity
    for _ in 0..<200 {
      var (weight, sum, square, otherSum, otherSquare) = (0.0, 0.0, 0.0, 0.0, 0.0)
      var likelihood = 0.0
      for value in x {
        let a = share * density(value, low.mean, low.deviation)
        let b = (1 - share) * density(value, high.mean, high.deviation)
        likelihood += log(max(a + b, 1e-300))
        let part = a / max(a + b, 1e-300)
        weight += part
        sum += part * value
        square += part * value * value
        otherSum += (1 - part) * value
        otherSquare += (1 - part) * value * value
      }
      weight = min(max(weight, 0.5), n - 0.5)
      share = weight / n
      low.mean = sum / weight
      low.deviation = max(0.05, square / weight - low.mean * low.mean).squareRoot()
      high.mean = otherSum / (n - weight)
      high.deviation =
        max(0.05, otherSquare / (n - weight) - high.mean * high.mean).squareRoot()
      if likelihood - two < 1e-6 { break }
      two = likelihood
    }
    guard -2 * two + 5 * log(n) < -2 * one + 2 * log(n), low.mean < high.mean else { return nil }
    var (from, to) = (low.mean, high.mean)
    for _ in 0..<40 {
      let middle = (from + to) / 2
      let isLow =
        share * density(middle, low.mean, low.deviation)
        > (1 - share) * density(middle, high.mean, high.deviation)
      if isLow { from = middle } else { to = middle }
    }
    return (from + to) / 2
  }
}

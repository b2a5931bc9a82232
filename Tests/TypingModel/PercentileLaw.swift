import Foundation

/// A law of times among many people, given by measured percentiles, of which each person has an own part.
///
/// A time is drawn from a number `x` that is normal for each person: the person's own mean, plus the
/// person's own spread times a standard normal number. The law maps `x` to milliseconds such that all
/// people together have exactly the measured percentiles. A lognormal law would miss the low tail, and
/// that tail decides how many genuine presses a strategy loses.
public struct PercentileLaw: Sendable {
  /// How much of the variance is between people.
  let shareBetween: Double
  /// The standard deviation of the logarithm of people's spreads.
  let spreadOfSpreads: Double

  /// Where `x` meets the measured percentiles, and the logarithm of the time there; ascending.
  private let knots: [(x: Double, logarithm: Double)]

  /// A law with the given percentiles.
  ///
  /// - Parameters:
  ///   - percentiles: Percent, and milliseconds.
  ///   - shareBetween: How much of the variance is between people.
  ///   - spreadOfSpreads: The standard deviation of the logarithm of people's spreads.
  init(
    _ percentiles: KeyValuePairs<Double, Double>, shareBetween: Double = 0,
    spreadOfSpreads: Double = 0
  ) {
    self.shareBetween = shareBetween
    self.spreadOfSpreads = spreadOfSpreads
    // The law of `x` is a mixture of normal ones, of many kinds of people: with few, the widest spreads
    // would be missing, and with them the tails.
    let kinds = spreadOfSpreads == 0 ? 1 : 100
    let deviations = (0..<kinds).map { kind -> Double in
      let z = Normal.quantile((Double(kind) + 0.5) / Double(kinds))
      let spread = exp(spreadOfSpreads * z)
      return (shareBetween + (1 - shareBetween) * spread * spread).squareRoot()
    }
    knots = percentiles.map { percent, time in
      (Self.quantile(percent / 100, ofMixture: deviations), log(time))
    }
  }

  /// A person's part in the law: the mean and the spread of that person's `x`.
  struct Share: Sendable {
    let mean: Double
    let spread: Double
  }

  /// The share of the person whom these standard normal numbers describe.
  func share(mean: Double, spread: Double) -> Share {
    Share(
      mean: shareBetween.squareRoot() * mean,
      spread: (1 - shareBetween).squareRoot() * exp(spreadOfSpreads * spread))
  }

  /// The time, in milliseconds, at the standard normal number `z` of a person.
  func value(of person: Share, at z: Double) -> Double {
    let x = person.mean + person.spread * z
    var upper = 1
    while upper < knots.count - 1, knots[upper].x < x { upper += 1 }
    let (low, high) = (knots[upper - 1], knots[upper])
    let slope = (high.logarithm - low.logarithm) / (high.x - low.x)
    return exp(low.logarithm + slope * (x - low.x))
  }

  private static func quantile(_ probability: Double, ofMixture deviations: [Double]) -> Double {
    Normal.place(of: probability) { x in
      deviations.reduce(0) { $0 + Normal.distribution(x / $1) } / Double(deviations.count)
    }
  }
}

/// The standard normal law.
enum Normal {
  static func distribution(_ x: Double) -> Double {
    erfc(-x / 2.0.squareRoot()) / 2
  }

  static func quantile(_ probability: Double) -> Double {
    place(of: probability, in: distribution)
  }

  /// Where a distribution comes to the probability.
  static func place(of probability: Double, in distribution: (Double) -> Double) -> Double {
    var (low, high) = (-20.0, 20.0)
    for _ in 0..<50 {
      let middle = (low + high) / 2
      if distribution(middle) < probability { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}

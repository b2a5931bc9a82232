import Glibc

/// A model of the gaps in a person's doubles: how fast they type a key twice.
///
/// The gaps of all people together follow a curve measured on 11 039 doubles (Dhakal et al., CHI 2018). On a scale on
/// which that curve is normal, each person has a mean and a spread of their own. Each pair of values on a grid has a
/// weight, which the person's gaps change by Bayes' rule: with few gaps the person is like everybody, with many like
/// themselves.
struct FingerGapModel: Sendable {
  /// Percent of doubles, and their gap in milliseconds.
  private static let percentiles: [(percent: Double, gap: Double)] = [
    (0.1, 12), (0.5, 22), (1, 31), (2, 35), (5, 46), (10, 52), (25, 63), (50, 78), (75, 94),
    (90, 113), (95, 154), (99, 505.6), (99.9, 1115.9),
  ]
  /// The share of the variance that lies between people, and how much the spread within differs between them.
  private static let between = 0.355
  private static let spreadOfSpreads = 0.336

  private static let knots = percentiles.map {
    (z: quantile(ofAllPeople: $0.percent / 100), logarithm: log($0.gap))
  }

  /// All people's doubles on that scale are a mixture of normal distributions with these deviations, with longer tails than
  /// any.
  private static let deviations = (0..<40).map { kind in
    let z = SpecialFunctions.normalQuantile((Double(kind) + 0.5) / 40)
    return (between + (1 - between) * exp(2 * spreadOfSpreads * z)).squareRoot()
  }

  private static func quantile(ofAllPeople share: Double) -> Double {
    SpecialFunctions.bisect(-20...20) { x in
      deviations.reduce(0) { $0 + SpecialFunctions.normal(x / $1) }
        < share * Double(deviations.count)
    }
  }

  /// The position of a gap, in milliseconds, on that scale.
  private static func place(_ gap: Double) -> Double {
    guard gap > 0 else { return -.infinity }
    let logarithm = log(gap)
    var upper = 1
    while upper < knots.count - 1, knots[upper].logarithm < logarithm { upper += 1 }
    let (low, high) = (knots[upper - 1], knots[upper])
    return low.z + (high.z - low.z) * (logarithm - low.logarithm) / (high.logarithm - low.logarithm)
  }

  private struct Person: Sendable {
    var mean: Double
    var spread: Double
    var weight: Double
  }

  private let people: [Person]
  /// How many of the person's gaps it is based on.
  let count: Int

  /// - Parameter samples: The person's gaps, and the limits in milliseconds within which they were taken: shorter ones
  ///   may be chatter.
  init(_ samples: [(bins: [Bin], limits: ClosedRange<Double>)] = []) {
    let samples = samples.map { bins, limits in
      (
        places: bins.filter {
          $0.low >= limits.lowerBound - 0.01 && $0.high <= limits.upperBound + 0.01
        }
        .map { (Self.place($0.low), Self.place($0.high), $0.count) },
        ends: (Self.place(limits.lowerBound), Self.place(limits.upperBound))
      )
    }
    count = samples.reduce(0) { $0 + Int($1.places.reduce(0) { $0 + $1.2 }) }
    var people: [Person] = []
    for step in -8...8 {
      let z = Double(step) / 3
      let mean = Self.between.squareRoot() * z
      for wide in -4...4 {
        let y = Double(wide) / 2
        let spread = (1 - Self.between).squareRoot() * exp(Self.spreadOfSpreads * y)
        func below(_ place: Double) -> Double { SpecialFunctions.normal((place - mean) / spread) }
        var logarithm = -(z * z + y * y) / 2
        for (places, ends) in samples {
          let whole = max(below(ends.1) - below(ends.0), 1e-9)
          for (low, high, count) in places {
            logarithm += count * log(max(below(high) - below(low), 1e-9) / whole)
          }
        }
        people.append(Person(mean: mean, spread: spread, weight: logarithm))
      }
    }
    let largest = people.map(\.weight).max() ?? 0
    for index in people.indices { people[index].weight = exp(people[index].weight - largest) }
    let total = people.reduce(0) { $0 + $1.weight }
    self.people = people.filter { $0.weight > total * 1e-6 }.map {
      Person(mean: $0.mean, spread: $0.spread, weight: $0.weight / total)
    }
  }

  /// The share of the person's doubles with a gap below this many milliseconds.
  func share(below gap: Double) -> Estimate {
    guard gap > 0 else { return Estimate(exactly: 0) }
    let place = Self.place(gap)
    return Estimate(
      people.map { (SpecialFunctions.normal((place - $0.mean) / $0.spread), $0.weight) })
  }

  /// The quantile, which is infinite for a share of 1 or more.
  func reach(of share: Double) -> Double {
    share >= 1 ? .infinity : quantile(share)
  }

  /// The quantile of the person's gaps, in milliseconds.
  func quantile(_ share: Double) -> Double {
    SpecialFunctions.bisect(0...1500) { gap in
      let place = Self.place(gap)
      return people.reduce(0) {
        $0 + SpecialFunctions.normal((place - $1.mean) / $1.spread) * $1.weight
      } < share
    }
  }
}

import Glibc

/// A model of the gaps of a switch's faults.
///
/// The gaps have a lognormal distribution with unknown median and spread. Each pair of values on a grid has a weight,
/// which the observed gaps change by Bayes' rule. Where only gaps up to a limit could be recognised as faults, the
/// distribution is conditioned on that limit, so that the missing ones do not bias it towards short gaps. Before any gap
/// is observed the median may lie anywhere between 3 and 60 ms: reports put it between 5 and 100 ms.
struct ChatterGapModel: Sendable {
  /// The longest gap of a fault, in milliseconds.
  private static let end = 150.0

  private struct Switch: Sendable {
    var logarithm: Double
    var spread: Double
    var weight: Double

    /// The share of gaps below this many milliseconds, of those below the end.
    func share(below gap: Double) -> Double {
      guard gap > 0 else { return 0 }
      func below(_ gap: Double) -> Double {
        SpecialFunctions.normal((log(gap) - logarithm) / spread)
      }
      return min(1, below(gap) / max(below(ChatterGapModel.end), 1e-9))
    }
  }

  private let switches: [Switch]

  /// - Parameter samples: Observed gaps, and up to which limit in milliseconds they could be recognised.
  init(_ samples: [(bins: [Bin], limit: Double)] = []) {
    var switches: [Switch] = []
    for step in 0..<28 {
      let logarithm = log(2.0) + Double(step) / 27 * log(60.0)
      for wide in 0..<9 {
        let spread = 0.2 * exp(Double(wide) / 8 * log(6.0))
        let far = (logarithm - log(12.0)) / 0.8
        let odd = (log(spread) - log(0.55)) / 0.4
        var candidate = Switch(
          logarithm: logarithm, spread: spread, weight: -(far * far + odd * odd) / 2)
        for (bins, limit) in samples where !bins.isEmpty {
          let whole = max(candidate.share(below: limit), 1e-9)
          for bin in bins {
            let part = candidate.share(below: bin.high) - candidate.share(below: bin.low)
            candidate.weight += bin.count * log(max(part, 1e-9) / whole)
          }
        }
        switches.append(candidate)
      }
    }
    let largest = switches.map(\.weight).max() ?? 0
    for index in switches.indices { switches[index].weight = exp(switches[index].weight - largest) }
    let total = switches.reduce(0) { $0 + $1.weight }
    self.switches = switches.filter { $0.weight > total * 1e-5 }.map {
      Switch(logarithm: $0.logarithm, spread: $0.spread, weight: $0.weight / total)
    }
  }

  /// The approximate median gap, in milliseconds.
  var median: Double { exp(switches.reduce(0) { $0 + $1.weight * $1.logarithm }) }

  /// The share of the switch's faults with a gap of at least this many milliseconds.
  func share(from gap: Double) -> Estimate {
    Estimate(switches.map { (1 - $0.share(below: gap), $0.weight) })
  }

  /// The probability that more than this share of the faults have a gap of at least this many milliseconds.
  func probability(thatMoreThan share: Double, areFrom gap: Double) -> Double {
    switches.reduce(0) { $0 + (1 - $1.share(below: gap) > share ? $1.weight : 0) }
  }

  /// The quantile of the gaps, in milliseconds.
  func quantile(_ share: Double) -> Double {
    SpecialFunctions.bisect(0...Self.end) { 1 - self.share(from: $0).value < share }
  }
}

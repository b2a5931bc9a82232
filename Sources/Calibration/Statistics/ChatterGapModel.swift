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
  private static let logarithmOfEnd = log(end)

  private struct Switch: Sendable {
    let logarithm: Double
    let spread: Double
    var weight: Double
    /// The share of gaps below the end: those beyond are left out.
    private let whole: Double

    init(logarithm: Double, spread: Double, weight: Double) {
      (self.logarithm, self.spread, self.weight) = (logarithm, spread, weight)
      let end = (ChatterGapModel.logarithmOfEnd - logarithm) / spread
      whole = max(SpecialFunctions.normal(end), 1e-9)
    }

    /// The share of gaps below the one with this logarithm, of those below the end.
    func share(below gap: Double) -> Double {
      min(1, SpecialFunctions.normal((gap - logarithm) / spread) / whole)
    }
  }

  private let switches: [Switch]
  /// The approximate median gap, in milliseconds.
  let median: Double

  /// - Parameter samples: Observed gaps, and up to which limit in milliseconds they could be recognised.
  init(_ samples: [(bins: [Bin], limit: Double)] = []) {
    // The logarithm of nothing is −∞, below which no gap is.
    let samples = samples.filter { !$0.bins.isEmpty }.map { bins, limit in
      (bins: bins.map { (log($0.low), log($0.high), $0.count) }, limit: log(limit))
    }
    var switches: [Switch] = []
    for step in 0..<28 {
      let logarithm = log(2.0) + Double(step) / 27 * log(60.0)
      for wide in 0..<9 {
        let spread = 0.2 * exp(Double(wide) / 8 * log(6.0))
        let far = (logarithm - log(12.0)) / 0.8
        let odd = (log(spread) - log(0.55)) / 0.4
        var candidate = Switch(
          logarithm: logarithm, spread: spread, weight: -(far * far + odd * odd) / 2)
        for (bins, limit) in samples {
          let whole = max(candidate.share(below: limit), 1e-9)
          for (low, high, count) in bins {
            let part = candidate.share(below: high) - candidate.share(below: low)
            candidate.weight += count * log(max(part, 1e-9) / whole)
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
    median = exp(self.switches.reduce(0) { $0 + $1.weight * $1.logarithm })
  }

  /// The share of the switch's faults with a gap of at least this many milliseconds.
  func share(from gap: Double) -> Estimate {
    let gap = log(max(0, gap))
    return Estimate(switches.map { (1 - $0.share(below: gap), $0.weight) })
  }

  /// The probability that more than this share of the faults have a gap of at least this many milliseconds.
  func probability(thatMoreThan share: Double, areFrom gap: Double) -> Double {
    let gap = log(max(0, gap))
    return switches.reduce(0) { $0 + (1 - $1.share(below: gap) > share ? $1.weight : 0) }
  }

  /// The quantile of the gaps, in milliseconds.
  func quantile(_ share: Double) -> Double {
    SpecialFunctions.bisect(0...Self.end) { 1 - self.share(from: $0).value < share }
  }
}

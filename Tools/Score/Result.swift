import TypingModel

/// What a contender has shown.
struct Result: Sendable {
  var contender: Contender
  /// On keyboards without a fault.
  var clean = Tally()
  /// On worn ones.
  var worn = Tally()

  /// What there is to lose: the less the better, each for itself.
  var losses: [Double] {
    [
      worn.lost.share, worn.allMissed.share, worn.holdsLost.share, worn.pressLatency.mean,
      worn.releaseLatency.mean, Double(clean.wrongRests + worn.wrongRests),
    ]
  }

  /// Whether this is no worse than the other one in anything, and better in something.
  func dominates(_ other: Result) -> Bool {
    zip(losses, other.losses).allSatisfy { $0 <= $1 }
      && zip(losses, other.losses).contains { $0 < $1 }
  }
}

extension [Result] {
  /// Which of them no other one dominates: the Pareto front.
  var front: [Bool] {
    map { result in !contains { $0.dominates(result) } }
  }
}

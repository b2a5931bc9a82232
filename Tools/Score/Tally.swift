import Debounce

/// What became of genuine presses and of chatter.
struct Tally: Equatable {
  /// Genuine presses that were not emitted.
  var lost = Proportion()
  /// Faults that made an extra press, by kind.
  var missed = [Proportion](repeating: Proportion(), count: Chatter.allCases.count)
  /// Faults by which the key came up while the finger still held it, and did not come down again.
  var holdsLost = Proportion()

  /// How late the presses and releases of healthy keys were emitted.
  var pressLatency = Latency()
  var releaseLatency = Latency()

  /// Presses emitted after one that was made later.
  var inversions = 0
  /// Presses emitted with Shift in another state than the fingers had it.
  var shiftErrors = 0
  /// Rests of the keyboard at which a key was not where its finger had left it.
  var wrongRests = 0

  /// Faults of all kinds.
  var allMissed: Proportion {
    missed.reduce(into: Proportion()) { $0.add($1) }
  }

  func missed(_ chatter: Chatter) -> Proportion {
    missed[chatter.index]
  }

  mutating func add(_ other: Tally) {
    lost.add(other.lost)
    for index in missed.indices { missed[index].add(other.missed[index]) }
    holdsLost.add(other.holdsLost)
    pressLatency.add(other.pressLatency)
    releaseLatency.add(other.releaseLatency)
    inversions += other.inversions
    shiftErrors += other.shiftErrors
    wrongRests += other.wrongRests
  }
}

extension Chatter {
  var index: Int {
    switch self {
    case .pressBounce: 0
    case .releaseBounce: 1
    case .dropOut: 2
    }
  }
}

import Debounce

/// What became of genuine presses and of chatter.
struct Tally: Equatable {
  /// Genuine presses that were not emitted.
  var lost = Proportion()
  /// Those of keys that chatter at times.
  var lostOfFaulty = Proportion()
  /// Those that came sooner after the key's press before than a finger presses a key twice; and the others.
  var lostFast: Proportion { Proportion(part: lostTooFast, whole: lost.whole) }
  var lostSlow: Proportion { Proportion(part: lost.part - lostTooFast, whole: lost.whole) }
  var lostTooFast = 0
  /// Presses of strokes without a fault that were emitted more than once.
  var extra = 0
  /// Faults that made an extra press, by kind.
  var missed = [Proportion](repeating: Proportion(), count: Chatter.allCases.count)
  /// Faults by which the key came up while the finger still held it, and did not come down again.
  var holdsLost = Proportion()

  /// How late the presses and releases of healthy keys were emitted.
  var pressLatency = Latency()
  var releaseLatency = Latency()

  /// Presses emitted after one that was made later.
  var inversions = 0
  /// Presses emitted with a modifier in another state than the fingers had it.
  var modifierErrors = 0
  /// Rests of the keyboard at which a key was not where its finger had left it.
  var wrongRests = 0

  /// Faults of all kinds.
  var allMissed: Proportion {
    missed.reduce(into: Proportion()) { $0.add($1) }
  }

  /// Presses that mean something else than what was typed: later than what followed them, or with another
  /// modifier.
  var misplaced: Proportion {
    Proportion(part: inversions + modifierErrors, whole: lost.whole)
  }

  /// Whether all came out as it was typed.
  var isWhole: Bool { lost.part + extra + misplaced.part == 0 }

  func missed(_ chatter: Chatter) -> Proportion {
    missed[chatter.index]
  }

  mutating func add(_ other: Tally) {
    lost.add(other.lost)
    lostOfFaulty.add(other.lostOfFaulty)
    lostTooFast += other.lostTooFast
    extra += other.extra
    for index in missed.indices { missed[index].add(other.missed[index]) }
    holdsLost.add(other.holdsLost)
    pressLatency.add(other.pressLatency)
    releaseLatency.add(other.releaseLatency)
    inversions += other.inversions
    modifierErrors += other.modifierErrors
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

import Calibration

/// What became of the keys of one case.
struct Outcome: Sendable {
  // Keys that the person named, or, of healthy ones, all.
  /// Called bad.
  var calledBad = Proportion()
  /// Called bad, and of the right kind.
  var rightKind = Proportion()
  /// Called healthy, with a bound above the true rate; and with one below it.
  var healthyWithinBound = Proportion()
  var healthyWrongly = Proportion()
  var tooFew = Proportion()
  var bursts = Proportion()
  /// Keyboards that were seen to deliver in bursts.
  var burstyKeyboards = Proportion()
  /// Whether the rate's interval holds the true rate.
  var covered = Proportion()
  /// Worn keys with at least 20 strokes in the scan that the scan found.
  var foundByScan = Proportion()
  /// Healthy keys that the scan had looked at closely.
  var suspectedWrongly = Proportion()
  /// Strokes of the key until the diagnosis.
  var strokes = Mean()

  // Of keys called bad, per 1000 presses of ordinary use: costs above those of the best setting.
  var excess = Mean()
  var excessOfDefault = Mean()
  var excessOfBaseline = [Mean](repeating: Mean(), count: Baseline.allCases.count)
  /// What came through of the faults, and what was lost of the presses.
  var missed = Proportion()
  var lost = Proportion()
  /// Whether a setting was proposed, and not only to clean or replace the switch.
  var proposed = Proportion()
  /// Whether the intervals that were given for both meet those of what came.
  var missedAsForetold = Proportion()
  var lostAsForetold = Proportion()
  /// The same of the best setting.
  var bestMissed = Proportion()
  var bestLost = Proportion()
  var baselineCalledBad = [Proportion](
    repeating: Proportion(), count: Baseline.allCases.count)

  mutating func add(_ other: Outcome) {
    calledBad.add(other.calledBad)
    rightKind.add(other.rightKind)
    healthyWithinBound.add(other.healthyWithinBound)
    healthyWrongly.add(other.healthyWrongly)
    tooFew.add(other.tooFew)
    bursts.add(other.bursts)
    burstyKeyboards.add(other.burstyKeyboards)
    covered.add(other.covered)
    foundByScan.add(other.foundByScan)
    suspectedWrongly.add(other.suspectedWrongly)
    strokes.add(other.strokes)
    excess.add(other.excess)
    excessOfDefault.add(other.excessOfDefault)
    proposed.add(other.proposed)
    missed.add(other.missed)
    lost.add(other.lost)
    missedAsForetold.add(other.missedAsForetold)
    lostAsForetold.add(other.lostAsForetold)
    bestMissed.add(other.bestMissed)
    bestLost.add(other.bestLost)
    for index in Baseline.allCases.indices {
      excessOfBaseline[index].add(other.excessOfBaseline[index])
      baselineCalledBad[index].add(other.baselineCalledBad[index])
    }
  }
}

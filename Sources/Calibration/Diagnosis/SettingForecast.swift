import Debounce

/// Predicts the effect of a setting from what is known about a switch and the person's fingers.
struct SettingForecast: Sendable {
  var finger: FingerGapModel
  /// Of bounces (A, B) and of drop-outs (C).
  var bounces: ChatterGapModel
  var dropOuts: ChatterGapModel
  /// The share of strokes that are faulty.
  var rate: Double
  /// The shares of the classes among faults; they add up to 1.
  var shares: (pressBounces: Double, releaseBounces: Double, dropOuts: Double)
  /// The share of presses that repeat the key.
  var doubleShare: Double
  /// The share of the person's strokes that are as short as a bounce.
  var shortHolds: Double
  /// On how many faults all of this is based.
  var faults: Int
  var costs = Costs()
  /// The interval at which the device is polled, in milliseconds; `nil` if there is none.
  var poll: Int?

  /// Fewer faults show too little of the longest gaps to set times for them that `keydebounce check` warns of.
  private static let enoughFaults = 10
  /// Where more of the faults would come through, a setting does not cure the switch.
  private static let mostMissed = 0.5

  /// About how long a release bounce is closed, in milliseconds.
  private static let bounceHold = 10.0

  /// The expected effect of a setting, by the rules of the strategies: a press bounce vanishes if its gap is
  /// below `settle`, a release bounce if it is below `suspect`, a drop-out if it is below `dropout` and drop-outs are
  /// bridged. A genuine double becomes one stroke under the same conditions.
  func expectation(of setting: Setting) -> Proposal {
    let (settle, suspect, dropout) = setting.windows
    var bridged = 1.0
    var (missedA, missedB) = (
      bounces.share(from: max(settle, dropout)), bounces.share(from: max(suspect, dropout))
    )
    // A bounce of the first release shortens the gap to the second stroke, so that more gaps are bridged.
    let spoilt = dropout > 0 ? min(1, rate * shares.releaseBounces) : 0
    var lost =
      finger.share(below: dropout) * (1 - spoilt)
      + finger.share(below: dropout + bounces.median + Self.bounceHold) * spoilt
    var pressLatency = 0.0
    var releaseLatency = dropout
    let confirm: Confirm?
    switch setting.strategy {
    case .adaptive(let rule):
      bridged = share(bridgedBy: rule)
      confirm = Self.model(of: rule)
    case .confirm(let rule): confirm = rule
    default:
      missedA = bounces.share(from: settle)
      missedB = missedA
      confirm = nil
    }
    let missedC = dropOuts.share(from: dropout) * bridged + Estimate(exactly: 1 - bridged)
    lost = lost * bridged
    releaseLatency *= bridged
    if let confirm {
      // The second stroke of a double vanishes if it is short, and the gap if the first one is.
      let second = finger.share(below: suspect)
      lost = lost + second * shortHolds
      lost = lost + finger.share(below: settle) * (1.5 * shortHolds)
      pressLatency = confirm.confirm.inMilliseconds * doubleShare * second.value
      releaseLatency += settle * shortHolds
    }
    let missed =
      missedA * shares.pressBounces + missedB * shares.releaseBounces + missedC * shares.dropOuts
    let lostPerThousand = lost * (1000 * doubleShare)
    var cost =
      costs.lost * lostPerThousand.value + costs.missed * 1000 * rate * missed.value
      + costs.releaseLatency * releaseLatency + costs.pressLatency * pressLatency
    if case .adaptive = setting.strategy {} else { cost += costs.unfamiliar }
    if setting.isLong { cost += costs.long }
    return Proposal(
      setting: setting, lostPerThousand: lostPerThousand, lostPerThousandDoubles: lost * 1000,
      missed: missed, pressLatency: pressLatency, releaseLatency: releaseLatency, cost: cost)
  }

  /// What `adaptive` is calculated with: `confirm` of the same threshold, whose windows are no wider than those of a worn
  /// key. What it learns of holds and of machines is left out.
  static func model(of rule: Adaptive) -> Confirm { Confirm(threshold: rule.dropout) }

  /// For how many presses a bounce counts as evidence in this model, and a drop-out so short that no finger makes it.
  private static let (bounceHolds, dropOutHolds) = (300.0, 30.0)
  /// A shorter drop-out than this is evidence, in milliseconds.
  private static let shortDropOut = 12.0

  /// For which share of presses `adaptive` bridges drop-outs: for a while after each bounce, and for a shorter while
  /// after a drop-out so short that no finger makes it.
  private func share(bridgedBy rule: Adaptive) -> Double {
    let model = Self.model(of: rule)
    let bounced =
      rate * shares.pressBounces * (1 - bounces.share(from: model.settle.inMilliseconds).value)
      + rate * shares.releaseBounces
      * (1 - bounces.share(from: model.suspect.inMilliseconds).value)
    let dropped =
      rate * shares.dropOuts * (1 - dropOuts.share(from: Self.shortDropOut).value)
    return 1 - SpecialFunctions.power(1 - min(bounced, 0.99), Self.bounceHolds)
      * SpecialFunctions.power(1 - min(dropped, 0.99), Self.dropOutHolds)
  }

  /// The probability that no setting keeps within both limits: the share of doubles that become one stroke, and the
  /// share of faults that come through.
  func overlap(mostLost: Double, mostMissed: Double) -> Double {
    // Bounces beyond the widest window, or beyond what doubles allow, come through too.
    let widest = finger.reach(of: (mostLost / 2) / max(shortHolds, 1e-3))
    let bounced = bounces.share(from: min(140, widest)).value * (1 - shares.dropOuts)
    let allowed = (mostMissed - bounced) / shares.dropOuts
    guard allowed > 0 else { return 1 }
    // Drop-outs can be bridged only up to where too many doubles would be.
    let bridged = finger.reach(of: mostLost)
    return dropOuts.probability(thatMoreThan: allowed, areFrom: bridged)
  }

  /// The setting with the lowest cost; `nil` if it would not cure even half of the faults.
  func best() -> Proposal? {
    let best = Setting.candidates(poll: poll)
      .filter { faults >= Self.enoughFaults || !$0.isLong }
      .map(expectation).min { $0.cost < $1.cost }
    return best.flatMap { $0.missed.value > Self.mostMissed ? nil : $0 }
  }
}

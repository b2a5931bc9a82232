/// A setting for a key, and what is to be expected of it.
public struct Proposal: Equatable, Sendable {
  public var setting: Setting
  /// Genuine presses that would be lost, of 1000 presses of the key.
  public var lostPerThousand: Estimate
  /// Genuine doubles that would become one, of 1000 doubles.
  public var lostPerThousandDoubles: Estimate
  /// The share of faults that would come through, 0…1.
  public var missed: Estimate
  /// How late presses and releases would be on average, in milliseconds.
  public var pressLatency: Double
  public var releaseLatency: Double
  /// What it costs by ``Costs``, per 1000 presses.
  public var cost: Double
}

/// What is known of a key when a setting is chosen for it.
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
  /// How many faults it rests on.
  var faults: Int
  var costs = Costs()
  /// In milliseconds; `nil` if there is none.
  var poll: Int?

  /// Fewer faults say too little of the longest gaps to set times for them that `keydebounce check` warns of.
  private static let enoughFaults = 10
  /// Where more of the faults would come through, a setting does not cure the switch.
  private static let mostMissed = 0.5

  /// About how long a release bounce is closed, in milliseconds.
  private static let bounceHold = 10.0

  /// What would come of a setting, by the rules of the strategies (`Debounce`): a press bounce vanishes if its gap is
  /// below `settle`, a release bounce if it is below `suspect`, a drop-out if it is below `dropout` and drop-outs are
  /// bridged. A genuine double becomes one stroke under the same conditions.
  func expectation(of setting: Setting) -> Proposal {
    let (settle, suspect, dropout) = setting.windows
    var bridged = 1.0
    var (missedA, missedB) = (
      bounces.share(from: max(settle, dropout)), bounces.share(from: max(suspect, dropout))
    )
    // A bounce of the first release takes of the gap to the second stroke: of what is then left, more is bridged.
    let spoilt = dropout > 0 ? min(1, rate * shares.releaseBounces) : 0
    var lost =
      finger.share(below: dropout) * (1 - spoilt)
      + finger.share(below: dropout + bounces.median + Self.bounceHold) * spoilt
    var pressLatency = 0.0
    var releaseLatency = dropout
    let confirms: Bool
    switch setting {
    case .adaptive:
      bridged = bridgedShare(settle: settle, suspect: suspect)
      confirms = true
    case .confirm: confirms = true
    case .eagerDefer:
      missedA = bounces.share(from: settle)
      missedB = missedA
      confirms = false
    }
    let missedC = dropOuts.share(from: dropout) * bridged + Estimate(exactly: 1 - bridged)
    lost = lost * bridged
    releaseLatency *= bridged
    if confirms {
      // A double's second stroke vanishes if it is short, and its gap if its first one is.
      let second = finger.share(below: suspect)
      lost = lost + second * shortHolds
      lost = lost + finger.share(below: settle) * (1.5 * shortHolds)
      pressLatency = 30 * doubleShare * second.value
      releaseLatency += settle * shortHolds
    }
    let missed =
      missedA * shares.pressBounces + missedB * shares.releaseBounces + missedC * shares.dropOuts
    let lostPerThousand = lost * (1000 * doubleShare)
    var cost =
      costs.lost * lostPerThousand.value + costs.missed * 1000 * rate * missed.value
      + costs.releaseLatency * releaseLatency + costs.pressLatency * pressLatency
    if case .adaptive = setting {} else { cost += costs.unfamiliar }
    if setting.isLong { cost += costs.long }
    return Proposal(
      setting: setting, lostPerThousand: lostPerThousand, lostPerThousandDoubles: lost * 1000,
      missed: missed, pressLatency: pressLatency, releaseLatency: releaseLatency, cost: cost)
  }

  /// For which share of presses `adaptive` bridges drop-outs: it does so for 300 presses after a bounce, and for 30
  /// after a drop-out so short that no finger makes it.
  private func bridgedShare(settle: Double, suspect: Double) -> Double {
    let bounced =
      rate * shares.pressBounces * (1 - bounces.share(from: settle).value)
      + rate * shares.releaseBounces * (1 - bounces.share(from: suspect).value)
    let dropped = rate * shares.dropOuts * (1 - dropOuts.share(from: 12).value)
    return 1 - SpecialFunctions.power(1 - min(bounced, 0.99), 300)
      * SpecialFunctions.power(1 - min(dropped, 0.99), 30)
  }

  /// How likely it is that no setting keeps both to these limits: the share of doubles that become one stroke, and the
  /// share of faults that come through.
  func overlap(mostLost: Double, mostMissed: Double) -> Double {
    // Whatever bounces are wider than the widest window, or than what a double allows, comes through too.
    let widest = finger.reach(of: (mostLost / 2) / max(shortHolds, 1e-3))
    let bounced = bounces.share(from: min(140, widest)).value * (1 - shares.dropOuts)
    let allowed = (mostMissed - bounced) / shares.dropOuts
    guard allowed > 0 else { return 1 }
    // Drop-outs are bridged up to where too many doubles would be.
    let bridged = finger.reach(of: mostLost)
    return dropOuts.probability(thatMoreThan: allowed, areFrom: bridged)
  }

  /// The setting that costs least; `nil` if it would not even cure half of the faults.
  func best() -> Proposal? {
    let best = Setting.candidates(poll: poll)
      .filter { faults >= Self.enoughFaults || !$0.isLong }
      .map(expectation).min { $0.cost < $1.cost }
    return best.flatMap { $0.missed.value > Self.mostMissed ? nil : $0 }
  }
}

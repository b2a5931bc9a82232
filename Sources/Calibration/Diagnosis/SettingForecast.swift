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
  /// What the key did, where there is a recording of it.
  var recording: KeyRecording?

  /// Fewer faults show too little of the longest gaps to set times for them that `keydebounce check` warns of.
  private static let enoughFaults = 10
  /// Where more of the faults would come through, a setting does not cure the switch.
  private static let mostMissed = 0.5

  /// About how long a release bounce is closed, in milliseconds.
  private static let bounceHold = 10.0

  /// The effect of a setting that the model expects, by the rules of the strategies: a press bounce vanishes if its gap is
  /// below `settle`, a release bounce if it is below `suspect`, a drop-out if it is below `dropout` and drop-outs are
  /// bridged. A genuine double becomes one stroke under the same conditions.
  func expectation(of setting: Setting) -> Proposal {
    var shares = GapShares(self)
    return expectation(of: setting, by: &shares)
  }

  private func expectation(of setting: Setting, by gaps: inout GapShares) -> Proposal {
    let (settle, suspect, dropout) = setting.windows
    var bridged = 1.0
    var (missedA, missedB) = (
      gaps.bounces(from: max(settle, dropout)), gaps.bounces(from: max(suspect, dropout))
    )
    // A bounce of the first release shortens the gap to the second stroke, so that more gaps are bridged.
    let spoilt = dropout > 0 ? min(1, rate * shares.releaseBounces) : 0
    var lost =
      gaps.fingers(below: dropout) * (1 - spoilt)
      + gaps.fingers(below: dropout + bounces.median + Self.bounceHold) * spoilt
    var pressLatency = 0.0
    var releaseLatency = dropout
    var missedC = gaps.dropOuts(from: dropout)
    var (confirm, short) = (0.0, shortHolds)
    switch setting.strategy {
    case .adaptive(let rule):
      bridged = share(bridgedBy: rule, &gaps)
      confirm = rule.confirm.inMilliseconds
      // About half of the contact's losses come early in a stroke, and there a worn key waits half as long again.
      missedC = (missedC + gaps.dropOuts(from: 1.5 * dropout)) * 0.5
      lost = (lost + gaps.fingers(below: 1.5 * dropout) * (1 - spoilt)) * 0.5
      // What is very short is so by this key's usual hold.
      short /= 2
    case .confirm(let rule):
      confirm = rule.confirm.inMilliseconds
    default:
      missedA = gaps.bounces(from: settle)
      missedB = missedA
    }
    missedC = missedC * bridged + Estimate(exactly: 1 - bridged)
    lost = lost * bridged
    releaseLatency *= bridged
    if confirm > 0 {
      // The second stroke of a double vanishes if it is short, and the gap if the first one is.
      let second = gaps.fingers(below: suspect)
      lost = lost + second * short
      lost = lost + gaps.fingers(below: settle) * (1.5 * short)
      pressLatency = confirm * doubleShare * second.value
      releaseLatency += settle * short
    }
    let missed =
      missedA * shares.pressBounces + missedB * shares.releaseBounces + missedC * shares.dropOuts
    return proposal(
      setting, lost: lost, missed: missed, pressLatency: pressLatency,
      releaseLatency: releaseLatency)
  }

  /// How many doubles and faults of a recording the model counts as much as, where both tell of a setting.
  private static let (doublesOfModel, faultsOfModel) = (20.0, 10.0)

  /// The expected effect of a setting: what the engine does with it on the key's recording where there is one, otherwise
  /// what the model expects.
  ///
  /// A recording has few doubles and few faults, and of ordinary work only the unmistakable ones are known. So it does not
  /// outweigh the model until it has many.
  func prediction(of setting: Setting) -> Proposal {
    let model = expectation(of: setting)
    guard let recording, recording.strokes > 0 else { return model }
    let trial = SettingTrial(setting.strategy, on: recording)
    return proposal(
      setting,
      lost: FaultRate(faults: trial.lost, strokes: recording.doubles)
        .combined(with: model.lostPerThousandDoubles * 0.001, weighing: Self.doublesOfModel),
      missed: FaultRate(faults: trial.missed, strokes: trial.faults)
        .combined(with: model.missed, weighing: Self.faultsOfModel),
      pressLatency: trial.pressLatency, releaseLatency: trial.releaseLatency)
  }

  /// - Parameters:
  ///   - lost: The share of doubles that become one stroke.
  ///   - missed: The share of faults that come through.
  private func proposal(
    _ setting: Setting, lost: Estimate, missed: Estimate, pressLatency: Double,
    releaseLatency: Double
  ) -> Proposal {
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

  /// A shorter drop-out than this is evidence if it comes soon after its press, in milliseconds, and which share does.
  private static let (shortDropOut, earlyDropOuts) = (15.0, 0.4)

  /// For which share of presses `adaptive` takes the key for bad: for a while after each piece of evidence.
  private func share(bridgedBy rule: Adaptive, _ gaps: inout GapShares) -> Double {
    let (settle, suspect, _) = Setting.windowsOfHealthyKeys
    let bounced =
      shares.pressBounces * (1 - gaps.bounces(from: settle).value)
      + shares.releaseBounces * (1 - gaps.bounces(from: suspect).value)
    let dropped =
      shares.dropOuts * (1 - gaps.dropOuts(from: Self.shortDropOut).value) * Self.earlyDropOuts
    return 1
      - SpecialFunctions.power(1 - min(rate * (bounced + dropped), 0.99), Double(rule.within))
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
    var shares = GapShares(self)
    var best = Setting.candidates(poll: poll)
      .filter { faults >= Self.enoughFaults || !$0.isLong }
      .map { expectation(of: $0, by: &shares) }.sorted { $0.cost < $1.cost }
    if recording != nil {
      // Playing it takes time. What the model likes least it need not be played for.
      best = best.prefix(Self.played).map { prediction(of: $0.setting) }
        .sorted { $0.cost < $1.cost }
    }
    return best.first.flatMap { $0.missed.value > Self.mostMissed ? nil : $0 }
  }

  /// How many settings are tried on a recording.
  private static let played = 16
}

/// The shares of gaps by which settings are judged, each worked out once: settings have most of their windows in common.
private struct GapShares {
  private let forecast: SettingForecast
  private var fingers: [Double: Estimate] = [:]
  private var bounces: [Double: Estimate] = [:]
  private var dropOuts: [Double: Estimate] = [:]

  init(_ forecast: SettingForecast) { self.forecast = forecast }

  /// The share of the person's doubles below this gap, in milliseconds.
  mutating func fingers(below gap: Double) -> Estimate {
    Self.known(&fingers, gap) { forecast.finger.share(below: $0) }
  }

  /// The share of bounces from this gap on.
  mutating func bounces(from gap: Double) -> Estimate {
    Self.known(&bounces, gap) { forecast.bounces.share(from: $0) }
  }

  /// The share of drop-outs from this gap on.
  mutating func dropOuts(from gap: Double) -> Estimate {
    Self.known(&dropOuts, gap) { forecast.dropOuts.share(from: $0) }
  }

  private static func known(
    _ shares: inout [Double: Estimate], _ gap: Double, _ share: (Double) -> Estimate
  ) -> Estimate {
    if let known = shares[gap] { return known }
    let new = share(gap)
    shares[gap] = new
    return new
  }
}

extension FaultRate {
  /// The share, where an expectation counts as much as so many strokes.
  fileprivate func combined(with expected: Estimate, weighing weight: Double) -> Estimate {
    let own = Double(strokes) / (Double(strokes) + weight)
    let seen = strokes > 0 ? Estimate(share, in: interval) : expected
    return seen * own + expected * (1 - own)
  }
}

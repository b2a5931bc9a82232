import Debounce

/// Derives diagnoses from evidence.
public struct Analysis: Sendable {
  /// A switch is called healthy if its rate of faults is certainly below this; for 5 % that takes 59 strokes without one.
  public static let healthyBound = 0.05
  /// The number of requested taps and holds from which the rate is taken instead of from typing.
  private static let enoughLabelled = 20
  /// If the best setting loses a larger share of doubles, or misses a larger share of faults, the bands overlap.
  private static let mostLost = 0.02
  private static let mostMissed = 0.15

  /// A shorter gap may be a fault's as likely as a finger's. Milliseconds.
  private static let leastGap = 16

  private let observer: Observer
  private let costs: Costs
  /// Gaps of the person's doubles on all keys that look healthy.
  private let personGaps: FineHistogram
  /// The model that follows from them.
  private let person: FingerGapModel
  /// The share of the person's strokes that are as short as a bounce.
  private let shortHolds: Double

  public init(_ observer: Observer, costs: Costs = Costs()) {
    self.observer = observer
    self.costs = costs
    let gaps = observer.observedKeys.reduce(into: FineHistogram()) { gaps, key in
      let evidence = observer[key]
      if evidence.faults.total == 0 { gaps.add(evidence.fingerGaps) }
    }
    personGaps = gaps
    let holds = observer.observedKeys.reduce(into: (short: 0, all: 0)) { holds, key in
      let evidence = observer[key]
      guard evidence.faults.total == 0 else { return }
      holds.short += evidence.fingerHolds.count(below: 30)
      holds.all += evidence.fingerHolds.total
    }
    shortHolds = (Double(holds.short) + 0.5) / (Double(holds.all) + 100)
    person = FingerGapModel([
      (gaps.nonEmptyBins(from: Self.leastGap, to: 150), Double(Self.leastGap)...150)
    ])
  }

  /// Diagnoses of all keys that were pressed, the worst first.
  public var diagnoses: [Diagnosis] {
    observer.observedKeys.map { diagnosis(of: $0) }
      .sorted { $0.isWorse(than: $1) }
  }

  /// Keys that may be bad and deserve a closer look, the most suspicious first.
  ///
  /// - Parameter least: The least certainty. A tenth takes no more than two pairs of strokes that few fingers make.
  public func suspects(least: Double = 0.1) -> [KeyCode] {
    observer.observedKeys
      .map { (key: $0, certainty: observer[$0].test.certainty) }
      .filter { $0.certainty >= least }
      .sorted { ($0.certainty, $1.key) > ($1.certainty, $0.key) }
      .map(\.key)
  }

  /// The diagnosis of a key.
  public func diagnosis(of key: KeyCode) -> Diagnosis {
    let evidence = observer[key]
    let labelled = FaultRate(
      faults: evidence.taps.faults + evidence.holds.faults,
      strokes: evidence.taps.strokes + evidence.holds.strokes)
    let isLabelled = labelled.strokes >= Self.enoughLabelled
    // Typing makes suspects. Where single taps were requested, they must confirm it.
    let isBad =
      isLabelled && labelled.faults < 2
      ? evidence.test.evidence >= SequentialTest.limit : evidence.test.isCertain
    let finger = finger(of: evidence, isBad: isBad)
    var diagnosis = Diagnosis(
      key: key, finding: .chatters, strokes: evidence.strokes, faults: evidence.faults,
      rate: isLabelled ? labelled : evidence.typed, isRateLabelled: isLabelled,
      certainty: evidence.test.certainty, gaps: evidence.fingerGaps.percentiles,
      holds: evidence.fingerHolds.percentiles, faultGaps: evidence.faultGaps.percentiles,
      fingerGapHistogram: evidence.fingerGaps, faultGapHistogram: evidence.faultGaps,
      humanBand: finger.quantile(0.01)...finger.quantile(0.5), humanDoubles: finger.count,
      proposal: nil, tradeOff: [])
    guard isBad else {
      diagnosis.finding = finding(withoutProof: evidence, labelled)
      return diagnosis
    }
    // Single taps half a second apart do not become close by being delivered late.
    if observer.link.isBursty, labelled.faults < 2 {
      diagnosis.finding = .receiverBursts
      return diagnosis
    }
    // Typing shows fewer faults than there are, but those that it shows count.
    let all = FaultRate(
      faults: labelled.faults + evidence.typed.faults,
      strokes: labelled.strokes + evidence.typed.strokes)
    var forecast = forecast(of: evidence, finger, labelled.share > all.share ? labelled : all)
    forecast.recording = observer.recordings?[key]
    Self.conclude(&diagnosis, forecast)
    return diagnosis
  }

  /// The finding about a switch that is not certainly bad.
  private func finding(withoutProof evidence: KeyEvidence, _ labelled: FaultRate)
    -> Diagnosis.Finding
  {
    if observer.link.isBursty, evidence.typed.faults > 0, labelled.strokes < Self.enoughLabelled {
      return .receiverBursts
    }
    // Requested strokes show every fault, typed ones only most.
    let rate = labelled.strokes >= Self.enoughLabelled ? labelled : evidence.typed
    return Self.finding(withoutProof: rate, evidence: evidence.test)
  }

  /// A switch is healthy if there is no evidence against it and there are enough strokes.
  static func finding(withoutProof rate: FaultRate, evidence: SequentialTest) -> Diagnosis.Finding {
    let bound = rate.upperBound
    if bound <= healthyBound, evidence.evidence <= 0 { return .healthy(upperBound: bound) }
    // Evidence against it takes more strokes to outweigh, however low the bound is.
    return .tooFewData(
      strokesNeeded: max(evidence.evidence > 0 ? 20 : 1, rate.strokesMissing(for: healthyBound)))
  }

  /// The model of the person's doubles, from this key and from all healthy ones. Of a bad key only gaps beyond its
  /// chatter count.
  private func finger(of evidence: KeyEvidence, isBad: Bool) -> FingerGapModel {
    guard evidence.faults.total > 0 else { return person }
    let reach = isBad ? evidence.faultGaps.quantile(1).map { Int($0.rounded(.up)) } ?? 0 : 0
    let low = min(max(Self.leastGap, reach + 1), 70)
    return FingerGapModel([
      (personGaps.nonEmptyBins(from: Self.leastGap, to: 150), Double(Self.leastGap)...150),
      (evidence.fingerGaps.nonEmptyBins(from: low, to: 150), Double(low)...150),
    ])
  }

  private func forecast(
    of evidence: KeyEvidence, _ finger: FingerGapModel, _ rate: FaultRate
  ) -> SettingForecast {
    let bounceGap = Int(PairClass.bounceGap / 1000)
    let dropOutGap = Int(PairClass.dropOutGap / 1000)
    let bounces: [(bins: [Bin], limit: Double)] = [
      (bins: evidence.labelledBounces.nonEmptyBins(to: 150), limit: 150),
      (bins: evidence.typedBounces.nonEmptyBins(to: bounceGap), limit: Double(bounceGap)),
    ]
    let dropOuts: [(bins: [Bin], limit: Double)] = [
      (bins: evidence.labelledDropOuts.nonEmptyBins(to: 150), limit: 150),
      (bins: evidence.typedDropOuts.nonEmptyBins(to: dropOutGap), limit: Double(dropOutGap)),
    ]
    return SettingForecast(
      finger: finger,
      bounces: ChatterGapModel(bounces + dropOuts.transferred),
      dropOuts: ChatterGapModel(dropOuts + bounces.transferred),
      rate: (Double(rate.faults) + 0.5) / (Double(rate.strokes) + 1),
      shares: evidence.faults.shares, doubleShare: evidence.doubleShare, shortHolds: shortHolds,
      faults: evidence.faults.total, costs: costs, poll: observer.link.poll)
  }

  /// Chooses the setting for a bad switch and decides whether it is good enough.
  static func conclude(_ diagnosis: inout Diagnosis, _ forecast: SettingForecast) {
    diagnosis.tradeOff = stride(from: 15.0, through: 100, by: 5).map { threshold in
      let row = forecast.prediction(of: .eagerDefer(threshold: threshold))
      return Diagnosis.TradeOff(
        threshold: threshold, lostPerThousandDoubles: row.lostPerThousandDoubles,
        missed: row.missed)
    }
    let proposal = forecast.best()
    diagnosis.proposal = proposal
    diagnosis.finding = finding(
      on: diagnosis.faults, by: forecast, hasProposal: proposal != nil)
  }

  /// What is wrong with a switch that is certainly bad.
  ///
  /// - Parameter hasProposal: Whether a setting would cure it. Not asked where the answer changes nothing.
  static func finding(
    on faults: FaultCounts, by forecast: SettingForecast, hasProposal: @autoclosure () -> Bool
  ) -> Diagnosis.Finding {
    if forecast.overlap(mostLost: mostLost, mostMissed: mostMissed) > 0.5 || !hasProposal() {
      return .overlap
    }
    return faults.dropOuts > faults.pressBounces + faults.releaseBounces ? .dropsOut : .chatters
  }
}

extension [(bins: [Bin], limit: Double)] {
  /// These gaps as evidence for the other kind of fault, because a switch bounces about as long as it drops out. They
  /// count for no more than four gaps of that kind.
  fileprivate var transferred: Self {
    let total = reduce(0) { $0 + $1.bins.reduce(0) { $0 + $1.count } }
    let weight = Swift.min(1, 4 / Swift.max(total, 1))
    return map { bins, limit in
      (bins.map { Bin(low: $0.low, high: $0.high, count: $0.count * weight) }, limit)
    }
  }
}

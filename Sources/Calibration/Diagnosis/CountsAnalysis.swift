import Debounce

/// Diagnoses from the service's counts.
///
/// The classes of intervals are coarse, and what was removed depends on the strategy that was in force. Doubles that it
/// removed by mistake count as faults, so that a healthy key is allowed more of them than in raw frames; see
/// ``FingersRemoved``.
extension Analysis {
  /// The diagnosis of a key from its counts, with the person's doubles from those of all keys.
  public static func diagnosis(
    of key: KeyCode, counts: KeyCounts, among keys: [KeyCounts] = [], costs: Costs = Costs()
  ) -> Diagnosis {
    let evidence = CountsEvidence(of: counts)
    let finger = FingerGapModel(of: keys.isEmpty ? [counts] : keys)
    var diagnosis = Diagnosis(
      key: key, finding: .chatters, strokes: evidence.rate.strokes, faults: evidence.faults,
      rate: evidence.rate, isRateLabelled: false, certainty: evidence.test.certainty,
      gaps: Percentiles(counts.gaps.quantile), holds: Percentiles(counts.holds.quantile),
      faultGaps: Percentiles(counts.removedGaps.quantile),
      fingerGapHistogram: counts.gaps.fine, faultGapHistogram: counts.removedGaps.fine,
      humanBand: finger.quantile(0.01)...finger.quantile(0.5), humanDoubles: finger.count,
      proposal: nil, tradeOff: [])
    if evidence.isOfTheLink(among: keys) {
      diagnosis.finding = .receiverBursts
    } else if evidence.test.isCertain {
      conclude(&diagnosis, evidence.forecast(finger, costs))
    } else {
      diagnosis.finding = finding(withoutProof: evidence.rate, evidence: evidence.test)
    }
    return diagnosis
  }

  /// The diagnoses of all keys of a device, the worst first.
  public static func diagnoses(of counts: [KeyCode: KeyCounts], costs: Costs = Costs())
    -> [Diagnosis]
  {
    let all = Array(counts.values)
    return counts.map { diagnosis(of: $0.key, counts: $0.value, among: all, costs: costs) }
      .sorted { $0.isWorse(than: $1) }
  }
}

/// What the counts of a key say of its switch, before any model is made of them.
struct CountsEvidence {
  private let counts: KeyCounts
  let faults: FaultCounts
  let rate: FaultRate
  /// The share of presses that repeat the key.
  private let doubleShare: Double
  let test: SequentialTest

  init(of counts: KeyCounts) {
    self.counts = counts
    var faults = FaultCounts()
    faults.pressBounces = Int(counts.pressBounces)
    faults.releaseBounces = Int(counts.releaseBounces)
    faults.dropOuts = Int(counts.dropOuts)
    self.faults = faults
    // Strokes with a bounce were passed on, and are among the strokes.
    rate = FaultRate(faults: faults.total, strokes: Int(counts.strokes))
    let doubles = counts.gaps.nonEmptyBins(to: 150).reduce(0) { $0 + $1.count }
    doubleShare = max(0.02, (doubles + 1) / (Double(counts.strokes) + 50))
    test = SequentialTest(
      faults: rate.faults, strokes: rate.strokes,
      allowed: FingersRemoved.share(of: counts, doubleShare: doubleShare))
  }

  /// What settings would do, from the person's doubles and the gaps that were removed.
  func forecast(_ finger: FingerGapModel, _ costs: Costs) -> SettingForecast {
    let longGap = Chatter.longGap.inMilliseconds
    let model = ChatterGapModel([(counts.removedGaps.nonEmptyBins(to: longGap), longGap)])
    return SettingForecast(
      finger: finger, bounces: model, dropOuts: model, rate: rate.share, shares: faults.shares,
      doubleShare: doubleShare, shortHolds: 0.005, faults: faults.total, costs: costs)
  }

  /// Whether the faults are the link's rather than the switch's: other keys of the device, too, went down and up at once. Then
  /// events are delivered together, which makes fingers look like chatter. Of one key alone it may be its switch.
  ///
  /// - Parameter all: The counts of all keys of the device, or none.
  func isOfTheLink(among all: [KeyCounts]) -> Bool {
    func others(_ value: (KeyCounts) -> Int) -> Int {
      all.reduce(0) { $0 + value($1) } - value(counts)
    }
    guard rate.faults > 0, !all.isEmpty else { return false }
    // As of raw frames: one of 200 edges.
    let instants = others(\.instants)
    return instants >= 3 && instants * 100 >= others { Int($0.strokes) }
  }
}

extension FingerGapModel {
  /// The person's doubles, from the counts of these keys.
  init(of keys: [KeyCounts]) {
    self.init([(keys.flatMap { $0.gaps.nonEmptyBins(from: 50, to: 150) }.merged, 50...150)])
  }
}

/// What a strategy may have removed of a healthy key: doubles whose gap was as short as chatter's.
private enum FingersRemoved {
  /// Of all people's doubles, so many are removed.
  private static let ofDoubles = 1.0 / 250
  /// For each gap of 25 to 50 ms that was passed on, so many shorter ones were removed. Of all people's doubles, a twelfth
  /// as many are below that band as in it, and not all of those are removed. Some people's fingers are often in that
  /// band, above all on Backspace.
  private static let ofShortGaps = 1.0 / 16

  /// The share of strokes that is allowed for.
  static func share(of counts: KeyCounts, doubleShare: Double) -> Double {
    let shortGaps = counts.gaps.nonEmptyBins(from: 25, to: 50).reduce(0) { $0 + $1.count }
    let ofShortGaps = shortGaps * ofShortGaps / max(1, Double(counts.strokes))
    return max(2e-4, doubleShare * ofDoubles, ofShortGaps)
  }
}

extension KeyCounts {
  /// How many intervals were shorter than a millisecond: hardly any keyboard can report one key twice in that time.
  fileprivate var instants: Int {
    [gaps, removedGaps, holds, removedHolds].reduce(0) { $0 + Int($1.values[0]) }
  }
}

extension IntervalHistogram {
  /// The classes within these limits, in milliseconds, that are not empty.
  func nonEmptyBins(from start: Double = 0, to limit: Double) -> [Bin] {
    zip(values, Self.bounds).enumerated().compactMap { index, pair in
      let low = index == 0 ? 0 : Double(Self.bounds[index - 1]) / 1000
      let high = Double(pair.1) / 1000
      guard pair.0 > 0, low >= start, high <= limit else { return nil }
      return Bin(low: low, high: high, count: Double(pair.0))
    }
  }

  /// The quantile in milliseconds, with intervals spread evenly within each class.
  func quantile(_ share: Double) -> Double? {
    guard total > 0 else { return nil }
    var left = share * Double(total)
    for (index, count) in values.enumerated() where count > 0 {
      let low = index == 0 ? 0 : Double(Self.bounds[index - 1]) / 1000
      guard index < Self.bounds.count else { return low }
      if left <= Double(count) {
        return low + (Double(Self.bounds[index]) / 1000 - low) * max(0, left) / Double(count)
      }
      left -= Double(count)
    }
    return Double(Self.bounds.last ?? 0) / 1000
  }

  /// The same intervals in fine bins, spread evenly within each class, to be drawn beside others.
  var fine: FineHistogram {
    var fine = FineHistogram()
    for (index, count) in values.enumerated() where count > 0 {
      let low = index == 0 ? 0 : Int(Self.bounds[index - 1] / 1000)
      let high = index < Self.bounds.count ? Int(Self.bounds[index] / 1000) : low + 1
      let width = UInt32(max(1, high - low))
      for step in 0..<width {
        let part = count / width + (step < count % width ? 1 : 0)
        if part > 0 { fine.add(Microseconds(low + Int(step)) * 1000, count: part) }
      }
    }
    return fine
  }
}

extension [Bin] {
  /// The bins with those of the same range added up.
  var merged: [Bin] {
    var counts: [Double: Bin] = [:]
    for bin in self {
      counts[bin.low, default: Bin(low: bin.low, high: bin.high, count: 0)].count += bin.count
    }
    return counts.values.sorted { $0.low < $1.low }
  }
}

extension SequentialTest {
  /// The test after a number of strokes and faults whose order is not known.
  init(faults: Int, strokes: Int, allowed: Double) {
    self.init()
    weigh(faults: faults, strokes: strokes, allowed: allowed)
  }
}

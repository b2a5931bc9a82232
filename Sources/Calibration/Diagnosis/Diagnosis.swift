import Debounce

/// What was found out about a key's switch.
public struct Diagnosis: Equatable, Sendable {
  public enum Finding: Equatable, Sendable {
    /// The rate of faults is below the bound with 95 % confidence.
    case healthy(upperBound: Double)
    /// Mostly press bounces and release bounces.
    case chatters
    /// Mostly drop-outs: the contact is lost while the key is held.
    case dropsOut
    /// It is bad, and no setting both removes its chatter and spares the person's doubles: see the diagnosis's
    /// ``tradeOff``. The switch should be cleaned or replaced.
    case overlap
    /// Nothing is certain yet: this many more strokes without a fault would show that the switch is healthy.
    case tooFewData(strokesNeeded: Int)
    /// What looks like faults may be caused by a receiver that delivers several events at once.
    case receiverBursts
  }

  /// The effect of a threshold: a row of the trade-off table.
  public struct TradeOff: Equatable, Sendable {
    /// In milliseconds.
    public var threshold: Double
    /// Genuine doubles that would become one stroke, of 1000.
    public var lostPerThousandDoubles: Estimate
    /// The share of faults that would come through, 0…1.
    public var missed: Estimate
  }

  public var key: KeyCode
  public var finding: Finding
  /// All strokes of the key.
  public var strokes: Int
  public var faults: FaultCounts
  /// The rate of faults in requested taps and holds, if there are enough of them; otherwise in typing, where only
  /// unmistakable faults count, so that it is a lower bound.
  public var rate: FaultRate
  public var isRateLabelled: Bool
  /// How certain it is that the switch is bad, 0…1.
  public var certainty: Double
  /// Percentiles of the gaps and holds of fingers, and of the gaps of faults; `nil` where there are none.
  public var gaps: Percentiles?
  public var holds: Percentiles?
  public var faultGaps: Percentiles?
  /// The gaps of fingers and of faults, to be drawn.
  public var fingerGapHistogram: FineHistogram
  public var faultGapHistogram: FineHistogram
  /// The person's band: the gap that 1 % of doubles are below, and the median. Milliseconds.
  public var humanBand: ClosedRange<Double>
  /// How many of the person's doubles it is based on.
  public var humanDoubles: Int
  /// The proposed setting; `nil` if the switch is healthy or no setting would cure it.
  public var proposal: Proposal?
  /// The effect of several thresholds, for every bad switch.
  public var tradeOff: [TradeOff]
  /// What stands on the key in the system's layout, if its name does not say that.
  public var label: String?

  /// Whether the switch is bad.
  public var isFaulty: Bool {
    switch finding {
    case .chatters, .dropsOut, .overlap: true
    case .healthy, .tooFewData, .receiverBursts: false
    }
  }

  /// The order of keys in reports: bad keys first, and the more certain ones before others.
  func isWorse(than other: Diagnosis) -> Bool {
    (isFaulty ? 1 : 0, certainty, other.key) > (other.isFaulty ? 1 : 0, other.certainty, key)
  }
}

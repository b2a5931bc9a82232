import Debounce

/// What was found out about a key's switch.
public struct Diagnosis: Equatable, Sendable {
  public enum Finding: Equatable, Sendable {
    /// No fault beyond what fingers do; the rate of faults is below the bound with 95 % confidence.
    case healthy(upperBound: Double)
    /// Press bounces and release bounces, for the greater part.
    case chatters
    /// The contact is lost while the key is held, for the greater part.
    case dropsOut
    /// It is bad, and no setting both removes its chatter and spares the person's doubles: see the diagnosis's
    /// ``tradeOff``. The switch should be cleaned or replaced.
    case overlap
    /// It cannot be said yet: so many more strokes without a fault would show it to be healthy.
    case tooFewData(strokesNeeded: Int)
    /// What looks like faults may be the doing of a receiver that delivers late and all at once.
    case receiverBursts
  }

  /// A threshold and what it would do: a row of the trade-off table.
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
  /// Of the paced taps and long holds if there were enough of them; else of typing, where only faults that no finger
  /// could have made are counted: then it is a lower bound.
  public var rate: FaultRate
  public var isRateLabelled: Bool
  /// How certain it is that the switch is bad, 0…1.
  public var certainty: Double
  /// Of fingers' doubles, and of strokes; of faults. `nil` where there are none.
  public var gaps: Percentiles?
  public var holds: Percentiles?
  public var faultGaps: Percentiles?
  /// The histograms to draw: a finger's gaps and those of faults.
  public var fingerGapHistogram: FineHistogram
  public var faultGapHistogram: FineHistogram
  /// The person's band: the gap that 1 % of doubles are below, and the median. Milliseconds.
  public var humanBand: ClosedRange<Double>
  /// How many doubles of this person it rests on.
  public var humanDoubles: Int
  /// What to set; `nil` if nothing, because it is healthy or no setting would cure it.
  public var proposal: Proposal?
  /// Thresholds and what they would do, where the finding is `overlap`, and for every bad switch.
  public var tradeOff: [TradeOff]

  /// Whether the switch is bad.
  public var isFaulty: Bool {
    switch finding {
    case .chatters, .dropsOut, .overlap: true
    case .healthy, .tooFewData, .receiverBursts: false
    }
  }

  /// The order in which keys are told of: bad ones first, and the more certain ones.
  func isWorse(than other: Diagnosis) -> Bool {
    (isFaulty ? 1 : 0, certainty, other.key) > (other.isFaulty ? 1 : 0, other.certainty, key)
  }
}

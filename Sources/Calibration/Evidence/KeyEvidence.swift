import Debounce

/// Faults by kind.
public struct FaultCounts: Equatable, Sendable, Codable {
  /// Class A.
  public var pressBounces = 0
  /// Class B.
  public var releaseBounces = 0
  /// Class C.
  public var dropOuts = 0

  public init() {}

  public var total: Int { pressBounces + releaseBounces + dropOuts }

  /// The estimated share of each kind among the switch's faults: what was seen, combined with two faults' worth of what
  /// is usual. The shares add up to 1.
  var shares: (pressBounces: Double, releaseBounces: Double, dropOuts: Double) {
    let whole = Double(total) + 2
    return (
      (Double(pressBounces) + 0.9) / whole, (Double(releaseBounces) + 0.5) / whole,
      (Double(dropOuts) + 0.6) / whole
    )
  }

  /// How many faults are of this kind.
  subscript(chatter: Chatter) -> Int {
    get {
      switch chatter {
      case .pressBounce: pressBounces
      case .releaseBounce: releaseBounces
      case .dropOut: dropOuts
      }
    }
    set {
      switch chatter {
      case .pressBounce: pressBounces = newValue
      case .releaseBounce: releaseBounces = newValue
      case .dropOut: dropOuts = newValue
      }
    }
  }
}

/// The evidence about one key: counts and histograms, of a fixed size.
public struct KeyEvidence: Equatable, Sendable, Codable {
  /// Strokes in free typing, and those of them whose times alone show that they are faulty.
  public internal(set) var typed = FaultRate(faults: 0, strokes: 0)
  /// Requested single taps; any second contact in one is a fault.
  public internal(set) var taps = FaultRate(faults: 0, strokes: 0)
  /// Requested long holds; any release within one is a fault.
  public internal(set) var holds = FaultRate(faults: 0, strokes: 0)
  /// Taps that came too soon after another, and holds that were too short, to be counted.
  public internal(set) var uncounted = 0
  /// Pairs of close strokes that a finger probably made: in typing, and where doubles were requested.
  public internal(set) var typedDoubles = 0
  public internal(set) var askedDoubles = 0

  public internal(set) var faults = FaultCounts()
  public internal(set) var test = SequentialTest()

  /// The gaps and holds made by fingers.
  public internal(set) var fingerGaps = FineHistogram()
  public internal(set) var fingerHolds = FineHistogram()
  /// The gaps of faults, and the contacts made by bounces.
  public internal(set) var faultGaps = FineHistogram()
  public internal(set) var faultHolds = FineHistogram()

  /// The gaps of faults again: bounces (A, B) and drop-outs (C), where faults of any length were recognised and where
  /// only short ones were.
  var labelledBounces = FineHistogram()
  var labelledDropOuts = FineHistogram()
  var typedBounces = FineHistogram()
  var typedDropOuts = FineHistogram()

  public init() {}

  /// The number of all strokes.
  public var strokes: Int { typed.strokes + taps.strokes + holds.strokes + 2 * askedDoubles }

  /// Where a larger share of a key's strokes repeat it than this, as with Backspace, a short gap alone proves little:
  /// the gaps that fingers make on it reach down to those of drop-outs, and differ much between people.
  static let muchDoubled = 0.15

  /// The share of the key's doubles that are fast, from which more and faster ones must be expected.
  var shareOfFastDoubles: Double {
    (Double(fingerGaps.count(below: 30)) + 1) / (Double(fingerGaps.total) + 50)
  }

  /// How much the key looks worn compared with others.
  var suspicion: Int { 2 * typed.faults + fingerGaps.count(below: 30) }

  /// The share of typed strokes that repeat the key, and at least that of an ordinary letter.
  var doubleShare: Double {
    max(0.02, (Double(typedDoubles) + 1) / (Double(typed.strokes) + 50))
  }
}

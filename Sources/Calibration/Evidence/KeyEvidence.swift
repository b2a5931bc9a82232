import Debounce

/// Faults by their class.
public struct FaultCounts: Equatable, Sendable, Codable {
  /// A.
  public var pressBounces = 0
  /// B.
  public var releaseBounces = 0
  /// C.
  public var dropOuts = 0

  public init() {}

  public var total: Int { pressBounces + releaseBounces + dropOuts }

  /// What each class's share of the switch's faults may be: of what was seen, and two faults' worth of what is usual,
  /// for what so few cannot tell. They add up to 1.
  var shares: (pressBounces: Double, releaseBounces: Double, dropOuts: Double) {
    let whole = Double(total) + 2
    return (
      (Double(pressBounces) + 0.9) / whole, (Double(releaseBounces) + 0.5) / whole,
      (Double(dropOuts) + 0.6) / whole
    )
  }

  mutating func add(_ chatter: Chatter) {
    switch chatter {
    case .pressBounce: pressBounces += 1
    case .releaseBounce: releaseBounces += 1
    case .dropOut: dropOuts += 1
    }
  }
}

/// What has been seen of one key: counts and histograms, of a fixed size.
public struct KeyEvidence: Equatable, Sendable, Codable {
  /// Strokes in free typing, with those that can be told to be faulty by their times alone.
  public internal(set) var typed = FaultRate(faults: 0, strokes: 0)
  /// Paced single taps; every second contact in one is a fault.
  public internal(set) var taps = FaultRate(faults: 0, strokes: 0)
  /// Long holds; every release inside is a fault.
  public internal(set) var holds = FaultRate(faults: 0, strokes: 0)
  /// Taps that came too soon after another to be counted, and holds that were too short.
  public internal(set) var uncounted = 0
  /// Close pairs of strokes that are a finger's, as far as can be told: in typing, and where they were asked for.
  public internal(set) var typedDoubles = 0
  public internal(set) var askedDoubles = 0

  public internal(set) var faults = FaultCounts()
  public internal(set) var test = SequentialTest()

  /// Gaps and holds of fingers.
  public internal(set) var fingerGaps = FineHistogram()
  public internal(set) var fingerHolds = FineHistogram()
  /// The gaps of faults; the contacts that bounces were.
  public internal(set) var faultGaps = FineHistogram()
  public internal(set) var faultHolds = FineHistogram()

  /// The gaps of faults once more, by class and by up to which length they could be told: A and B, and C.
  var labelledBounces = FineHistogram()
  var labelledDropOuts = FineHistogram()
  var typedBounces = FineHistogram()
  var typedDropOuts = FineHistogram()

  public init() {}

  /// All strokes.
  public var strokes: Int { typed.strokes + taps.strokes + holds.strokes + 2 * askedDoubles }

  /// Of a key that is repeated as often as this, as Backspace is, a short gap alone proves little: what a finger makes of
  /// it goes down to where drop-outs are, in a tail that differs much between people.
  static let muchDoubled = 0.15

  /// The share of the key's doubles that are so fast that a few more, and faster ones, must be expected.
  var shareOfFastDoubles: Double {
    (Double(fingerGaps.count(below: 30)) + 1) / (Double(fingerGaps.total) + 50)
  }

  /// How much the key looks like a worn one beside others.
  var suspicion: Int { 2 * typed.faults + fingerGaps.count(below: 30) }

  /// The share of typed strokes that repeat the key, never taken to be less than letters have.
  var doubleShare: Double {
    max(0.02, (Double(typedDoubles) + 1) / (Double(typed.strokes) + 50))
  }
}

/// What the engine has counted since it was made. Counts alone: no key, no time.
public struct Counters: Equatable, Sendable, Codable {
  /// Presses the switch reported.
  public var pressesIn: UInt64 = 0
  /// Presses passed on.
  public var pressesOut: UInt64 = 0

  /// Press bounces removed (class A).
  public var pressBounces: UInt64 = 0
  /// Release bounces removed (class B).
  public var releaseBounces: UInt64 = 0
  /// Drop-outs bridged (class C). While a key's releases wait, a release bounce looks the same at first; it counts as what
  /// it is once the key's next release shows it.
  public var dropOuts: UInt64 = 0

  /// Strokes that `throttle` took, less those that it delivered later.
  public var throttled: UInt64 = 0
  /// Strokes that vanished because another key of their group had locked them out.
  public var lockedOut: UInt64 = 0
  /// Strokes that vanished because they began too soon for `bounce-keys`.
  public var tooSoon: UInt64 = 0
  /// Strokes that vanished because they were too short for `slow-keys`.
  public var tooShort: UInt64 = 0

  /// Strokes that were taken for a single press, of keys with meanings.
  public var singles: UInt64 = 0
  /// Pairs of strokes that were taken for a double press. With `eager`, the second stroke alone.
  public var doubles: UInt64 = 0
  /// Strokes that were taken for a long press.
  public var holds: UInt64 = 0
  /// Presses of such keys that came too soon after a release for second ones: their strokes went on.
  public var continuations: UInt64 = 0

  /// Steps of wheels that were left out: against the direction, or fired again.
  public var reversals: UInt64 = 0

  /// Events that said what was known already: a sign of events lost before they came here.
  public var duplicates: UInt64 = 0
  /// Autorepeats (value 2), which the clone makes by itself.
  public var repeats: UInt64 = 0

  /// How often `adaptive` began to bridge a key's drop-outs.
  public var learned: UInt64 = 0
  /// How often it stopped, because the key had shown none for long.
  public var forgotten: UInt64 = 0

  public init() {}

  /// Those that the daemon reports, by their names in the JSON.
  private enum CodingKeys: CodingKey, CaseIterable {
    case pressesIn, pressesOut, pressBounces, releaseBounces, dropOuts, throttled, lockedOut
    case tooSoon, tooShort
    case singles, doubles, holds, reversals

    var counter: WritableKeyPath<Counters, UInt64> {
      switch self {
      case .pressesIn: \.pressesIn
      case .pressesOut: \.pressesOut
      case .pressBounces: \.pressBounces
      case .releaseBounces: \.releaseBounces
      case .dropOuts: \.dropOuts
      case .throttled: \.throttled
      case .lockedOut: \.lockedOut
      case .tooSoon: \.tooSoon
      case .tooShort: \.tooShort
      case .singles: \.singles
      case .doubles: \.doubles
      case .holds: \.holds
      case .reversals: \.reversals
      }
    }

    /// Whether earlier versions did not report it.
    var isOptional: Bool {
      switch self {
      case .tooSoon, .tooShort, .singles, .doubles, .holds, .reversals: true
      default: false
      }
    }
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    for key in CodingKeys.allCases where !key.isOptional || fields.contains(key) {
      self[keyPath: key.counter] = try fields.decode(UInt64.self, forKey: key)
    }
  }

  /// Counts what an engine reports of an edge, as it counts it itself; what it counts without reporting it is not.
  public mutating func count(_ outcome: Outcome) {
    switch outcome.kind {
    case .passed, .waits, .withdrawn, .taken, .corrected: if outcome.isPress { pressesIn += 1 }
    default: break
    }
    switch outcome.kind {
    case .passed, .emitted, .corrected: if outcome.isPress { pressesOut += 1 }
    case .withdrawn(let removal, _): self[removal] += 1
    case .taken(let removal, _): if outcome.isPress { self[removal] += 1 }
    case .vanished(let removal): if let removal { self[removal] += 1 }
    case .restored(let removal): takeBack(removal)
    case .reclassified(let removal):
      takeBack(.dropOut)
      self[removal] += 1
    case .meant(let meaning, _): self[meaning] += 1
    case .continued: continuations += 1
    case .duplicate: duplicates += 1
    case .repeated: repeats += 1
    case .learned: learned += 1
    case .forgot: forgotten += 1
    case .waits, .postponed: break
    }
  }

  /// Counts one less, unless that one was removed before counting began.
  private mutating func takeBack(_ removal: Removal) {
    if self[removal] > 0 { self[removal] -= 1 }
  }

  /// All chatter removed.
  public var chatter: UInt64 { pressBounces.adding(releaseBounces).adding(dropOuts) }

  /// All strokes that vanished whole and were not chatter.
  public var taken: UInt64 { throttled.adding(lockedOut).adding(tooSoon).adding(tooShort) }

  /// How many presses were removed for this reason.
  public subscript(removal: Removal) -> UInt64 {
    get {
      switch removal {
      case .pressBounce: pressBounces
      case .releaseBounce: releaseBounces
      case .dropOut: dropOuts
      case .throttled: throttled
      case .lockedOut: lockedOut
      case .tooSoon: tooSoon
      case .tooShort: tooShort
      }
    }
    set {
      switch removal {
      case .pressBounce: pressBounces = newValue
      case .releaseBounce: releaseBounces = newValue
      case .dropOut: dropOuts = newValue
      case .throttled: throttled = newValue
      case .lockedOut: lockedOut = newValue
      case .tooSoon: tooSoon = newValue
      case .tooShort: tooShort = newValue
      }
    }
  }

  /// How many strokes, or pairs of them, were taken for this.
  public subscript(meaning: Meaning) -> UInt64 {
    get {
      switch meaning {
      case .single: singles
      case .double: doubles
      case .hold: holds
      }
    }
    set {
      switch meaning {
      case .single: singles = newValue
      case .double: doubles = newValue
      case .hold: holds = newValue
      }
    }
  }
}

extension UInt64 {
  /// The sum, or the greatest number that there is: counts that were read from a file may be anything.
  fileprivate func adding(_ other: UInt64) -> UInt64 {
    let (sum, isTooGreat) = addingReportingOverflow(other)
    return isTooGreat ? .max : sum
  }
}

import Debounce

/// What was counted of one key.
public struct KeyStatus: Codable, Equatable, Sendable {
  /// The key's name, as `KEY_E`; its number if it has none.
  public var key: String
  /// Its number.
  public var code: UInt16
  /// Strokes passed on.
  public var strokes: UInt32
  /// Chatter removed, by class.
  public var pressBounces: UInt32
  public var releaseBounces: UInt32
  public var dropOuts: UInt32
  /// Strokes that `throttle` or another key of the group took.
  public var taken: UInt32
  /// Strokes passed on after a gap of less than twice the window.
  public var nearMisses: UInt32
  /// Whether `adaptive` is bridging the key's drop-outs now; how often it began to, and stopped.
  public var isBridging: Bool
  public var learned: UInt32
  public var forgotten: UInt32
  /// Histograms of gaps and holds, passed on and removed: counts in the classes of `IntervalHistogram`, without the
  /// zeros at the end.
  public var gaps: [UInt32]
  public var removedGaps: [UInt32]
  public var holds: [UInt32]
  public var removedHolds: [UInt32]

  public init(key: String, code: KeyCode, counts: KeyCounts, isBridging: Bool = false) {
    self.key = key
    self.code = code
    strokes = counts.strokes
    pressBounces = counts.pressBounces
    releaseBounces = counts.releaseBounces
    dropOuts = counts.dropOuts
    taken = counts.taken
    nearMisses = counts.nearMisses
    self.isBridging = isBridging
    learned = counts.learned
    forgotten = counts.forgotten
    gaps = counts.gaps.shortForm
    removedGaps = counts.removedGaps.shortForm
    holds = counts.holds.shortForm
    removedHolds = counts.removedHolds.shortForm
  }

  /// The counts, as the engine keeps them.
  public var counts: KeyCounts {
    var counts = KeyCounts()
    counts.strokes = strokes
    counts.pressBounces = pressBounces
    counts.releaseBounces = releaseBounces
    counts.dropOuts = dropOuts
    counts.taken = taken
    counts.nearMisses = nearMisses
    counts.learned = learned
    counts.forgotten = forgotten
    counts.gaps = IntervalHistogram(gaps)
    counts.removedGaps = IntervalHistogram(removedGaps)
    counts.holds = IntervalHistogram(holds)
    counts.removedHolds = IntervalHistogram(removedHolds)
    return counts
  }

  /// All chatter removed.
  public var chatter: UInt64 {
    UInt64(pressBounces) + UInt64(releaseBounces) + UInt64(dropOuts)
  }
}

extension IntervalHistogram {
  /// The counts without the zeros at the end.
  fileprivate var shortForm: [UInt32] {
    let values = values
    return Array(values.prefix((values.lastIndex { $0 != 0 } ?? -1) + 1))
  }
}

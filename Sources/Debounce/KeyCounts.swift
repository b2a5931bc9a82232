/// What was counted of one key. Counts alone: no times and no order, nothing that shows what was typed.
///
/// The engine counts in such values, the daemon reports and stores them: their names are those of the JSON.
/// Counts stop at their largest value and never wrap around.
public struct KeyCounts: Equatable, Codable, Sendable {
  /// Strokes passed on.
  public var strokes: UInt32 = 0

  /// Press bounces removed (class A).
  public var pressBounces: UInt32 = 0
  /// Release bounces removed (class B).
  public var releaseBounces: UInt32 = 0
  /// Drop-outs bridged (class C).
  public var dropOuts: UInt32 = 0

  /// Strokes that vanished whole and were not chatter: `throttle`, `bounce-keys`, `slow-keys` or another key of the group
  /// took them.
  public var taken: UInt32 = 0

  /// Strokes passed on after a gap of less than twice the strategy's window: a finger's, or chatter that a larger
  /// threshold would have removed.
  public var nearMisses: UInt32 = 0

  /// How often `adaptive` began to bridge the key's drop-outs, and how often it stopped.
  public var learned: UInt32 = 0
  public var forgotten: UInt32 = 0

  /// The gaps before strokes that were passed on, and those of removed chatter.
  public var gaps = IntervalHistogram()
  public var removedGaps = IntervalHistogram()

  /// The holds of strokes that were passed on, and those of strokes that vanished.
  public var holds = IntervalHistogram()
  public var removedHolds = IntervalHistogram()

  public init() {}

  /// All chatter removed.
  public var chatter: UInt64 {
    UInt64(pressBounces) + UInt64(releaseBounces) + UInt64(dropOuts)
  }

  /// Adds what was counted of the key at another time.
  mutating func add(_ other: KeyCounts) {
    strokes.add(other.strokes)
    pressBounces.add(other.pressBounces)
    releaseBounces.add(other.releaseBounces)
    dropOuts.add(other.dropOuts)
    taken.add(other.taken)
    nearMisses.add(other.nearMisses)
    learned.add(other.learned)
    forgotten.add(other.forgotten)
    gaps.add(other.gaps)
    removedGaps.add(other.removedGaps)
    holds.add(other.holds)
    removedHolds.add(other.removedHolds)
  }
}

/// Counts stop at their ends.
extension UInt32 {
  @inline(__always)
  mutating func countUp() {
    if self < .max { self += 1 }
  }

  mutating func countDown() {
    if self > 0 { self -= 1 }
  }

  mutating func add(_ other: UInt32) {
    let (sum, overflow) = addingReportingOverflow(other)
    self = overflow ? .max : sum
  }
}

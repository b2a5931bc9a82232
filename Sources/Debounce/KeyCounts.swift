/// What was counted of one key. Counts alone: no times and no order, nothing that tells what was typed.
///
/// Counts stop at their largest value and never wrap around.
public struct KeyCounts: Equatable, Sendable {
  /// Strokes passed on.
  public var strokes: UInt32 = 0

  /// Press bounces removed (class A).
  public var pressBounces: UInt32 = 0
  /// Release bounces removed (class B).
  public var releaseBounces: UInt32 = 0
  /// Drop-outs bridged (class C).
  public var dropOuts: UInt32 = 0

  /// Strokes that `throttle` took, or another key of the group.
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
}

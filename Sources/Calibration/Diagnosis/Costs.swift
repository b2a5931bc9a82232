/// The costs of what a setting does wrong, per 1000 presses of the key. The setting with the lowest cost is chosen.
///
/// A lost genuine press counts as much as ten faults that come through: a keyboard that drops letters is worse than one
/// that chatters. Late releases cost little, late presses ten times as much.
public struct Costs: Equatable, Sendable {
  /// Of a lost genuine press.
  public var lost = 10.0
  /// Of a fault that comes through.
  public var missed = 1.0
  /// Of each millisecond by which releases, and presses, are late on average.
  public var releaseLatency = 0.02
  public var pressLatency = 0.2
  /// Of a setting other than a threshold of the default strategy.
  public var unfamiliar = 0.15
  /// Of a time that `keydebounce check` warns about.
  public var long = 0.5

  public init() {}
}

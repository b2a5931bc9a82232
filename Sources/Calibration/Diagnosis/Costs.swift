/// What one would pay to be spared what a strategy does wrong: the ratios by which a setting is chosen.
///
/// A genuine press that is lost counts as ten chatters that come through: chatter is what one has already, and a
/// keyboard that eats letters is worse. Latency of a release counts little, of a press ten times that. The ratios are
/// those of the notes on algorithms (§8), per 1000 presses of the key.
public struct Costs: Equatable, Sendable {
  /// Of a genuine press that is lost.
  public var lost = 10.0
  /// Of a fault that comes through.
  public var missed = 1.0
  /// Of each millisecond that releases, and presses, are late on average.
  public var releaseLatency = 0.02
  public var pressLatency = 0.2
  /// Of a line that names parameters, instead of a threshold of the default strategy.
  public var unfamiliar = 0.15
  /// Of a line with a time that `keydebounce check` warns of.
  public var long = 0.5

  public init() {}
}

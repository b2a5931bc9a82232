/// A setting for a key and its expected effect.
public struct Proposal: Equatable, Sendable {
  public var setting: Setting
  /// Genuine presses that would be lost, of 1000 presses of the key.
  public var lostPerThousand: Estimate
  /// Genuine doubles that would become one, of 1000 doubles.
  public var lostPerThousandDoubles: Estimate
  /// The share of faults that would come through, 0…1.
  public var missed: Estimate
  /// The average delay of presses and of releases, in milliseconds.
  public var pressLatency: Double
  public var releaseLatency: Double
  /// What it costs by ``Costs``, per 1000 presses.
  public var cost: Double
}

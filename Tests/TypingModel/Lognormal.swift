import Foundation
import Randomness

/// A lognormal law of times, perhaps cut off.
public struct Lognormal: Sendable {
  /// In milliseconds.
  public var median: Double
  /// The standard deviation of the logarithm.
  public var spread: Double
  /// What lies outside is drawn again. In milliseconds.
  public var range: ClosedRange<Double>

  public init(median: Double, spread: Double, in range: ClosedRange<Double> = 0...Double.infinity) {
    self.median = median
    self.spread = spread
    self.range = range
  }

  /// The time at the standard normal number `z`, not cut off.
  func value(at z: Double) -> Double {
    median * exp(spread * z)
  }

  /// A time, in milliseconds.
  func draw(_ random: inout SeededRandom) -> Double {
    while true {
      let value = value(at: random.normal())
      if range.contains(value) { return value }
    }
  }
}

import Foundation
import Randomness

/// The few laws that typing is drawn from.
extension SeededRandom {
  /// A number in 0..<1.
  mutating func uniform() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// A number in the range.
  mutating func uniform(in range: ClosedRange<Double>) -> Double {
    range.lowerBound + uniform() * (range.upperBound - range.lowerBound)
  }

  /// A whole number in the range.
  mutating func whole(in range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }

  /// Whether something of this probability happens.
  mutating func chance(_ probability: Double) -> Bool {
    uniform() < probability
  }

  /// A number from the standard normal law.
  mutating func normal() -> Double {
    // Box and Muller's transform; its second number is thrown away for the sake of a plain state.
    (-2 * log(1 - uniform())).squareRoot() * cos(2 * .pi * uniform())
  }

  /// A number from the exponential law.
  mutating func exponential(mean: Double) -> Double {
    -mean * log(1 - uniform())
  }

  /// How often something is done that is done at least once, and `mean` times on average.
  mutating func count(mean: Double) -> Int {
    var count = 1
    while chance(1 - 1 / mean) { count += 1 }
    return count
  }
}

/// What times are drawn from.
public protocol Law: Sendable {
  /// A time, in milliseconds.
  func draw(_ random: inout SeededRandom) -> Double
}

/// All times of the range are as likely as each other.
extension ClosedRange<Double>: Law {
  public func draw(_ random: inout SeededRandom) -> Double { random.uniform(in: self) }
}

/// A lognormal law of times, perhaps cut off.
public struct Lognormal: Law {
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

  public func draw(_ random: inout SeededRandom) -> Double {
    while true {
      let value = value(at: random.normal())
      if range.contains(value) { return value }
    }
  }
}

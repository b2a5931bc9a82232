import Foundation

/// A generator of random numbers that gives the same ones again for the same seed (SplitMix64), and the
/// few laws that typing is drawn from.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) {
    state = seed
  }

  /// A generator for the `stream`-th of many independent things that share a seed.
  public init(seed: UInt64, stream: Int) {
    var mixer = SeededRandom(seed: seed ^ (UInt64(stream) &* 0xd134_2543_de82_ef95))
    state = mixer.next()
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

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

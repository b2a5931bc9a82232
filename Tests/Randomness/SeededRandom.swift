import Foundation

/// A generator of random numbers that gives the same ones again for the same seed (SplitMix64).
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

  /// One of the elements; there must be one.
  public mutating func pick<Element>(_ elements: some Collection<Element>) -> Element {
    let offset = Int.random(in: 0..<elements.count, using: &self)
    return elements[elements.index(elements.startIndex, offsetBy: offset)]
  }
}

extension UInt64 {
  /// The seed of a random test: that of `KEYDEBOUNCE_SEED`, to repeat a run, or another one each time.
  public static var testSeed: UInt64 {
    ProcessInfo.processInfo.environment["KEYDEBOUNCE_SEED"].flatMap { UInt64($0) }
      ?? .random(in: 0..<1 << 48)
  }
}

import Glibc

/// A number of faults in a number of strokes, and the interval of rates that may cause them.
///
/// The interval is the exact one of Clopper and Pearson (1934): each end is the rate at which so many faults, or so
/// few, would be seen in no more than 2.5 % of all samples. Where sampling ended early because the answer was
/// certain, it is a little too narrow; the early stop asks for ten faults, where that matters least.
public struct FaultRate: Equatable, Sendable, Codable {
  public var faults: Int
  public var strokes: Int

  public init(faults: Int, strokes: Int) {
    self.faults = max(0, min(faults, strokes))
    self.strokes = max(0, strokes)
  }

  /// The share of strokes that were faulty, 0…1.
  public var share: Double { strokes == 0 ? 0 : Double(faults) / Double(strokes) }

  /// The exact interval in which the rate lies with 95 % confidence.
  public var interval: ClosedRange<Double> { interval(confidence: 0.95) }

  /// The exact interval in which the rate lies with this confidence.
  public func interval(confidence: Double) -> ClosedRange<Double> {
    let tail = (1 - confidence) / 2
    let (k, n) = (Double(faults), Double(strokes))
    guard n > 0 else { return 0...1 }
    let low =
      faults == 0
      ? 0 : SpecialFunctions.bisect(0...1) { SpecialFunctions.beta($0, k, n - k + 1) < tail }
    let high =
      faults == strokes
      ? 1 : SpecialFunctions.bisect(0...1) { SpecialFunctions.beta($0, k + 1, n - k) < 1 - tail }
    return low...max(low, high)
  }

  /// What the rate does not exceed, with 95 % confidence: one-sided. Without faults about 3 in the number of strokes.
  public var upperBound: Double {
    guard faults < strokes else { return 1 }
    return SpecialFunctions.bisect(0...1) {
      SpecialFunctions.beta($0, Double(faults + 1), Double(strokes - faults)) < 0.95
    }
  }

  /// How many strokes without a fault are needed to state with 95 % confidence that the rate is below `bound`.
  public static func strokesNeeded(for bound: Double) -> Int {
    guard bound > 0 else { return .max }
    guard bound < 1 else { return 1 }
    return Int((log(0.05) / log1p(-bound)).rounded(.up))
  }

  /// How many more strokes are needed for that, if no fault is among them.
  func strokesMissing(for bound: Double) -> Int {
    guard faults > 0 else { return max(0, Self.strokesNeeded(for: bound) - strokes) }
    func isEnough(_ more: Int) -> Bool {
      FaultRate(faults: faults, strokes: strokes + more).upperBound <= bound
    }
    var (few, many) = (-1, 1)
    while !isEnough(many) { (few, many) = (many, many * 2) }
    while many - few > 1 {
      let middle = (few + many) / 2
      if isEnough(middle) { many = middle } else { few = middle }
    }
    return many
  }
}

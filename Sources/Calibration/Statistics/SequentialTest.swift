import Glibc

/// Tests, stroke by stroke, whether a switch is bad. The answer may be read at any time.
///
/// It is a bet against the switch's being healthy: each stroke multiplies the stake by how much more likely it is of
/// a bad switch than of a healthy one. The rate of a bad one is not known, so that the stake is laid on several at
/// once. With a healthy switch the stake hardly ever grows: it reaches 1/α with a probability of at most α, however
/// often one looks and whenever one stops (Ville's inequality; Ramdas et al., "Game-theoretic statistics and safe
/// anytime-valid inference", 2023). Wald's SPRT, of which this is a mixture, needs a known rate, and must not be read before its end.
public struct SequentialTest: Equatable, Sendable, Codable {
  /// The probability with which a healthy switch may be called bad in a whole calibration.
  ///
  /// One in 1000 keys is what is promised. That is kept with a margin of five, since the shares of ``PairClass`` are of
  /// all people together, and some have faster fingers; a worn switch needs but a stroke or two more.
  public static let risk = 2e-4

  /// What the logarithm of the stake must reach.
  static let limit = -log(risk)

  /// The fault rates of bad switches that are considered, each with the same part of the stake.
  static let rates = [0.002, 0.01, 0.05, 0.2]

  /// The logarithm of each part of the stake.
  private var parts = [Double](repeating: -log(Double(rates.count)), count: rates.count)
  /// The highest that the logarithm of the whole stake has been.
  public private(set) var highest = 0.0

  public init() {}

  /// Adds a stroke.
  ///
  /// - Parameters:
  ///   - faulty: The probability of the observation in a stroke with a fault.
  ///   - healthy: Its probability in any stroke of a healthy switch.
  mutating func weigh(faulty: Double, healthy: Double) {
    let ratio = faulty / max(healthy, 1e-12)
    for (index, rate) in Self.rates.enumerated() {
      parts[index] += log(1 - rate + rate * ratio)
    }
    highest = max(highest, evidence)
  }

  /// Adds a number of strokes at once, some of them faulty.
  ///
  /// - Parameter allowed: The largest share of such faults that a healthy switch has.
  mutating func weigh(faults: Int, strokes: Int, allowed: Double) {
    for (index, rate) in Self.rates.enumerated() where rate > allowed {
      parts[index] +=
        Double(faults) * log(rate / allowed)
        + Double(max(0, strokes - faults)) * log((1 - rate) / (1 - allowed))
    }
    highest = max(highest, evidence)
  }

  /// The logarithm of the stake now: above 0 the switch looks bad, below 0 healthy.
  public var evidence: Double {
    let largest = parts.max() ?? 0
    return largest + log(parts.reduce(0) { $0 + exp($1 - largest) })
  }

  /// Whether it is certain that the switch is bad.
  public var isCertain: Bool { highest >= Self.limit }

  /// The progress towards certainty, 0…1.
  public var certainty: Double { min(1, max(0, highest / Self.limit)) }

  /// Whether the state can be genuine. It may have been read from an edited file.
  var isPlausible: Bool {
    let most = Double(KeyEvidence.most)
    return parts.count == Self.rates.count
      && (parts + [highest]).allSatisfy((-100 * most...100 * most).contains)
  }
}

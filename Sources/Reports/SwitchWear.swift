import Debounce
import EventDevices
import Glibc
import Status
import Terminal

/// How certain it is that a switch is worn, by how many of its strokes were faulty.
///
/// It is a bet against the switch's being healthy: each stroke multiplies the stake by how much more likely it is of a
/// worn switch than of a healthy one. The rate of a worn one is not known, so that the stake is laid on several at once.
/// With a healthy switch it reaches 1/α with a probability of at most α, however often one looks and whenever one stops
/// (Ville's inequality; Ramdas et al., "Game-theoretic statistics and safe anytime-valid inference", 2023).
public struct SwitchWear: Equatable, Sendable {
  /// The probability with which a healthy switch may be called worn. The documentation promises one in 1000. The rest is a
  /// reserve: what healthy switches show was measured of people on average, and some have faster fingers.
  private static let risk = 2e-4
  /// The rates of worn switches that are considered, each with the same part of the stake.
  private static let rates = [0.002, 0.01, 0.05, 0.2, 0.7]

  private var parts = [Double](repeating: -log(Double(rates.count)), count: rates.count)

  public init() {}

  /// Adds strokes, of which so many were faulty.
  ///
  /// - Parameter allowed: The largest share of such strokes that a healthy switch has.
  public mutating func add(faults: Int, strokes: Int, allowed: Double) {
    for (index, rate) in Self.rates.enumerated() where rate > allowed {
      parts[index] +=
        Double(faults) * log(rate / allowed)
        + Double(max(0, strokes - faults)) * log((1 - rate) / (1 - allowed))
    }
  }

  /// How certain it is that the switch is worn, 0…1.
  public var certainty: Double {
    let largest = parts.max() ?? 0
    let stake = largest + log(parts.reduce(0) { $0 + exp($1 - largest) })
    return min(1, max(0, stake / -log(Self.risk)))
  }

  public var isCertain: Bool { certainty >= 1 }

  /// Judges the service's counts of a key. A strategy removes something of a healthy key, too: doubles whose gaps are as
  /// short as chatter's.
  public init(of counts: KeyCounts) {
    self.init()
    let shares = zip(counts.gaps.values, IntervalHistogram.bounds)
    func gaps(_ range: Range<Microseconds>) -> Double {
      shares.reduce(0) { $0 + (range.contains($1.1 - 1) ? Double($1.0) : 0) }
    }
    let strokes = max(1, Double(counts.strokes))
    // Measured on people's doubles: strategies remove one in 250, and one for 16 that pass with gaps of 25 to 50 ms.
    let allowed = max(
      2e-4, gaps(0..<150_000) / (strokes + 50) / 250, gaps(25_000..<50_000) / 16 / strokes)
    add(
      faults: Int(clamping: counts.chatter.total), strokes: Int(counts.strokes),
      allowed: min(allowed, Self.mostAllowed))
  }

  /// The largest share of a healthy switch's strokes that look faulty, whoever types.
  public static let mostAllowed = 0.005
}

/// The state of a key's switch, shown beside its counts. Only ``SwitchWear`` says that it is worn.
public enum ShownWear: CaseIterable, Sendable {
  case worn
  /// Chatter was removed, which may be chance.
  case chatter
  case noChatter
  case neverPressed

  public init(of key: KeyStatus) {
    self =
      switch key.chatter.total {
      case 1...: SwitchWear(of: key.counts).isCertain ? .worn : .chatter
      default: key.strokes > 0 || key.suppressed > 0 ? .noChatter : .neverPressed
      }
  }

  /// How such a key is drawn: the styles of its cap and of its numbers, the mark beside its label, and what the mark means.
  /// Colour only repeats what the mark tells, and tells whether a key without a mark was pressed.
  public var look: (cap: [Style], numbers: [Style], mark: Character, words: String) {
    switch self {
    case .worn: ([.reverse, .bold, .red], [.red], "*", "worn")
    case .chatter: ([.reverse, .yellow], [.yellow], "+", "chatter")
    case .noChatter: ([.green], [], " ", "no chatter")
    case .neverPressed: ([.faint], [], " ", "never pressed")
    }
  }
}

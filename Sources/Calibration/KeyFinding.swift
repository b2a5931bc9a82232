import Debounce
import Glibc
import Status

/// What was found out about one key: its switch, and what the best setting for it is.
public struct KeyFinding: Equatable, Sendable {
  /// Whether the switch is worn.
  public enum Verdict: Equatable, Sendable {
    /// Fewer strokes than this share are faulty, with 95 % confidence.
    case healthy(below: Double)
    case worn
    /// So many more strokes would tell.
    case undecided(strokes: Int)
    /// Nearly every stroke comes twice: only single taps that are asked for tell whose doing that is.
    case twice
    /// A machine drives the key: a knob, a scanner, a macro.
    case driven
  }

  /// What to set.
  public enum Advice: Equatable, Sendable {
    /// What is in force is not beaten: it lets so much through.
    case nothing
    case line(KeyLine)
    /// A line by name is proposed, because counts alone say that the switch is worn.
    case name(String)
    /// A file of the person's own names the key.
    case own
  }

  public var key: KeyCode
  public var verdict: Verdict
  public var advice = Advice.nothing
  /// All strokes that could be judged.
  public var strokes: Int
  /// Faulty ones, by kind.
  public var faults: [Chatter: Int]
  /// The rate of faulty strokes.
  public var rate: FaultRate
  /// Whether that is the rate of taps and holds that were asked for; else it is a lower bound.
  public var isAsked = false
  /// How certain it is that the switch is worn, 0…1.
  public var certainty: Double
  /// The gaps within faulty strokes and between strokes that follow each other, in milliseconds and in order.
  public var faultGaps: [Double] = []
  public var fingerGaps: [Double] = []
  /// Which faulty strokes come through the settings in force, and which presses they take.
  public var comesThrough = FaultRate(faults: 0, strokes: 0)
  public var taken = FaultRate(faults: 0, strokes: 0)
  /// The threshold of the line, or else of the settings in force, in milliseconds; `nil` if there is none.
  public var threshold: Double?
  /// What stands on the key in the system's layout, if its name does not say that.
  public var label: String?

  /// Whether the switch is worn.
  public var isWorn: Bool { verdict == .worn }

  /// The line about the key, if there is to be one.
  var line: KeyLine? { if case .line(let line) = advice { line } else { nil } }

  /// Whether the switch is to be cleaned or replaced: the best setting lets more than one fault in a hundred through, or takes
  /// more than one press in a thousand beyond what is taken now.
  public var isBeyondSettings: Bool {
    guard isWorn else { return false }
    let through = line?.after ?? comesThrough
    return through.interval.lowerBound > 0.01 || (line?.taken.interval.lowerBound ?? 0) > 0.001
  }

  /// The order of reports: worn keys first, and the more certain ones before others.
  func isWorse(than other: KeyFinding) -> Bool {
    (isWorn ? 1 : 0, certainty, other.key) > (other.isWorn ? 1 : 0, other.certainty, key)
  }
}

/// A line that beats what is in force.
public typealias KeyLine = Choice.Line
public typealias InForce = Choice.InForce

/// What a tape shows of each key.
public struct Findings: Sendable {
  /// The worst first.
  public private(set) var keys: [KeyFinding] = []

  /// A switch of which fewer strokes are faulty is called healthy.
  private static let healthy = 0.03
  /// In typing, the share of strokes that look faulty and are not.
  private static let accidents = 2e-4
  /// Where taps and holds are asked for, people err as often.
  static let errors = 5e-4
  /// From so many runs on, of which nearly all are pairs, a key is said to come twice.
  private static let pairs = (least: 10, share: 0.8)

  /// The verdicts alone.
  init(_ labels: Labels) {
    let byKey = Dictionary(grouping: labels.strokes, by: \.key)
    let typed = byKey.mapValues { Self.rate($0.filter { $0.exercise == .typing }) }
    keys = byKey.map { key, strokes in
      Self.finding(
        key, strokes, driven: labels.driven[key] ?? 0, allowed: Self.allowed(besides: key, typed))
    }.sorted { $0.isWorse(than: $1) }
  }

  /// - Parameter inForce: The settings of the device.
  public init(of tape: Tape, inForce: InForce = InForce()) {
    let labels = Labels(of: tape)
    self.init(labels)
    let worn = keys.filter(\.isWorn).map(\.key)
    let choice = Choice(tape, labels, inForce: inForce, worn: worn)
    for index in keys.indices {
      let key = keys[index].key
      keys[index].comesThrough = choice.through(key)
      keys[index].taken = choice.taken(key)
      if inForce.isOwn(key) { keys[index].advice = .own }
      if let line = choice.lines[key] { keys[index].advice = .line(line) }
      let strategy = keys[index].line?.candidate.strategy ?? inForce.rules.strategy(of: key)
      keys[index].threshold = strategy.threshold?.inMilliseconds
    }
  }

  /// Keys that may be worn and deserve a closer look, the most suspicious first.
  public static func suspects(of labels: Labels) -> [KeyCode] {
    let findings = Findings(labels)
    var unclear: [KeyCode: Int] = [:]
    for stroke in labels.strokes where !stroke.isClear { unclear[stroke.key, default: 0] += 1 }
    return findings.keys.filter { finding in
      finding.verdict != .driven
        && (finding.verdict == .twice || finding.rate.faults > 0
          || unclear[finding.key, default: 0] > max(1, finding.strokes / 30))
    }.map(\.key)
  }

  /// How certain it is that a key's switch is worn.
  static func wear(of key: KeyCode, _ labels: Labels) -> SwitchWear {
    let byKey = Dictionary(grouping: labels.strokes, by: \.key)
    let typed = byKey.mapValues { rate($0.filter { $0.exercise == .typing }) }
    return wear(byKey[key] ?? [], allowed: allowed(besides: key, typed))
  }

  private static func wear(_ strokes: [MeasuredStroke], allowed: Double) -> SwitchWear {
    let asked = rate(strokes.filter { $0.exercise != .typing })
    let typed = rate(strokes.filter { $0.exercise == .typing })
    var wear = SwitchWear()
    wear.add(faults: typed.faults, strokes: typed.strokes, allowed: allowed)
    wear.add(faults: asked.faults, strokes: asked.strokes, allowed: errors)
    return wear
  }

  private static func rate(_ strokes: [MeasuredStroke]) -> FaultRate {
    FaultRate(faults: strokes.count(where: \.isFaulty), strokes: strokes.count(where: \.isClear))
  }

  /// The share of strokes that may look faulty where the person types: as many as on the other keys. The worst quarter of
  /// these is left out, because they may be worn, too.
  private static func allowed(besides key: KeyCode, _ typed: [KeyCode: FaultRate]) -> Double {
    let others = typed.filter { $0.key != key && $0.value.strokes >= 10 }.map(\.value)
      .sorted { $0.share > $1.share }
    let rest = others.dropFirst((others.count + 3) / 4)
    let (faults, strokes) = rest.reduce((0, 0)) { ($0.0 + $1.faults, $0.1 + $1.strokes) }
    return min(
      SwitchWear.mostAllowed, max(accidents, (Double(faults) + 0.03) / (Double(strokes) + 100)))
  }

  private static func finding(
    _ key: KeyCode, _ strokes: [MeasuredStroke], driven: Int, allowed: Double
  ) -> KeyFinding {
    let asked = rate(strokes.filter { $0.exercise != .typing })
    let typed = rate(strokes.filter { $0.exercise == .typing })
    let clear = strokes.filter(\.isClear)
    let wear = wear(strokes, allowed: allowed)
    let isAsked = asked.strokes >= 20
    let rate = isAsked ? asked : typed.adding(asked)
    var verdict = verdict(wear, rate)
    if verdict != .worn, comesTwice(strokes) { verdict = .twice }
    if driven > 0, driven * 2 >= strokes.count { verdict = .driven }
    let gaps = zip(clear, clear.dropFirst()).map { $1.press - $0.release }
    return KeyFinding(
      key: key, verdict: verdict, strokes: clear.count,
      faults: Dictionary(clear.compactMap(\.fault).map { ($0, 1) }, uniquingKeysWith: +),
      rate: rate, isAsked: isAsked, certainty: wear.certainty,
      faultGaps: clear.flatMap(\.gaps).map(\.inMilliseconds).sorted(),
      fingerGaps: gaps.filter { $0 < 1_000_000 }.map(\.inMilliseconds).sorted())
  }

  static func verdict(_ wear: SwitchWear, _ rate: FaultRate) -> KeyFinding.Verdict {
    wear.isCertain
      ? .worn
      : rate.upperBound <= healthy
        ? .healthy(below: rate.upperBound)
        : .undecided(strokes: rate.strokesMissing(for: healthy))
  }

  /// Whether nearly every stroke comes twice.
  private static func comesTwice(_ strokes: [MeasuredStroke]) -> Bool {
    var runs: [Int] = []
    var end = Microseconds.min / 2
    for stroke in strokes where stroke.exercise == .typing {
      if stroke.press - end < Labels.longestDouble / 2, !runs.isEmpty {
        runs[runs.count - 1] += 1
      } else {
        runs.append(1)
      }
      end = stroke.release
    }
    let twice = runs.count { $0 > 1 }
    return twice >= pairs.least && Double(twice) >= pairs.share * Double(runs.count)
  }
}

extension FaultRate {
  func adding(_ other: FaultRate) -> FaultRate {
    FaultRate(faults: faults + other.faults, strokes: strokes + other.strokes)
  }
}

extension Microseconds {
  var inMilliseconds: Double { Double(self) / 1000 }
}

/// A number of faults in a number of strokes, and the interval of rates that may cause them.
///
/// The interval is the exact one of Clopper and Pearson (1934): each end is the rate at which so many faults, or so
/// few, would be seen in no more than 2.5 % of all samples.
public struct FaultRate: Equatable, Sendable {
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

/// What the C library lacks.
enum SpecialFunctions {
  /// The regularised incomplete beta function: how likely a number from the distribution Beta(a, b) is below x.
  ///
  /// Lentz's continued fraction (Numerical Recipes, 6.4).
  static func beta(_ x: Double, _ a: Double, _ b: Double) -> Double {
    guard x > 0 else { return 0 }
    guard x < 1 else { return 1 }
    // The fraction converges fast on this side of the mean only.
    guard x <= (a + 1) / (a + b + 2) else { return 1 - beta(1 - x, b, a) }
    let front = exp(
      lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    func apart(_ value: Double) -> Double { abs(value) < 1e-300 ? 1e-300 : value }
    var c = 1.0
    var d = 1 / apart(1 - (a + b) * x / (a + 1))
    var fraction = d
    for m in 1...500 {
      let m = Double(m)
      let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
      d = 1 / apart(1 + even * d)
      c = apart(1 + even / c)
      fraction *= d * c
      let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      d = 1 / apart(1 + odd * d)
      c = apart(1 + odd / c)
      fraction *= d * c
      if abs(d * c - 1) < 1e-15 { break }
    }
    return front * fraction / a
  }

  /// Where in the range a condition, true at its beginning, becomes false.
  static func bisect(
    _ range: ClosedRange<Double>, _ isBelow: (Double) -> Bool
  ) -> Double {
    var (low, high) = (range.lowerBound, range.upperBound)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if isBelow(middle) { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}

import Debounce
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

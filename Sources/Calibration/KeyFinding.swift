import Debounce
import Reports

/// The findings about one key: the state of its switch, and the best setting for it.
public struct KeyFinding: Equatable, Sendable {
  package enum Verdict: Equatable, Sendable {
    /// Fewer strokes than this share are faulty, with 95 % confidence.
    case healthy(below: Double)
    case worn
    case undecided(strokes: Int)
    /// Nearly every stroke comes twice. Only single taps that are asked for tell whether the switch or the person does that.
    case twice
    /// A machine drives the key: a knob, a scanner, a macro.
    case driven
  }

  enum Advice: Equatable, Sendable {
    /// No candidate is better than the settings in force.
    case nothing
    /// A setting looks better, and so many more strokes would tell.
    case undecided(strokes: Int)
    case line(KeyLine)
    /// The person's own file names the key, and holds.
    case own
  }

  public var key: KeyCode
  package var verdict: Verdict
  var advice = Advice.nothing
  /// All strokes that could be judged.
  var strokes: Int
  var faults: [Chatter: Int]
  var rate: FaultRate
  /// Strokes that may be faulty, and are not in the rate.
  var doubtful = 0
  /// Whether the rate is that of taps and holds that were asked for. The rate of typing is a lower bound.
  package var isAsked = false
  var certainty: Double
  /// The gaps within faulty strokes and between strokes that follow each other, in milliseconds and in order.
  var faultGaps: [Double] = []
  var fingerGaps: [Double] = []
  /// The faulty strokes that come through the settings in force, and the presses that these take.
  var comesThrough = FaultRate(faults: 0, strokes: 0)
  var lostPresses = FaultRate(faults: 0, strokes: 0)
  /// The key's label in the system's layout if it differs from the name.
  var label: String?

  var isWorn: Bool { verdict == .worn }

  /// The rate if all doubtful strokes are faulty.
  var highestRate: FaultRate { rate.adding(FaultRate(faults: doubtful, strokes: doubtful)) }

  /// The bounds of the rate with 95 % confidence. Typing leaves strokes doubtful, which widen them.
  var rateInterval: ClosedRange<Double> {
    isAsked ? rate.interval : rate.interval.lowerBound...highestRate.interval.upperBound
  }

  package var line: KeyLine? { if case .line(let line) = advice { line } else { nil } }

  /// How many more strokes would tell what to set; `nil` if it is known.
  var strokesToDecide: Int? {
    if case .undecided(let strokes) = advice { strokes } else { nil }
  }

  /// Whether the switch should be cleaned or replaced. That is so if the best setting lets more than one fault in a hundred
  /// through, or takes one press in a thousand more than now.
  var isBeyondSettings: Bool {
    guard isWorn, strokesToDecide == nil, advice != .own else { return false }
    let through = line?.after ?? comesThrough
    return through.interval.lowerBound > 0.01
      || (line?.lostPresses.interval.lowerBound ?? 0) > Choice.mostLost
  }

  /// The order of reports: worn keys first, and the more certain ones before others.
  func isWorse(than other: KeyFinding) -> Bool {
    (isWorn ? 1 : 0, certainty, other.key) > (other.isWorn ? 1 : 0, other.certainty, key)
  }
}

extension [KeyFinding] {
  /// Whether more strokes would tell what to set.
  public var isUndecided: Bool { contains { $0.strokesToDecide != nil } }
}

/// The findings of a tape about each key.
struct Findings: Sendable {
  /// The worst first.
  private(set) var keys: [KeyFinding] = []
  /// The strokes. Doubtful ones of worn keys are clear faults if a finger does not make so many.
  private var labels: Labels

  /// A switch is healthy if a smaller share of its strokes is faulty.
  private static let healthy = 0.03
  /// The share of typed strokes that look faulty and are not.
  private static let accidents = 2e-4
  /// The share of a finger's doubles whose gap is as short as a switch's; see ``Labels``.
  private static let hasty = 1.0 / 700
  /// The share of taps and holds that people do wrong when asked for them.
  static let errors = 5e-4
  /// A key comes twice if it has at least so many runs of strokes, and nearly all of them are pairs.
  private static let pairs = (least: 10, share: 0.8)

  /// The verdicts without advice.
  init(_ labels: Labels) {
    self.labels = labels
    let typing = Typing(labels)
    let wear = Dictionary(grouping: labels.strokes, by: \.key).mapValues(typing.wear(of:))
    self.labels.settleDoubts(of: Set(wear.filter { $1.isCertain && typing.hasDoubts(of: $0) }.keys))
    keys = Dictionary(grouping: self.labels.strokes, by: \.key).map { key, strokes in
      Self.finding(key, strokes, driven: labels.driven[key] ?? 0, wear[key] ?? SwitchWear())
    }.sorted { $0.isWorse(than: $1) }
  }

  init(of tape: Tape, inForce: InForce = InForce()) {
    self.init(Labels(of: tape))
    let choice = Choice(tape, labels, inForce: inForce, worn: keys.filter(\.isWorn).map(\.key))
    for index in keys.indices {
      let key = keys[index].key
      keys[index].comesThrough = choice.through(key)
      keys[index].lostPresses = choice.lostPresses(of: key)
      if let strokes = choice.missing[key] { keys[index].advice = .undecided(strokes: strokes) }
      if inForce.isOwn(key) { keys[index].advice = .own }
      if let line = choice.lines[key] { keys[index].advice = .line(line) }
    }
  }

  /// Keys that may be worn and deserve a closer look, the most suspicious first.
  static func suspects(of labels: Labels) -> [KeyCode] {
    let typing = Typing(labels)
    return Findings(labels).keys.filter { finding in
      finding.verdict != .driven
        && (finding.verdict == .twice || finding.rate.faults > 0
          || typing.hasDoubts(of: finding.key, isForLook: true))
    }.map(\.key)
  }

  static func wear(of key: KeyCode, _ labels: Labels) -> SwitchWear {
    Typing(labels).wear(of: labels.strokes.filter { $0.key == key })
  }

  private static func rate(_ strokes: [MeasuredStroke]) -> FaultRate {
    FaultRate(faults: strokes.count(where: \.isFaulty), strokes: strokes.count(where: \.isClear))
  }

  /// The strokes that were typed on all keys. Most keys have good switches, so that a key is compared with the others.
  private struct Typing {
    private struct Key {
      var faults = 0.0
      var doubtful = 0.0
      var strokes = 0.0
      /// How many strokes began soon after the key's last one, and how many of these at a gap that is hardly longer than a doubtful
      /// one.
      var doubles = 0.0
      var quick = 0.0
      /// How many doubles are hardly longer than a bounce. A finger that taps so briefly makes shorter ones, too.
      var brief = 0.0
    }

    private var keys: [KeyCode: Key] = [:]
    /// The share of single strokes that are as short as a bounce. Some people type so.
    private var shortShare = 0.0

    init(_ labels: Labels) {
      var ends: [KeyCode: Microseconds] = [:]
      for stroke in labels.strokes
      where stroke.exercise == .typing && stroke.certainty != .unknown {
        var own = keys[stroke.key] ?? Key()
        defer { keys[stroke.key] = own }
        own.strokes += 1
        if stroke.isFaulty { own.faults += 1 }
        if stroke.certainty == .doubtful { own.doubtful += 1 }
        let gap = ends.updateValue(stroke.release, forKey: stroke.key).map { stroke.press - $0 }
        if let gap, gap < Labels.together {
          own.doubles += 1
          if gap < Labels.quick { own.quick += 1 }
          if stroke.contacts.count == 1, 2 * stroke.contacts[0].length < 3 * Chatter.shortHold {
            own.brief += 1
          }
        }
      }
      let single = labels.strokes.filter { $0.exercise == .typing && $0.contacts.count == 1 }
      let short = single.count { $0.release - $0.press < Chatter.shortHold }
      shortShare = Double(short) / Double(max(1, single.count))
    }

    /// The share of something on the other keys, without the worst quarter of them, which may be worn, too.
    private func share(
      besides key: KeyCode, _ part: KeyPath<Key, Double>, of whole: KeyPath<Key, Double>,
      usually: (Double, of: Double)
    ) -> Double {
      let others = keys.filter { $0.key != key && $0.value.strokes >= 10 }.map(\.value)
        .sorted { $0[keyPath: part] / $0.strokes > $1[keyPath: part] / $1.strokes }
      let rest = others.dropFirst((others.count + 3) / 4)
      let sum = rest.reduce(usually) {
        ($0.0 + $1[keyPath: part], of: $0.of + $1[keyPath: whole])
      }
      return sum.0 / sum.of
    }

    /// How many doubtful strokes a finger would make on the key, by how many doubles it made.
    private func expectedDoubts(of key: KeyCode) -> Double {
      guard let own = keys[key] else { return 0 }
      let share = share(besides: key, \.doubtful, of: \.doubles, usually: (1, of: 60))
      return (share + 2 * shortShare) * own.doubles + own.quick / 6 + accidents * own.strokes
    }

    /// Whether a key has more doubtful strokes than a finger makes.
    ///
    /// - Parameter isForLook: Whether fewer are enough, because they lead to no more than a closer look.
    func hasDoubts(of key: KeyCode, isForLook: Bool = false) -> Bool {
      (keys[key]?.doubtful ?? 0) >= (isForLook ? 0.5 : 1) + 5 * expectedDoubts(of: key)
    }

    /// How certain it is by all strokes of a key that its switch is worn: by the clear faults, or by them and the doubtful
    /// strokes together.
    func wear(of strokes: [MeasuredStroke]) -> SwitchWear {
      guard let key = strokes.first?.key else { return SwitchWear() }
      let own = keys[key] ?? Key()
      let asked = rate(strokes.filter { $0.exercise != .typing })
      func wear(_ faults: Double, allowed: Double) -> SwitchWear {
        var wear = SwitchWear()
        wear.add(faults: Int(faults), strokes: Int(own.strokes), allowed: allowed)
        wear.add(faults: asked.faults, strokes: asked.strokes, allowed: errors)
        return wear
      }
      let doubles = own.doubles / max(1, own.strokes)
      let others = max(
        accidents, share(besides: key, \.faults, of: \.strokes, usually: (0.03, of: 100)),
        doubles * max(hasty, shortShare / 4))
      let brief = own.brief / 4 / max(1, own.strokes)
      let clear = wear(own.faults, allowed: max(brief, min(SwitchWear.mostAllowed, others)))
      let open = wear(
        own.faults + own.doubtful,
        allowed: 2 * expectedDoubts(of: key) / max(1, own.strokes) + 1e-3)
      return hasDoubts(of: key) && open.certainty > clear.certainty ? open : clear
    }
  }

  private static func finding(
    _ key: KeyCode, _ strokes: [MeasuredStroke], driven: Int, _ wear: SwitchWear
  ) -> KeyFinding {
    let asked = rate(strokes.filter { $0.exercise != .typing })
    let typed = rate(strokes.filter { $0.exercise == .typing })
    let clear = strokes.filter(\.isClear)
    let isAsked = asked.strokes >= 20
    let gaps = zip(clear, clear.dropFirst()).map { $1.press - $0.release }
    var finding = KeyFinding(
      key: key, verdict: .worn, strokes: clear.count,
      faults: Dictionary(clear.compactMap(\.fault).map { ($0, 1) }, uniquingKeysWith: +),
      rate: isAsked ? asked : typed.adding(asked),
      doubtful: strokes.count { $0.certainty == .doubtful }, isAsked: isAsked,
      certainty: wear.certainty, faultGaps: clear.flatMap(\.gaps).map(\.milliseconds).sorted(),
      fingerGaps: gaps.filter { $0 < 1_000_000 }.map(\.milliseconds).sorted())
    let highest = finding.highestRate
    if !wear.isCertain {
      finding.verdict =
        comesTwice(strokes)
        ? .twice
        : highest.upperBound <= healthy
          ? .healthy(below: highest.upperBound)
          : .undecided(strokes: highest.strokesMissing(for: healthy))
    }
    if driven > 0, driven * 2 >= strokes.count { finding.verdict = .driven }
    return finding
  }

  private static func comesTwice(_ strokes: [MeasuredStroke]) -> Bool {
    var runs: [Int] = []
    var end = Microseconds.min / 2
    for stroke in strokes where stroke.exercise == .typing {
      if stroke.press - end < Labels.together, !runs.isEmpty {
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

extension Microseconds {
  var milliseconds: Double { Double(self) / 1000 }
}

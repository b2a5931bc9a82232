import Debounce

/// The settings in force.
public struct InForce: Sendable {
  public var rules: Rules
  /// The strategy of all devices, which the lines that `calibrate` writes refine.
  public var outer: Strategy
  /// The rules without the lines that `calibrate` wrote earlier, if there are any.
  public var withoutLines: Rules?
  /// Keys that the person's own files name: their settings are not touched.
  public var own: Set<KeyCode> = []
  /// Whether keydebounce leaves the device alone.
  public var isLeftAlone = false

  public init(_ rules: Rules = Rules()) {
    self.rules = rules
    outer = rules.strategy
  }

  /// Whether the key is the person's own to set. Who needs a strategy for hands needs it more than a cure for the switch,
  /// and a key has one strategy.
  func isOwn(_ key: KeyCode) -> Bool {
    own.contains(key) || rules.strategy(of: key).isAccessibility
  }

  /// Whether an earlier `calibrate` wrote a line about the key.
  func hasLine(_ key: KeyCode) -> Bool {
    withoutLines.map { $0.keys[key] != rules.keys[key] } ?? false
  }
}

/// A line that is better than what is in force, and by how much.
public struct KeyLine: Equatable, Sendable {
  let candidate: Candidate
  /// Which of the faulty strokes come through now, and would with the line. Of strokes that it was not chosen by.
  var before: FaultRate
  var after: FaultRate
  /// Which presses of the person, on whatever key, the setting would take that the settings in force do not.
  var taken: FaultRate
  /// Which second strokes of doubles it would take, besides.
  var takenDoubles: FaultRate
  /// By how much more the key's presses and releases would be late on average, in milliseconds.
  var pressDelay: Double
  var releaseDelay: Double
  /// How sure it is that it is better, 0…1.
  var confidence: Double
  /// Whether it was judged together with other keys, of which each had too few faults.
  var isPooled: Bool
}

/// Which setting each worn key gets: every candidate is played, and one is chosen only if it beats the settings in force
/// on strokes that it was not chosen by.
///
/// The strokes are parted in two halves, every other one. On each the best candidate is chosen, and judged on the other. So
/// nothing is expected of a setting because it happened to fit.
struct Choice {
  /// A press that is lost weighs as much as so many faults that come through.
  private static let lostPress = 3.0
  /// What a millisecond of delay weighs, of a press and of a release.
  private static let delays = (press: 2e-4, release: 2e-5)
  private static let confidence = 0.95
  /// Settings that let a smaller share of faults through are well.
  private static let well = 0.03
  /// A setting that takes a larger share of all presses beyond what is taken now is never proposed.
  static let mostTaken = 0.001

  private let labels: Labels
  private let inForce: InForce
  /// The settings in force, on all strokes.
  private let now: [Fate]
  /// With every key as bad as a worn one is now. What a finger loses to another setting is held against that.
  private let named: [Fate]
  /// For each key the indices of its clear strokes.
  private let strokes: [KeyCode: [Int]]
  /// Those that are doubtful.
  private let doubtful: [KeyCode: [Int]]
  /// The clear strokes of all keys.
  private let all: [Int]
  private let worn: Set<KeyCode>
  private(set) var lines: [KeyCode: KeyLine] = [:]
  /// Where a candidate looks better and that is not certain: how many more strokes would tell.
  private(set) var missing: [KeyCode: Int] = [:]

  /// - Parameter worn: The keys whose switches are worn.
  init(_ tape: Tape, _ labels: Labels, inForce: InForce, worn: [KeyCode]) {
    self.labels = labels
    self.inForce = inForce
    self.worn = Set(worn)
    func fates(_ rules: Rules) -> [Fate] { Play(rules, on: tape, labels).outcomes }
    now = fates(inForce.rules)
    all = labels.strokes.indices.filter { labels.strokes[$0].isClear }
    strokes = Dictionary(grouping: all) { labels.strokes[$0].key }
    doubtful = Dictionary(
      grouping: labels.strokes.indices.filter { labels.strokes[$0].certainty == .doubtful }
    ) { labels.strokes[$0].key }

    let keys = strokes.keys.filter {
      !inForce.isOwn($0) && (worn.contains($0) || inForce.hasLine($0))
    }.sorted()
    func fates(_ strategy: Strategy, on keys: some Sequence<KeyCode>) -> [Fate] {
      var rules = inForce.rules
      for key in keys { rules.keys[key] = strategy }
      return fates(rules)
    }
    named = keys.isEmpty ? now : fates(inForce.rules.strategy.named, on: strokes.keys)
    guard keys.contains(where: { through($0).faults > 0 || taken($0).faults > 0 }) else { return }
    var trials = Candidate.all(beside: inForce.outer).compactMap { candidate -> Trial? in
      let outcomes = fates(candidate.strategy, on: keys.filter(self.worn.contains))
      guard keys.contains(where: { isBetter(outcomes, of: $0) }) else { return nil }
      let everywhere = fates(candidate.strategy, on: strokes.keys)
      return Trial(
        candidate: candidate, outcomes: outcomes, everywhere: everywhere,
        taken: [0, 1, nil].map { taken(everywhere, half: $0) })
    }
    if let without = inForce.withoutLines {
      let outcomes = fates(without)
      trials.append(Trial(candidate: nil, outcomes: outcomes, everywhere: outcomes))
    }
    choose(among: trials, for: keys)
  }

  /// How many of a key's faulty strokes come through the settings in force.
  func through(_ key: KeyCode) -> FaultRate { through(strokes[key] ?? [], now) }

  /// How many of a key's presses the settings in force take.
  func taken(_ key: KeyCode) -> FaultRate {
    let own = strokes[key] ?? []
    return FaultRate(faults: own.count { now[$0].isLost }, strokes: own.count)
  }

  private func through(_ strokes: [Int], _ outcomes: [Fate]) -> FaultRate {
    let faulty = strokes.filter { labels.strokes[$0].isFaulty }
    return FaultRate(
      faults: faulty.count { outcomes[$0].comesThrough }, strokes: faulty.count)
  }
}

// MARK: - Trials

extension Choice {
  /// A candidate, played.
  private struct Trial {
    /// `nil` for none of the lines that stand there now.
    let candidate: Candidate?
    /// With the worn keys set to it.
    let outcomes: [Fate]
    /// With every key set to it.
    let everywhere: [Fate]
    /// The share of this person's presses that it takes of a worn key beyond what is taken now: of each half, and of all.
    var taken: [Double]?
  }

  /// Every other one of some strokes; without a half, all.
  private func part(_ half: Int?, of strokes: [Int]) -> [Int] {
    guard let half else { return strokes }
    return stride(from: half, to: strokes.count, by: 2).map { strokes[$0] }
  }

  private func isBetter(_ outcomes: [Fate], of key: KeyCode) -> Bool {
    strokes[key, default: []].contains {
      now[$0].isLost && !outcomes[$0].isLost
        || now[$0].comesThrough && !outcomes[$0].comesThrough
    }
  }

  /// A key has few doubles: what a setting takes shows on all keys. Of those that are not worn, what is doubtful is mostly
  /// two strokes of a finger.
  private func taken(_ everywhere: [Fate], half: Int?) -> Double {
    let own = part(half, of: all)
    let lost = own.count { everywhere[$0].isLost } - own.count { named[$0].isLost }
    let doubles = doubtful.filter { !worn.contains($0.key) }.flatMap { part(half, of: $0.value) }
    let merged = doubles.reduce(0) { $0 + named[$1].presses - everywhere[$1].presses }
    return Double(lost + merged) / Double(max(1, own.count))
  }

  /// What is better and what is worse with a trial than now, in faults that come through.
  private struct Difference {
    var better = 0
    var worse = 0
    var lost = 0.0
    var delay = 0.0

    var gain: Double { Double(better - worse) - Choice.lostPress * lost - delay }

    static func + (one: Difference, other: Difference) -> Difference {
      Difference(
        better: one.better + other.better, worse: one.worse + other.worse,
        lost: one.lost + other.lost, delay: one.delay + other.delay)
    }

    /// How sure it is that more is better than worse, if so many times as much is seen: by the sign test.
    func confidence(times: Double = 1) -> Double {
      let worse = Double(worse) + Choice.lostPress * max(0, lost)
      let better = Double(better) + Choice.lostPress * max(0, -lost)
      guard better > 0 else { return 0 }
      return 1 - SpecialFunctions.beta(0.5, times * better, times * worse + 1)
    }
  }

  private func difference(_ trial: Trial, of keys: [KeyCode], half: Int?) -> Difference {
    var difference = Difference()
    var (own, lost) = (0, 0)
    for key in keys {
      for stroke in part(half, of: strokes[key, default: []]) {
        let (before, after) = (now[stroke], trial.outcomes[stroke])
        own += 1
        lost += (after.isLost ? 1 : 0) - (before.isLost ? 1 : 0)
        if before.comesThrough, !after.comesThrough { difference.better += 1 }
        if after.comesThrough, !before.comesThrough { difference.worse += 1 }
        difference.delay +=
          Self.delays.press * Double(after.pressDelay - before.pressDelay) / 1000
          + Self.delays.release * Double(after.releaseDelay - before.releaseDelay) / 1000
      }
      // Of a worn key, what is doubtful is a fault rather than a finger's: more of it must not come through.
      difference.worse += part(half, of: doubtful[key, default: []]).count {
        trial.outcomes[$0].presses > now[$0].presses
      }
    }
    difference.lost = max(
      Double(lost), trial.taken.map { $0[half ?? 2] * Double(own) } ?? -.infinity)
    return difference
  }
}

// MARK: - Choosing

extension Choice {
  /// The best candidates for some keys: by each half of their strokes, and by all. `nil` where what is in force is best.
  private struct Pick {
    let keys: [KeyCode]
    let halves: [Trial?]
    let whole: Trial?
  }

  private func pick(for keys: [KeyCode], among trials: [Trial]) -> Pick {
    func best(_ half: Int?) -> Trial? {
      let most = Self.mostTaken * Double(part(half, of: all).count)
      return trials.map { ($0, difference($0, of: keys, half: half)) }
        .filter { $0.1.gain > 0 && $0.1.lost <= most }.max { $0.1.gain < $1.1.gain }?.0
    }
    return Pick(keys: keys, halves: [best(0), best(1)], whole: best(nil))
  }

  /// What each half's candidate does on the other half.
  private func unseen(_ pick: Pick, of keys: [KeyCode]) -> Difference {
    pick.halves.enumerated().reduce(Difference()) { sum, half in
      half.element.map { sum + difference($0, of: keys, half: 1 - half.offset) } ?? sum
    }
  }

  private func isSure(_ pick: Pick) -> Bool {
    let unseen = unseen(pick, of: pick.keys)
    return unseen.gain > 0 && unseen.confidence() >= Self.confidence
  }

  private mutating func choose(among trials: [Trial], for keys: [KeyCode]) {
    // What is known to be well is not pooled.
    let pool = keys.filter { worn.contains($0) && through($0).upperBound > Self.well }
    let pooled = pool.count > 1 ? pick(for: pool, among: trials) : nil
    // Where nothing comes through and nothing is lost, nothing can be better.
    for key in keys where through(key).faults > 0 || taken(key).faults > 0 {
      let own = pick(
        for: [key], among: worn.contains(key) ? trials : trials.filter { $0.candidate == nil })
      let picks = (pool.contains(key) ? [pooled] : []).compactMap(\.self) + [own]
      let sure = picks.filter(isSure)
        .max { unseen($0, of: [key]).gain < unseen($1, of: [key]).gain }
      if let sure {
        lines[key] = line(sure, of: key)
      } else if pool.contains(key) {
        missing[key] = picks.compactMap(strokesMissing).min()
      }
    }
  }

  /// How many more strokes like these of each key would make a candidate that looks better certain; `nil` if none does.
  private func strokesMissing(_ pick: Pick) -> Int? {
    guard let whole = pick.whole else { return nil }
    let seen = difference(whole, of: pick.keys, half: nil)
    let count = pick.keys.reduce(0) { $0 + strokes[$1, default: []].count }
    return (2...50).first { seen.confidence(times: Double($0)) >= Self.confidence }.map {
      ($0 - 1) * count / pick.keys.count
    }
  }

  /// The line about a key.
  private func line(_ pick: Pick, of key: KeyCode) -> KeyLine? {
    guard let chosen = pick.whole else { return nil }
    let own = strokes[key, default: []]
    let after = pick.halves.enumerated().reduce(FaultRate(faults: 0, strokes: 0)) { sum, half in
      sum.adding(through(part(1 - half.offset, of: own), half.element?.outcomes ?? now))
    }
    // A setting that lets more faults through is none, however many presses it spares. To go back to none is another matter.
    guard chosen.candidate == nil || after.faults <= through(key).faults else { return nil }
    func mean(_ delay: (Fate) -> Microseconds) -> Double {
      let sum = own.reduce(0) { $0 + delay(chosen.outcomes[$1]) - delay(now[$1]) }
      return Double(sum) / 1000 / Double(max(1, own.count))
    }
    func taken(_ strokes: [Int]) -> FaultRate {
      FaultRate(
        faults: strokes.count { chosen.everywhere[$0].isLost && !now[$0].isLost },
        strokes: strokes.count)
    }
    let doubles = strokes.values.flatMap { own in
      zip(own, own.dropFirst()).filter {
        labels.strokes[$1].press - labels.strokes[$0].release < Labels.together
      }.map(\.1)
    }
    return KeyLine(
      candidate: chosen.candidate
        ?? Candidate(without: (inForce.withoutLines ?? inForce.rules).strategy(of: key)),
      before: through(own, now), after: after, taken: taken(all), takenDoubles: taken(doubles),
      pressDelay: mean(\.pressDelay), releaseDelay: mean(\.releaseDelay),
      confidence: unseen(pick, of: pick.keys).confidence(), isPooled: pick.keys.count > 1)
  }
}

/// What a line about a key may say: a setting, as the engine takes it and as a file gives it.
public struct Candidate: Equatable, Sendable {
  public let strategy: Strategy
  /// The right side of the line, as `25` or `{ strategy = "eager-defer", threshold = 25 }`; `nil` if there is to be none.
  public let text: String?

  /// No line: what holds without one.
  init(without strategy: Strategy) {
    self.strategy = strategy
    text = nil
  }

  /// - Parameters:
  ///   - threshold: In milliseconds.
  ///   - parameters: By their names, in milliseconds.
  ///   - outer: The strategy of all devices: a line that names no other has its parameters.
  init(
    _ kind: StrategyKind, _ threshold: Int, _ parameters: KeyValuePairs<String, Int>,
    beside outer: Strategy
  ) {
    var values: [String: Int64] = [:]
    for parameter in kind.parameters where kind == outer.kind && parameter.formula == nil {
      values[parameter.name] = parameter.value(in: outer)
    }
    for (name, time) in parameters { values[name] = Int64(time) * 1000 }
    strategy = kind.strategy(threshold: Int64(threshold) * 1000, values).named
    let name = kind == outer.kind ? [] : ["strategy = \"\(kind.name)\""]
    let entries =
      name + ["threshold = \(threshold)"] + parameters.map { "\($0.key) = \($0.value)" }
    text = entries.count == 1 ? "\(threshold)" : "{ \(entries.joined(separator: ", ")) }"
  }

  /// All that are tried, from those that a person feels least to those that they feel most.
  ///
  /// - Parameter outer: The strategy of all devices.
  static func all(beside outer: Strategy) -> [Candidate] {
    let adaptive = Strategy.adaptive(Adaptive()).kind
    let eagerDefer = Strategy.eagerDefer(EagerDefer(threshold: 0)).kind
    return [15, 20, 25, 30, 40, 60, 100].map {
      Candidate(adaptive, $0, [:], beside: outer)
    }
      // Against late blips releases need not wait.
      + [60, 80, 110].map {
        Candidate(adaptive, 25, ["dropout": 0, "suspect": $0], beside: outer)
      }
      + [(20, 80), (25, 80), (25, 110)].map {
        Candidate(adaptive, $0.0, ["suspect": $0.1], beside: outer)
      }
      + [15, 25, 40, 60].map { Candidate(eagerDefer, $0, [:], beside: outer) }
  }
}

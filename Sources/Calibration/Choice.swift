import Debounce

/// Which setting each worn key gets: every candidate is played, and one is chosen only if it beats the settings in force
/// on strokes that it was not chosen by.
///
/// The strokes are parted in two halves, every other one. On each the best candidate is chosen, and judged on the other. So
/// nothing is expected of a setting because it happened to fit.
public struct Choice {
  public struct InForce: Sendable {
    public var rules: Rules
    /// The rules without the lines that `calibrate` wrote earlier, if there are any.
    public var withoutLines: Rules?
    /// Keys that the person's own files name: their settings are not touched.
    public var own: Set<KeyCode> = []
    /// What `take` would write for the keys of this device, which is no keyboard.
    public var taken: [KeyCode: Candidate] = [:]

    public init(_ rules: Rules = Rules()) {
      self.rules = rules
    }

    /// Whether the key is the person's own to set. Who needs a strategy for hands needs it more than a cure for the switch,
    /// and a key has one strategy.
    func isOwn(_ key: KeyCode) -> Bool {
      own.contains(key) || rules.strategy(of: key).isAccessibility
    }
  }

  /// A line that is better than what is in force, and by how much.
  public struct Line: Equatable, Sendable {
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

  /// A press that is lost weighs as much as so many faults that come through.
  private static let lostPress = 3.0
  /// What a millisecond of delay weighs, of a press and of a release.
  private static let delays = (press: 2e-4, release: 2e-5)
  private static let confidence = 0.95
  /// Settings that let a smaller share of faults through are well.
  private static let well = 0.03

  private let labels: Labels
  private let inForce: InForce
  /// The settings in force, on all strokes.
  private let now: [Fate]
  /// For each key the indices of its clear strokes.
  private let strokes: [KeyCode: [Int]]
  /// Those that are doubtful.
  private let doubtful: [KeyCode: [Int]]
  /// The clear strokes of all keys.
  private let all: [Int]
  /// Second strokes of doubles.
  private let doubles: [Int]
  private let worn: Set<KeyCode>
  private(set) var lines: [KeyCode: Line] = [:]
  /// Where a candidate looks better and that is not certain: how many more strokes would tell.
  private(set) var missing: [KeyCode: Int] = [:]

  /// - Parameter worn: The keys whose switches are worn.
  init(_ tape: Tape, _ labels: Labels, inForce: InForce, worn: [KeyCode]) {
    self.labels = labels
    self.inForce = inForce
    self.worn = Set(worn)
    now = Play(inForce.rules, on: tape, labels).outcomes
    all = labels.strokes.indices.filter { labels.strokes[$0].isClear }
    strokes = Dictionary(grouping: all) { labels.strokes[$0].key }
    doubtful = Dictionary(
      grouping: labels.strokes.indices.filter { labels.strokes[$0].certainty == .doubtful }
    ) { labels.strokes[$0].key }
    doubles = strokes.values.flatMap { own in
      zip(own, own.dropFirst()).filter {
        labels.strokes[$1].press - labels.strokes[$0].release < Labels.together
      }.map(\.1)
    }
    let keys = worn.filter { !inForce.isOwn($0) && strokes[$0] != nil }
    drop(tape)
    let rest = keys.filter { lines[$0] == nil }
    guard !rest.isEmpty, rest.contains(where: { key in through(key).faults > 0 || loses(key) })
    else { return }
    let trials = trials(of: rest, on: tape)
    // What is known to be well is not pooled.
    let pool = rest.filter { through($0).upperBound > Self.well }
    let pooled = pool.count > 1 ? Pick(of: pool, trials, self) : nil
    let isPoolSure = pooled.map { isSure(unseen($0, of: pool)) } ?? false
    for key in rest {
      let own = Pick(of: [key], trials, self)
      let gain = unseen(own, of: [key])
      if let pooled, isPoolSure, pool.contains(key),
        !isSure(gain) || unseen(pooled, of: [key]).gain >= gain.gain
      {
        lines[key] = line(pooled, for: pool, of: key)
      } else if isSure(gain) {
        lines[key] = line(own, for: [key], of: key)
      } else if through(key).upperBound > Self.well {
        let (pick, keys) = pooled.flatMap { pool.contains(key) ? ($0, pool) : nil } ?? (own, [key])
        missing[key] = strokesMissing(pick, of: keys)
      }
    }
  }

  /// How many of a key's faulty strokes come through the settings in force.
  func through(_ key: KeyCode) -> FaultRate { through(strokes[key] ?? [], now) }

  /// How many presses the settings in force take: of this key, or of all.
  func taken(_ key: KeyCode? = nil) -> FaultRate {
    let own = key.map { strokes[$0] ?? [] } ?? all
    return FaultRate(faults: own.count { now[$0].isLost }, strokes: own.count)
  }

  private func loses(_ key: KeyCode) -> Bool { taken(key).faults > 0 }

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
    let candidate: Candidate
    /// With the worn keys set to it.
    let outcomes: [Fate]
    /// With every key set to it: what it takes of this person.
    let everywhere: [Fate]
    /// The share of presses that it takes beyond what is taken now: of each half, and of all.
    let taken: [Double]
  }

  private func trials(of keys: [KeyCode], on tape: Tape) -> [Trial] {
    let outer = inForce.rules.strategy
    var candidates = Candidate.all(beside: outer)
    // A mouse's buttons have a line of their own, if one is known.
    for candidate in Set(keys.compactMap { inForce.taken[$0]?.text }).sorted() {
      if let taken = inForce.taken.values.first(where: { $0.text == candidate }) {
        candidates.insert(taken, at: 0)
      }
    }
    return candidates.compactMap { candidate in
      let outcomes = play(candidate, on: tape, keys)
      let isBetter = keys.contains { key in
        strokes[key, default: []].contains {
          now[$0].isLost && !outcomes[$0].isLost
            || now[$0].comesThrough && !outcomes[$0].comesThrough
        }
      }
      return isBetter
        ? trial(candidate, outcomes, everywhere: play(candidate, on: tape, Array(strokes.keys)))
        : nil
    }
  }

  private func trial(_ candidate: Candidate, _ outcomes: [Fate], everywhere: [Fate]) -> Trial {
    // A key has few doubles: what a setting takes shows on all keys. Of those that are not worn, what is doubtful is mostly
    // two strokes of a finger.
    let others = doubtful.filter { !worn.contains($0.key) }.flatMap(\.value)
    let halves: [Int?] = [0, 1, nil]
    let taken = halves.map { half in
      let own = part(half, of: all)
      var sum = own.count { everywhere[$0].isLost } - own.count { now[$0].isLost }
      for stroke in part(half, of: others) {
        sum += now[stroke].presses - everywhere[stroke].presses
      }
      return Double(sum) / Double(max(1, own.count))
    }
    return Trial(candidate: candidate, outcomes: outcomes, everywhere: everywhere, taken: taken)
  }

  /// Every other one of some strokes; without a half, all.
  private func part(_ half: Int?, of strokes: [Int]) -> [Int] {
    guard let half else { return strokes }
    return stride(from: half, to: strokes.count, by: 2).map { strokes[$0] }
  }

  private func play(_ candidate: Candidate, on tape: Tape, _ keys: [KeyCode]) -> [Fate] {
    var rules = inForce.rules
    for key in keys { rules.keys[key] = candidate.strategy }
    return Play(rules, on: tape, labels).outcomes
  }

  /// Drops the lines of an earlier `calibrate` that do harm.
  private mutating func drop(_ tape: Tape) {
    guard let without = inForce.withoutLines else { return }
    let outcomes = Play(without, on: tape, labels).outcomes
    for key in strokes.keys where inForce.rules.keys[key] != without.keys[key] {
      let trial = trial(
        Candidate(without: without.strategy(of: key)), outcomes, everywhere: outcomes)
      let pick = Pick(of: [key], [trial], self)
      if isSure(unseen(pick, of: [key])) { lines[key] = line(pick, for: [key], of: key) }
    }
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

    static func * (one: Difference, times: Int) -> Difference {
      Difference(
        better: one.better * times, worse: one.worse * times, lost: one.lost * Double(times),
        delay: one.delay * Double(times))
    }

    /// How sure it is that more is better than worse: by the sign test.
    var confidence: Double {
      let worse = Double(worse) + Choice.lostPress * max(0, lost)
      let better = Double(better) + Choice.lostPress * max(0, -lost)
      guard better > 0 else { return 0 }
      return 1 - SpecialFunctions.beta(0.5, better, worse + 1)
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
    difference.lost = max(Double(lost), trial.taken[half ?? 2] * Double(own))
    return difference
  }

  /// The best candidates for some keys: by each half of the strokes, and by all. `nil` where what is in force is best.
  private struct Pick {
    let halves: [Trial?]
    let whole: Trial?

    init(of keys: [KeyCode], _ trials: [Trial], _ choice: Choice) {
      func best(_ half: Int?) -> Trial? {
        trials.map { ($0, choice.difference($0, of: keys, half: half).gain) }
          .filter { $0.1 > 0 }.max { $0.1 < $1.1 }?.0
      }
      halves = [best(0), best(1)]
      whole = best(nil)
    }
  }

  /// What each half's candidate does on the other half.
  private func unseen(_ pick: Pick, of keys: [KeyCode]) -> Difference {
    pick.halves.enumerated().reduce(Difference()) { sum, half in
      half.element.map { sum + difference($0, of: keys, half: 1 - half.offset) } ?? sum
    }
  }

  private func isSure(_ unseen: Difference) -> Bool {
    unseen.gain > 0 && unseen.confidence >= Self.confidence
  }

  /// How many more strokes like these would make a candidate that looks better certain; `nil` if none does.
  private func strokesMissing(_ pick: Pick, of keys: [KeyCode]) -> Int? {
    guard let whole = pick.whole else { return nil }
    let seen = difference(whole, of: keys, half: nil)
    let count = keys.reduce(0) { $0 + strokes[$1, default: []].count }
    return (2...50).first { (seen * $0).confidence >= Self.confidence }.map {
      ($0 - 1) * count / keys.count
    }
  }

  /// The line about a key that was chosen for some.
  private func line(_ pick: Pick, for keys: [KeyCode], of key: KeyCode) -> Line? {
    guard let chosen = pick.whole else { return nil }
    let own = strokes[key, default: []]
    var after = FaultRate(faults: 0, strokes: 0)
    for (half, trial) in pick.halves.enumerated() {
      after = after.adding(through(part(1 - half, of: own), trial?.outcomes ?? now))
    }
    func mean(_ delay: (Fate) -> Microseconds) -> Double {
      let sum = own.reduce(0) { $0 + delay(chosen.outcomes[$1]) - delay(now[$1]) }
      return Double(sum) / 1000 / Double(max(1, own.count))
    }
    func taken(_ strokes: [Int]) -> FaultRate {
      let taken = strokes.count { chosen.everywhere[$0].isLost && !now[$0].isLost }
      return FaultRate(faults: taken, strokes: strokes.count)
    }
    return Line(
      candidate: chosen.candidate, before: through(own, now), after: after, taken: taken(all),
      takenDoubles: taken(doubles), pressDelay: mean(\.pressDelay),
      releaseDelay: mean(\.releaseDelay), confidence: unseen(pick, of: keys).confidence,
      isPooled: keys.count > 1)
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
  ///   - values: “threshold” and parameters by their names, in milliseconds.
  ///   - outer: The strategy of the device's keys without a line.
  init(_ kind: StrategyKind, _ values: [(name: String, milliseconds: Int)], beside outer: Strategy)
  {
    var parameters: [String: Int64] = [:]
    for value in values where value.name != "threshold" {
      parameters[value.name] = Int64(value.milliseconds) * 1000
    }
    let threshold = values.first { $0.name == "threshold" }?.milliseconds
    strategy = kind.strategy(threshold: threshold.map { Int64($0) * 1000 }, parameters).named
    var entries = values.map { "\($0.name) = \($0.milliseconds)" }
    if kind != outer.kind { entries.insert("strategy = \"\(kind.name)\"", at: 0) }
    text =
      if entries.count == 1, let threshold { "\(threshold)" } else {
        "{ \(entries.joined(separator: ", ")) }"
      }
  }

  /// A line of a file, as `BTN_LEFT = { strategy = "eager-defer", threshold = 20 }`; `nil` if it is none that can be tried.
  init?(line: String, beside outer: Strategy) {
    var kind = outer.kind
    var values: [(String, Int)] = []
    let words = line.drop { $0 != "=" }.dropFirst().split { " {},=\"".contains($0) }
    for (name, value) in zip(words, words.dropFirst()) {
      if name == "strategy" {
        guard let named = StrategyKind(rawValue: String(value)) else { return nil }
        kind = named
      } else if let number = Int(value) {
        values.append((String(name), number))
      }
    }
    self.init(kind, values.map { (name: $0.0, milliseconds: $0.1) }, beside: outer)
  }

  /// All that are tried, from those that a person feels least to those that they feel most.
  ///
  /// - Parameter outer: The strategy of the device's keys without a line.
  static func all(beside outer: Strategy) -> [Candidate] {
    func candidate(_ name: String, _ values: [(String, Int)]) -> Candidate? {
      guard let kind = StrategyKind(rawValue: name),
        values.allSatisfy({ $0.0 == "threshold" || kind.parameter(named: $0.0) != nil })
      else { return nil }
      return Candidate(kind, values.map { (name: $0.0, milliseconds: $0.1) }, beside: outer)
    }
    let thresholds = [15, 20, 25, 30, 40, 50, 60, 80, 100]
    return thresholds.compactMap { candidate("adaptive", [("threshold", $0)]) }
      + [(25, 80), (20, 80), (25, 110), (40, 110)].compactMap {
        candidate("adaptive", [("threshold", $0.0), ("suspect", $0.1)])
      }
      + [15, 25, 40, 60].compactMap { candidate("eager-defer", [("threshold", $0)]) }
  }
}

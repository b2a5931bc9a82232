import Configuration
import Debounce

public struct InForce: Sendable {
  public var rules: Rules
  /// The strategy of all devices, which the lines that `calibrate` writes refine.
  package var outer: Strategy
  /// The rules without the lines that `calibrate` wrote earlier, if there are any.
  package var withoutLines: Rules?
  /// Keys that the person's own files name: their settings are not touched.
  public var own: Set<KeyCode> = []
  /// The command or change that makes keydebounce debounce the device; `nil` if keydebounce debounces it already.
  public var remedy: String?

  public init(_ rules: Rules = Rules()) {
    self.rules = rules
    outer = rules.strategy
  }

  /// Whether the key is the person's own to set. A key has one strategy, and a person who needs one for hands needs it more
  /// than a cure for the switch.
  package func isOwn(_ key: KeyCode) -> Bool {
    own.contains(key) || rules.strategy(of: key).isAccessibility
  }

  /// Whether an earlier `calibrate` wrote a line about the key.
  func hasLine(_ key: KeyCode) -> Bool {
    withoutLines.map { $0.keys[key] != rules.keys[key] } ?? false
  }
}

/// A line that beats the settings in force, and by how much.
package struct KeyLine: Equatable, Sendable {
  package let candidate: Candidate
  /// The faulty strokes that come through now, and those that would with the line: among strokes that did not take part in
  /// choosing it.
  package var before: FaultRate
  package var after: FaultRate
  /// The person's presses on all keys that the setting would take and the settings in force do not.
  var lostPresses: FaultRate
  /// The second strokes of doubles among them.
  var lostDoubles: FaultRate
  /// How much later the key's presses and releases would come on average, in milliseconds.
  var pressDelay: Double
  var releaseDelay: Double
  /// How sure it is that the line is better, 0…1.
  var confidence: Double
  /// Whether the faults of all worn keys together judged the line, because each key had too few.
  package var isPooled: Bool
}

/// Which setting each worn key gets: every candidate is played, and one is chosen only if it beats the settings in force
/// on strokes that it was not chosen by.
///
/// ```
///  strokes of a key   ▁0▁1▁2▁3▁4▁5▁6▁7▁8▁9▁0▁1▁2▁…     dealt out to ten parts
///  chosen by             1 2 3 4 5 6 7 8 9             the candidate that does best there
///  judged by           0                               and so on for each part
/// ```
///
/// A setting may fit some strokes by chance. So a part speaks for a candidate only if the nine others choose that one, too.
struct Choice {
  /// A press that is lost weighs as much as so many faults that come through.
  private static let lostPress = 3.0
  /// The weight of a millisecond by which a press or a release comes late.
  private static let delays = (press: 2e-4, release: 2e-5)
  private static let confidence = 0.95
  /// Settings that let a smaller share of faults through are good enough.
  private static let well = 0.03
  /// A setting that loses a larger share of all presses, beyond what is lost now, is never proposed.
  static let mostLost = 0.001
  private static let parts = 10

  private let labels: Labels
  private let inForce: InForce
  private let worn: Set<KeyCode>
  /// The settings in force, played.
  private let playedInForce: [Fate]
  /// The settings in force, played with every key named as worn. The presses that a candidate takes are compared with that.
  private let playedAllBad: [Fate]
  /// The indices of each key's clear strokes, and those of its doubtful ones.
  private let strokes: [KeyCode: [Int]]
  private let doubtful: [KeyCode: [Int]]
  private(set) var lines: [KeyCode: KeyLine] = [:]
  /// How many more strokes would tell, for keys of which a candidate looks better and is not certain to be.
  private(set) var missing: [KeyCode: Int] = [:]

  init(_ tape: Tape, _ labels: Labels, inForce: InForce, worn: [KeyCode]) {
    self.labels = labels
    self.inForce = inForce
    self.worn = Set(worn)
    func fates(_ rules: Rules) -> [Fate] { Play(rules, on: tape, labels).fates }
    func fates(_ strategy: Strategy, on keys: some Sequence<KeyCode>) -> [Fate] {
      var rules = inForce.rules
      for key in keys { rules.keys[key] = strategy }
      return fates(rules)
    }
    func strokes(_ certainty: MeasuredStroke.Certainty) -> [KeyCode: [Int]] {
      Dictionary(
        grouping: labels.strokes.indices.filter { labels.strokes[$0].certainty == certainty }
      ) { labels.strokes[$0].key }
    }
    playedInForce = fates(inForce.rules)
    self.strokes = strokes(.clear)
    doubtful = strokes(.doubtful)

    let keys = self.strokes.keys.filter {
      !inForce.isOwn($0) && (worn.contains($0) || inForce.hasLine($0))
    }.sorted()
    playedAllBad =
      keys.isEmpty ? playedInForce : fates(inForce.rules.strategy.named, on: self.strokes.keys)
    guard keys.contains(where: { through($0).faults > 0 || lostPresses(of: $0).faults > 0 }) else {
      return
    }
    var trials = Candidate.all(beside: inForce.outer).compactMap { candidate -> Trial? in
      let onWornKeys = fates(candidate.strategy, on: keys.filter(self.worn.contains))
      guard keys.contains(where: { isBetter(onWornKeys, of: $0) }) else { return nil }
      let onAllKeys = fates(candidate.strategy, on: self.strokes.keys)
      return Trial(
        candidate: candidate, onWornKeys: onWornKeys, onAllKeys: onAllKeys,
        lossesOnAllKeys: losses(onAllKeys))
    }
    if let without = inForce.withoutLines {
      let played = fates(without)
      trials.append(Trial(candidate: nil, onWornKeys: played, onAllKeys: played))
    }
    choose(among: trials, for: keys)
  }

  /// How many of a key's faulty strokes come through the settings in force.
  func through(_ key: KeyCode) -> FaultRate { through(strokes[key] ?? [], playedInForce) }

  /// How many of a key's presses the settings in force take.
  func lostPresses(of key: KeyCode) -> FaultRate {
    let own = strokes[key] ?? []
    return FaultRate(faults: own.count { playedInForce[$0].isLost }, strokes: own.count)
  }

  private func through(_ strokes: [Int], _ fates: [Fate]) -> FaultRate {
    let faulty = strokes.filter { labels.strokes[$0].isFaulty }
    return FaultRate(faults: faulty.count { fates[$0].comesThrough }, strokes: faulty.count)
  }
}

// MARK: - Trials

extension Choice {
  /// A candidate, played.
  private struct Trial {
    /// `nil` for the trial in which the present lines are deleted.
    let candidate: Candidate?
    /// The fates of all strokes with the worn keys set to the candidate.
    let onWornKeys: [Fate]
    /// The fates of all strokes with every key set to it.
    let onAllKeys: [Fate]
    /// The presses of all keys that are lost with that, in each part. Deleted lines are judged by their own keys alone.
    var lossesOnAllKeys = [Tally](repeating: Tally(lostOfAll: -.infinity), count: parts)
  }

  private func isBetter(_ fates: [Fate], of key: KeyCode) -> Bool {
    strokes[key, default: []].contains {
      playedInForce[$0].isLost && !fates[$0].isLost
        || playedInForce[$0].comesThrough && !fates[$0].comesThrough
    }
  }

  /// A trial compared with the settings in force: fewer and more faults that come through, lost presses, delay.
  fileprivate struct Tally {
    var better = 0
    var worse = 0
    var delay = 0.0
    /// The number of the keys' strokes, and how many more of them are lost.
    var strokes = 0
    var lostStrokes = 0.0
    /// The number of strokes of all keys, and how many of them would be lost if every key were worn.
    var all = 0
    var lostOfAll = 0.0

    mutating func add(_ other: Tally) {
      better += other.better
      worse += other.worse
      delay += other.delay
      strokes += other.strokes
      lostStrokes += other.lostStrokes
      all += other.all
      lostOfAll += other.lostOfAll
    }

    /// How many presses are lost. A key has few doubles, so that the doubles of all keys show what a setting takes.
    var lost: Double {
      strokes == 0 ? 0 : max(lostStrokes, lostOfAll / Double(all) * Double(strokes))
    }

    var gain: Double { Double(better - worse) - Choice.lostPress * lost - delay }

    var losesTooMuch: Bool { all > 0 && lost > Choice.mostLost * Double(all) }

    /// How sure the sign test is that the trial is better, if `times` as many strokes were measured, with the same shares.
    func confidence(times: Double = 1) -> Double {
      let worse = Double(worse) + Choice.lostPress * max(0, lost)
      let better = Double(better) + Choice.lostPress * max(0, -lost)
      guard better > 0 else { return 0 }
      return 1 - SpecialFunctions.beta(0.5, times * better, times * worse + 1)
    }
  }

  /// The presses that a setting takes if every key has it, in each part.
  private func losses(_ onAllKeys: [Fate]) -> [Tally] {
    var tallies = [Tally](repeating: Tally(), count: Self.parts)
    for (key, own) in strokes {
      for (place, stroke) in own.enumerated() {
        tallies[place % Self.parts].all += 1
        tallies[place % Self.parts].lostOfAll += Self.lost(stroke, onAllKeys, than: playedAllBad)
      }
      // A doubtful stroke of a healthy key is mostly two strokes of a finger.
      for (place, stroke) in doubtful[key, default: []].enumerated() where !worn.contains(key) {
        tallies[place % Self.parts].lostOfAll +=
          Double(playedAllBad[stroke].presses - onAllKeys[stroke].presses)
      }
    }
    return tallies
  }

  /// The tallies of a trial for some keys, in each part.
  private func effects(_ trial: Trial, of keys: [KeyCode]) -> [Tally] {
    var tallies = trial.lossesOnAllKeys
    for key in keys {
      for (place, stroke) in strokes[key, default: []].enumerated() {
        let (before, after) = (playedInForce[stroke], trial.onWornKeys[stroke])
        let delay =
          Self.delays.press * Double(after.pressDelay - before.pressDelay)
          + Self.delays.release * Double(after.releaseDelay - before.releaseDelay)
        tallies[place % Self.parts].add(
          Tally(
            better: before.comesThrough && !after.comesThrough ? 1 : 0,
            worse: after.comesThrough && !before.comesThrough ? 1 : 0, delay: delay / 1000,
            strokes: 1, lostStrokes: Self.lost(stroke, trial.onWornKeys, than: playedInForce)))
      }
      // A doubtful stroke of a worn key is a fault rather than two strokes. A candidate must not let more of them through.
      for (place, stroke) in doubtful[key, default: []].enumerated()
      where trial.onWornKeys[stroke].presses > playedInForce[stroke].presses {
        tallies[place % Self.parts].worse += 1
      }
    }
    return tallies
  }

  /// 1 if a stroke is lost that was not before, -1 if it is no longer lost, and 0 otherwise.
  private static func lost(_ stroke: Int, _ fates: [Fate], than before: [Fate]) -> Double {
    (fates[stroke].isLost ? 1 : 0) - (before[stroke].isLost ? 1 : 0)
  }
}

// MARK: - Choosing

extension Choice {
  /// The candidate that is best for some keys.
  private struct Pick {
    let keys: [KeyCode]
    let trial: Trial
    /// The parts that judge it: for each of them, the nine others choose it, too.
    let judged: [Int]
    let tallies: [Tally]

    var wholeTally: Tally { tallies.sum() }
    var judgedTally: Tally { judged.map { tallies[$0] }.sum() }

    var isSure: Bool { judgedTally.gain > 0 && judgedTally.confidence() >= Choice.confidence }
  }

  /// - Returns: `nil` if the settings in force are best.
  private func pick(for keys: [KeyCode], among trials: [Trial]) -> Pick? {
    let tallies = trials.map { effects($0, of: keys) }
    func best(without part: Int? = nil) -> Int? {
      let sums = tallies.map { parts in
        parts.indices.filter { $0 != part }.map { parts[$0] }.sum()
      }
      return sums.indices.filter { sums[$0].gain > 0 && !sums[$0].losesTooMuch }
        .max { sums[$0].gain < sums[$1].gain }
    }
    guard let chosen = best() else { return nil }
    return Pick(
      keys: keys, trial: trials[chosen],
      judged: (0..<Self.parts).filter { best(without: $0) == chosen }, tallies: tallies[chosen])
  }

  private mutating func choose(among trials: [Trial], for keys: [KeyCode]) {
    // Keys that do well already would hide what a candidate does for the others.
    let unwell = keys.filter { worn.contains($0) && through($0).upperBound > Self.well }
    for key in keys {
      let strategy = inForce.rules.strategy(of: key)
      let pool = unwell.filter { inForce.rules.strategy(of: $0) == strategy }
      var picks = [
        pick(for: [key], among: worn.contains(key) ? trials : trials.filter { $0.candidate == nil })
      ]
      if pool.count > 1, pool.contains(key) { picks.append(pick(for: pool, among: trials)) }
      let sure = picks.compactMap(\.self).filter(\.isSure)
      let best = sure.max { gain($0, of: key) < gain($1, of: key) }
      if let best {
        lines[key] = line(best, of: key)
      } else if unwell.contains(key), through(key).faults > 0 {
        missing[key] = picks.compactMap { $0.flatMap(strokesMissing) }.min()
      }
    }
  }

  /// How much better a pick is for a key, by those of the key's strokes that did not take part in choosing it.
  private func gain(_ pick: Pick, of key: KeyCode) -> Double {
    let tallies = effects(pick.trial, of: [key])
    return pick.judged.map { tallies[$0] }.sum().gain
  }

  /// How many more strokes of each key, like these, would make it certain that a candidate is better; `nil` if fifty times as many
  /// as there are would not.
  private func strokesMissing(_ pick: Pick) -> Int? {
    let wholeTally = pick.wholeTally
    return (2...50).first { wholeTally.confidence(times: Double($0)) >= Self.confidence }.map {
      ($0 - 1) * wholeTally.strokes / pick.keys.count
    }
  }

  private func line(_ pick: Pick, of key: KeyCode) -> KeyLine? {
    let chosen = pick.trial
    let own = strokes[key, default: []]
    // A new line must not let more faults through, however many presses it spares. Deleting a line may.
    guard
      chosen.candidate == nil || through(own, chosen.onWornKeys).faults <= through(key).faults
    else { return nil }
    let judged = pick.keys.flatMap { key in
      strokes[key, default: []].enumerated()
        .filter { pick.judged.contains($0.offset % Self.parts) }.map(\.element)
    }
    func mean(_ delay: (Fate) -> Microseconds) -> Double {
      let sum = own.reduce(0) { $0 + delay(chosen.onWornKeys[$1]) - delay(playedInForce[$1]) }
      return Double(sum) / 1000 / Double(max(1, own.count))
    }
    func lost(_ strokes: [Int]) -> FaultRate {
      FaultRate(
        faults: strokes.count { chosen.onAllKeys[$0].isLost && !playedInForce[$0].isLost },
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
      before: through(judged, playedInForce), after: through(judged, chosen.onWornKeys),
      lostPresses: lost(strokes.values.flatMap(\.self)), lostDoubles: lost(doubles),
      pressDelay: mean(\.pressDelay), releaseDelay: mean(\.releaseDelay),
      confidence: pick.judgedTally.confidence(), isPooled: pick.keys.count > 1)
  }
}

extension [Choice.Tally] {
  fileprivate func sum() -> Choice.Tally { reduce(into: .init()) { $0.add($1) } }
}

/// A setting that a line about a key may give, for the engine and as text.
package struct Candidate: Equatable, Sendable {
  package let strategy: Strategy
  /// The right side of the line, as `25` or `{ strategy = "eager-defer", threshold = 25 }`; `nil` if there is to be none.
  package let text: String?

  /// The candidate that stands for no line, with the strategy that holds then.
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
    let name = kind == outer.kind ? [] : ["strategy = \"\(kind.rawValue)\""]
    let entries =
      name + ["threshold = \(threshold)"] + parameters.map { "\($0.key) = \($0.value)" }
    text = entries.count == 1 ? "\(threshold)" : "{ \(entries.joined(separator: ", ")) }"
  }

  /// All candidates, from those that a person feels least to those that a person feels most.
  static func all(beside outer: Strategy) -> [Candidate] {
    func line(
      _ kind: StrategyKind, _ threshold: Int, _ parameters: KeyValuePairs<String, Int> = [:]
    ) -> Candidate {
      Candidate(kind, threshold, parameters, beside: outer)
    }
    return [15, 20, 25, 30, 40, 60, 100].map { line(.adaptive, $0) }
      // Releases need not wait against late blips.
      + [60, 80, 110].map { line(.adaptive, 25, ["dropout": 0, "suspect": $0]) }
      + [(20, 80), (25, 80), (25, 110), (30, 60)].map { line(.adaptive, $0.0, ["suspect": $0.1]) }
      + [40, 50, 60].map { line(.prompt, $0) } + [15, 25, 40, 60].map { line(.eagerDefer, $0) }
  }
}

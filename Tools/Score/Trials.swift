import Debounce
import Foundation
import Randomness
import TypingModel

/// A class of what hands, machines and worn switches do: a row of the last table. Each is tried on keyboards that are asked
/// every millisecond and every eight.
struct Trial: Sendable {
  var name: String
  /// What the settings say of every key, where they say something. Other rules are told the same number, or `suspect`.
  var named: Adaptive?
  /// How many sessions there are, each on a fresh device.
  var sessions: Int
  var session: @Sendable (Link, UInt64) -> Session

  init(
    _ name: String, named: Adaptive? = nil, sessions: Int,
    _ session: @escaping @Sendable (Link, UInt64) -> Session
  ) {
    self.name = name
    self.named = named
    self.sessions = sessions
    self.session = session
  }

  /// Of a person who types 3000 presses.
  private static func typing(
    _ name: String, named: Adaptive? = nil, presses: Int = 3000, sessions: Int = 16,
    _ wear: Wear
  ) -> Trial {
    Trial(name, named: named, sessions: sessions) {
      Session(presses: presses, wear: wear, link: $0, seed: $1)
    }
  }

  private static func bursts(
    _ name: String, named: Adaptive? = nil, sessions: Int, wear: Wear = .none,
    isWorn: @escaping @Sendable (Int) -> Bool = { _ in true }, _ bursts: some Bursts
  ) -> Trial {
    Trial(name, named: named, sessions: sessions) {
      bursts.session(wear: wear, link: $0, seed: $1, isWorn: isWorn)
    }
  }
}

extension Adaptive {
  /// A number of milliseconds in `[keys]`.
  fileprivate static func threshold(_ threshold: Int) -> Adaptive {
    Adaptive(threshold: Microseconds(threshold) * 1000, isNamed: true)
  }
}

// MARK: - What wears

extension Wear {
  /// That of switches that are worn far: so many of them, in so many presses.
  fileprivate static func far(
    _ keys: Double = 1, _ rate: Double = 0.3, bounces: ClosedRange<Int> = 1...1,
    contact: ClosedRange<Double> = 1...6, gap: ClosedRange<Double>, only kind: Chatter? = nil,
    margin: Double = 32, crackles: Bool = false
  ) -> Wear {
    var wear = Wear()
    wear.faultyKeys = keys
    wear.rate = rate
    wear.bounces = bounces
    wear.firstHold = contact
    wear.secondHold = contact
    wear.gap = gap
    if let kind { wear.shares = [kind: 1] }
    wear.dropOutMargin = margin
    wear.crackles = crackles
    return wear
  }

  /// Six ways in which a contact crackles: how long it is closed, and open.
  fileprivate static let crackling: [Wear] = [
    (2.0...8.0, 0.5...2.0), (1.0...8.0, 0.5...4.0), (2.0...20.0, 1.0...10.0),
    (5.0...30.0, 1.0...5.0),
    (20.0...80.0, 1.0...10.0), (50.0...200.0, 1.0...14.0),
  ].map { far(1, 0.5, contact: $0, gap: $1, crackles: true) }
}

extension Trial {
  /// Switches that are worn far, under a typist's hands.
  static let typing: [Trial] = [
    typing(
      "15 % of keys, 30 % of presses, chains of 1-3",
      .far(0.15, bounces: 1...3, contact: 1...8, gap: 1...12)),
    typing("all keys, 30 %, chains of 1-3", .far(bounces: 1...3, contact: 1...8, gap: 1...12)),
    typing(
      "all keys, 60 %, chains of 2-8, 0.5-6 ms",
      .far(1, 0.6, bounces: 2...8, contact: 0.5...6, gap: 0.5...6)),
    typing(
      "15 % of keys, 30 %, chains of 4-10, 0.3-4 ms",
      .far(0.15, bounces: 4...10, contact: 0.3...4, gap: 0.3...4)),
    typing("crackling, 0.5-3 ms", .far(0.15, contact: 0.5...3, gap: 0.5...3, crackles: true)),
    typing("crackling, 1-8 ms", .far(0.15, contact: 1...8, gap: 1...8, crackles: true)),
    typing("crackling, 2-20 and 1-10 ms", .far(0.15, contact: 2...20, gap: 1...10, crackles: true)),
    typing("gaps of 20-45 ms", .far(0.15, gap: 20...45)),
    typing(
      "late blips, gaps of 40-80 ms",
      .far(0.15, contact: 2...12, gap: 40...80, only: .releaseBounce)),
    typing("drop-outs alone, 2-30 ms", .far(0.15, gap: 2...30, only: .dropOut)),
    typing(
      "a key's first drop-outs, 2-24 ms", presses: 400, sessions: 120,
      .far(1, 0.05, gap: 2...24, only: .dropOut)),
    typing(
      "a key's first drop-outs, named 25", named: .threshold(25), presses: 400, sessions: 120,
      .far(1, 0.05, gap: 2...24, only: .dropOut)),
  ]

  /// Keys that are held for 0.3 to 2 s.
  static let holds: [Trial] = {
    var held = Series(holds: [300.0...2000.0])
    held.keys = [Keys.game[0]]
    held.rest = 60.0...600.0
    held.rows = 300
    func dropOuts(
      _ name: String, named: Adaptive? = nil, margin: Double = 160, _ gap: ClosedRange<Double>
    ) -> Trial {
      bursts(
        name, named: named, sessions: 8,
        wear: .far(1, 0.5, gap: gap, only: .dropOut, margin: margin), held)
    }
    held.rows = 120
    let crackling = Trial("holds of 0.3-2 s that crackle, six kinds", sessions: 24) {
      [held] link, seed in
      held.session(wear: Wear.crackling[Int(seed % 6)], link: link, seed: seed)
    }
    held.rows = 300
    var again = Series(holds: [60.0...110.0, 60.0...400.0])
    again.gap = 25.0...50.0
    again.row = 2...2
    again.rest = 300.0...900.0
    again.rows = 200
    return [
      crackling,
      dropOuts("drop-outs late in long holds, 2-14 ms", 2...14),
      dropOuts("drop-outs late in long holds, 2-24 ms", 2...24),
      dropOuts("drop-outs late in long holds, 15-24 ms", 15...24),
      dropOuts("drop-outs after 300 ms of a hold, 15-24 ms", margin: 310, 15...24),
      dropOuts("drop-outs late in long holds, 15-24, named 25", named: .threshold(25), 15...24),
      bursts(
        "a press that crackles 25-50 ms after a stroke", sessions: 10,
        wear: .far(1, 1, contact: 0.5...3, gap: 0.5...3, crackles: true), isWorn: { $0 % 2 == 1 },
        again),
    ]
  }()

  // MARK: - What games do

  private static func taps(_ rate: Double, _ hold: ClosedRange<Double>, fingers: Int = 1)
    -> FastTaps
  {
    var taps = FastTaps()
    taps.rate = rate - 0.5...rate + 0.5
    taps.hold = hold
    taps.length = 300...300
    taps.fingers = fingers...fingers
    return taps
  }

  /// Healthy keys in games.
  static let games: [Trial] = {
    var contactless = Series.rapidTrigger
    contactless.holds = [60.0...240.0]
    var dashes = Series(holds: [35.0...60.0, 200.0...800.0])
    dashes.gap = 30.0...70.0
    dashes.row = 2...2
    dashes.rest = 100.0...800.0
    dashes.rows = 100
    return [
      bursts("without contacts, holds of 60-240, gaps of 5-40 ms", sessions: 200, contactless),
      bursts("taps, 13 a second", sessions: 40, taps(13, 25...50)),
      bursts("taps, 16 a second", sessions: 40, taps(16, 25...45)),
      bursts("dashes: a tap and a hold", sessions: 40, dashes),
      bursts(
        "two keys in turn, 13 a second each, overlapping", sessions: 40,
        taps(13, 42...55, fingers: 2)),
    ]
  }()

  /// Worn keys in games.
  static let wornGames: [Trial] = {
    let wear = Wear.far(1, 0.3, bounces: 1...2, contact: 1...5, gap: 1...6, margin: 8)
    let dropOuts = Wear.far(
      1, 0.3, bounces: 1...3, contact: 2...30, gap: 1...14, only: .dropOut)
    var wasd = Series(holds: [300.0...2000.0])
    wasd.keys = Array(Keys.game.prefix(4))
    wasd.rest = -200.0...200.0
    wasd.rows = 200
    // On keys that have been typed on before.
    func inTurn(
      _ keys: Int, _ rate: Double, _ hold: ClosedRange<Double> = 28...48, _ suffix: String = ""
    ) -> Trial {
      Trial(
        "worn, \(keys == 2 ? "two" : "three") keys in turn, \(Int(rate)) a second each\(suffix)",
        sessions: 16
      ) { link, seed in
        var used = UsedKeys(taps: taps(rate, hold, fingers: keys))
        used.taps.keys = Array(Keys.game.prefix(4))
        return used.session(wear: wear, link: link, uncounted: used.typed, seed: seed)
      }
    }
    return [
      bursts("WASD held, drop-outs of 1-14 ms", sessions: 10, wear: dropOuts, wasd),
      bursts("WASD held, named 25", named: .threshold(25), sessions: 10, wear: dropOuts, wasd),
      bursts("worn, taps, 6 a second", sessions: 16, wear: wear, taps(6, 55...100)),
      bursts("worn, taps, 8 a second", sessions: 16, wear: wear, taps(8, 28...48)),
      bursts("worn, taps, 10 a second", sessions: 16, wear: wear, taps(10, 35...60)),
      bursts("worn, taps, 11 a second", sessions: 16, wear: wear, taps(11, 28...48)),
      bursts("worn, taps, 13 a second", sessions: 16, wear: wear, taps(13, 28...48)),
      bursts("worn, taps, 16 a second", sessions: 16, wear: wear, taps(16, 26...40)),
      inTurn(2, 6), inTurn(2, 8), inTurn(2, 10), inTurn(2, 13), inTurn(2, 16), inTurn(3, 6),
      inTurn(3, 8), inTurn(3, 10), inTurn(3, 13), inTurn(3, 16),
      inTurn(2, 8, 20...36, ", held for 20-36"),
    ]
  }()

  // MARK: - What machines do

  /// Scanners with a delay between characters, and knobs.
  static let machines: [Trial] = {
    func scanner(_ name: String, _ hold: ClosedRange<Double>, _ gap: ClosedRange<Double>) -> Trial {
      Trial(name, sessions: 300) { link, seed in
        var scanner = MachineTyping(poll: link.poll)
        scanner.hold = hold
        scanner.gap = gap
        return scanner.session(link: link, seed: seed)
      }
    }
    var knob = Series(holds: [8.0...12.0])
    knob.keys = [105, 106]
    knob.gap = 20.0...60.0
    knob.row = 8...12
    knob.rest = 150.0...400.0
    knob.rows = 30
    return [
      scanner("a scanner, 20-40 ms a character", 3...12, 17...28),
      scanner("a scanner, 42-54 ms a character", 4...8, 38...46),
      scanner("a scanner, 55-80 ms a character", 4...20, 51...60),
      bursts("a knob on arrow keys, 30-70 ms a step", sessions: 20, knob),
    ]
  }()

  // MARK: - What is known of a key

  /// A key that was spoilt by one stroke, and keys that the settings name.
  static let known: [Trial] = {
    var doubles = Series(holds: [65.0...90.0])
    doubles.keys = [Keys.game[0]]
    doubles.gap = 16.0...24.0
    doubles.row = 2...2
    doubles.rest = 250.0...600.0
    doubles.rows = 300
    func named(_ threshold: Int) -> Trial {
      typing(
        "named \(threshold): 15 % of keys, 30 %, gaps up to \(threshold) ms",
        named: .threshold(threshold),
        .far(0.15, bounces: 1...3, contact: 1...8, gap: 1...Double(threshold)))
    }
    var clicks = FastTaps()
    clicks.rate = 6...12
    clicks.hold = 30...50
    clicks.keys = [272]
    clicks.fingers = 1...1
    clicks.length = 150...150
    return [
      bursts(
        "a key spoilt by one stroke, 600 in fast doubles", sessions: 12,
        wear: .far(1, 1, contact: 4...6, gap: 4...6, only: .pressBounce), isWorn: { $0 == 0 },
        doubles),
      named(15), named(25), named(40), named(60),
      bursts(
        "named 40: taps, 12 a second, held for 35 %", named: .threshold(40), sessions: 10,
        taps(12, 27...31)
      ),
      bursts(
        "named 40: taps, 12 a second, held for 50 %", named: .threshold(40), sessions: 10,
        taps(12, 39...44)
      ),
      bursts(
        "named 60: taps, 12 a second, held for 50 %", named: .threshold(60), sessions: 10,
        taps(12, 39...44)
      ),
      bursts(
        "named 25, suspect 80: 6-12 clicks a second, late blips",
        named: Adaptive(threshold: 25_000, suspect: 80_000, isNamed: true), sessions: 24,
        wear: .far(1, 0.3, contact: 2...25, gap: 5...80, only: .releaseBounce), clicks),
    ]
  }()

  static let all = typing + holds + wornGames + games + machines + known
}

/// Taps of keys that have been typed on before.
private struct UsedKeys: Bursts {
  var taps: FastTaps
  /// How many strokes are typed first.
  let typed = 120

  func burst(_ random: inout SeededRandom) -> [Stroke] {
    var typing = Series(holds: [60.0...110.0])
    typing.keys = taps.keys
    typing.rest = 60.0...200.0
    typing.rows = typed
    let strokes = typing.burst(&random)
    let end = (strokes.last?.release ?? 0) + 1_000_000
    return strokes + taps.burst(&random).map { $0.moved(by: end) }
  }
}

// MARK: - The judge

/// What became of a trial at one poll, for each of those that are compared.
struct TrialResult: Sendable {
  /// What one of them lets through, and what it loses.
  struct Figure: Sendable {
    /// Faults that made an extra press.
    var through: Proportion
    /// Genuine presses that were not emitted.
    var lost: Proportion

    /// Whether this is no worse in either, and in one better than chance.
    func beats(_ other: Figure) -> Bool {
      func isClearly(_ one: Proportion, below other: Proportion) -> Bool {
        one.interval.upperBound < other.interval.lowerBound
      }
      return through.share <= other.through.share && lost.share <= other.lost.share
        && (isClearly(through, below: other.through) || isClearly(lost, below: other.lost))
    }
  }

  var name: String
  var poll: Microseconds
  /// The default first.
  var figures: [Figure]

  /// Who beats the default.
  var beating: [Int] { figures.indices.filter { figures[$0].beats(figures[0]) } }
}

extension Trial {
  static let titles = ["adaptive", "eager-defer", "prompt", "libinput"]

  /// Those that are compared, by their titles. A trial's number is the threshold of each.
  var contenders: [Contender] {
    let threshold = named.map { $0.suspect ?? $0.threshold } ?? 25_000
    let rules: [Contender.Rule] = [
      named.map(Contender.Rule.named) ?? .strategy(Rules().strategy),
      .strategy(.eagerDefer(EagerDefer(threshold: threshold))),
      .strategy(.prompt(Prompt(threshold: threshold))),
      .libinput(threshold),
    ]
    return zip(Self.titles, rules).map { Contender(family: $0, parameters: "", rule: $1) }
  }

  /// What became of it at this poll, for each of them.
  func figures(
    of contenders: [Contender], poll: Microseconds, seed: UInt64, workers: Int
  ) async -> [TrialResult.Figure] {
    let input = Input(sessions: sessions) { [session(Link(poll: poll), $1)] }
    return await input.run(contenders, seed: seed, workers: workers)
      .map { TrialResult.Figure(through: $0.tally.allMissed, lost: $0.tally.lost) }
  }

  /// Tries all that are compared, at polls of 1 and of 8 ms.
  func run(seed: UInt64, workers: Int) async -> [TrialResult] {
    var results: [TrialResult] = []
    for poll in [1000, 8000] as [Microseconds] {
      results.append(
        TrialResult(
          name: name, poll: poll,
          figures: await figures(of: contenders, poll: poll, seed: seed, workers: workers)))
    }
    return results
  }
}

/// The trials as an aligned table.
struct TrialTable {
  var results: [TrialResult]

  var text: String {
    let titles = Trial.titles.map { String(repeating: " ", count: 13 - $0.count) + $0 + " " }
    let rows = results.map { result in
      [result.name, "\(result.poll / 1000)"]
        + result.figures.enumerated().map { number, figure in
          Self.cell(figure) + (result.beating.contains(number) ? "!" : " ")
        }
    }
    return (aligned([["through % · lost /1000", "ms"] + titles] + rows, left: 1) + Self.legend)
      .joined(separator: "\n")
  }

  private static let legend = [
    "",
    "through: faults that made an extra press. lost: genuine presses that were not emitted. ms: the poll. All",
    "have a threshold of 25 ms, or that which is named. !: beats adaptive: no worse in either, and in one of the",
    "two better by more than chance (Wilson's intervals of 95 % do not touch).",
  ]

  static func cell(_ figure: TrialResult.Figure) -> String {
    func number(_ value: Double) -> String { String(format: value < 9.95 ? "%.1f" : "%.0f", value) }
    let through = figure.through.whole == 0 ? "–" : number(figure.through.share * 100)
    return through + " · " + number(figure.lost.share * 1000)
  }
}

import Debounce
import Foundation
import TypingModel

/// A figure that the contenders are compared by beyond the main table: a row of the second one.
struct Question: Sendable {
  enum Figure: Sendable {
    /// So many of so many, told by the hundred or by the thousand.
    case share(Proportion, of: Int)
    /// Milliseconds.
    case mean(Double)

    var value: Double {
      switch self {
      case .share(let proportion, let whole): proportion.share * Double(whole)
      case .mean(let mean): mean
      }
    }
  }

  /// What is typed, in a few words.
  var input: String
  /// What is measured of it.
  var measure: String
  /// The figure of each contender.
  var figures: [Figure]

  init(
    _ input: String, _ measure: String, _ accounts: [Account], _ figure: (Account) -> Figure
  ) {
    self.input = input
    self.measure = measure
    figures = accounts.map(figure)
  }
}

extension Question {
  /// Asks everything of these contenders.
  ///
  /// - Parameter results: What they have shown at typing.
  static func all(
    _ results: [Result], of experiment: Experiment, workers: Int
  ) async -> [Question] {
    let contenders = results.map(\.contender)
    func accounts(_ input: Input) async -> [Account] {
      await input.run(contenders, seed: experiment.seed, workers: workers)
    }

    let clean = results.map { Account(tally: $0.clean) }
    let worn = results.map { Account(tally: $0.worn) }
    var questions = [
      Question("typing, clean keyboards", "press", clean, press),
      Question("typing, clean keyboards", "release", clean, release),
      Question("typing, healthy keys beside bad ones", "press", worn, press),
      Question("typing, healthy keys beside bad ones", "release", worn, release),
      Question("typing, 60 ms or more after the key's press", "lost", worn) {
        .share($0.tally.lostSlow, of: 1000)
      },
      Question("typing, sooner after the key's press", "lost", worn) {
        .share($0.tally.lostFast, of: 1000)
      },
      Question(
        "typing, 700 presses on a fresh device", "missed", await accounts(.oneSession(experiment))
      ) { .share($0.tally.allMissed, of: 100) },
    ]
    questions += await keptLearning(by: contenders, of: experiment, workers: workers)

    let tapsAndTyping = await accounts(.tapsWorn(countsTyping: true))
    let taps = await accounts(.tapsWorn(countsTyping: false))
    questions += [
      Question("fast taps, fresh device", "lost", await accounts(.tapsFresh), lost),
      Question("fast taps, in use", "lost", await accounts(.tapsUsed), lost),
      Question("fast taps and typing, bad keys", "lost", tapsAndTyping, lostOfFaulty),
      Question("of these, fast taps", "lost", taps, lostOfFaulty),
    ]

    let machine = await accounts(.machineFresh)
    let oneKey = await accounts(.machineOneKey)
    let pair = await accounts(.machinePair)
    questions += [
      Question("machine typing, fresh device", "lost", machine, lost),
      Question("machine typing, fresh device", "bursts spoiled", machine, spoiled),
      Question("machine typing, in use", "lost", await accounts(.machineUsed), lost),
      Question("machine typing, one key 3 to 8 times", "bursts spoiled", oneKey, spoiled),
      Question("machine typing, one key twice", "bursts spoiled", pair, spoiled),
    ]

    let rapidTrigger = await accounts(.rapidTrigger)
    questions += [
      Question(
        "crossed strokes, fresh device", "misplaced", await accounts(.crossedFresh), misplaced),
      Question("crossed strokes, in use", "misplaced", await accounts(.crossedUsed), misplaced),
      Question("rapid trigger, from the 31st press", "press", rapidTrigger, press),
      Question("rapid trigger, from the 31st press", "lost", rapidTrigger, lost),
    ]
    return questions
  }

  private static func press(_ account: Account) -> Figure {
    .mean(account.tally.pressLatency.mean)
  }

  private static func release(_ account: Account) -> Figure {
    .mean(account.tally.releaseLatency.mean)
  }

  private static func lost(_ account: Account) -> Figure {
    .share(account.tally.lost, of: 1000)
  }

  private static func lostOfFaulty(_ account: Account) -> Figure {
    .share(account.tally.lostOfFaulty, of: 100)
  }

  private static func spoiled(_ account: Account) -> Figure {
    .share(account.spoiled, of: 100)
  }

  private static func misplaced(_ account: Account) -> Figure {
    .share(account.tally.misplaced, of: 1000)
  }
}

/// The engine as the daemon has it over many days: started anew for each session, with what the one before had learned.
final class RestartedEngine: Filter {
  private let strategy: Strategy
  private var filter: EngineFilter

  init(_ strategy: Strategy) {
    self.strategy = strategy
    filter = EngineFilter(strategy)
  }

  func take(_ edge: RawEdge, into clean: inout [CleanEdge]) {
    filter.take(edge, into: &clean)
  }

  func finish(into clean: inout [CleanEdge]) {
    filter.finish(into: &clean)
    filter = EngineFilter(strategy, filter.habits)
  }
}

extension Contender {
  /// What becomes of sessions that follow each other on one keyboard, with what was learned kept between them. Who learns
  /// nothing begins anew with each.
  ///
  /// - Parameter learned: How many sessions come first, from which is learned and of which nothing is counted.
  func tally(following sessions: [Session], after learned: Int = 0) -> Tally {
    var tally = Tally()
    if case .strategy(let strategy) = rule {
      let engine = RestartedEngine(strategy)
      for (number, session) in sessions.enumerated() {
        let result = Ledger.tally(session, engine)
        if number >= learned { tally.add(result) }
      }
    } else {
      for session in sessions.dropFirst(learned) { tally.add(self.tally(session)) }
    }
    return tally
  }
}

extension Question {
  /// Asks what is missed by an engine that is started anew for every 700 presses, if what it learned is kept: from the
  /// first press on a new keyboard, and on one that has been in use for as long before.
  static func keptLearning(
    by contenders: [Contender], of experiment: Experiment, workers: Int
  ) async -> [Question] {
    let new = await accounts(by: contenders, of: experiment, workers: workers) {
      ($0.session(of: $1), 0)
    }
    let used = await accounts(by: contenders, of: experiment, workers: workers) {
      var longer = $0
      longer.presses *= 2
      return (longer.session(of: $1), $0.presses)
    }
    func missed(_ account: Account) -> Figure { .share(account.tally.allMissed, of: 100) }
    func lost(_ account: Account) -> Figure { .share(account.tally.lost, of: 1000) }
    return [
      Question("the same, learning kept", "missed", new, missed),
      Question("the same, learning kept", "lost", new, lost),
      Question("the same, in use, learning kept", "missed", used, missed),
      Question("the same, in use, learning kept", "lost", used, lost),
    ]
  }

  /// Has contenders judge what each person types, in pieces of 700 presses.
  ///
  /// - Parameter typed: What the person types, and after how many presses counting begins.
  private static func accounts(
    by contenders: [Contender], of experiment: Experiment, workers: Int,
    _ typed: @escaping @Sendable (Experiment, Int) -> (Session, uncounted: Int)
  ) async -> [Account] {
    let none = contenders.map { _ in Account() }
    return await sums(of: experiment.people, startingAt: none, workers: workers) {
      person, accounts in
      let (session, uncounted) = typed(experiment, person)
      let pieces = session.pieces(ofPresses: 700)
      for (number, contender) in contenders.enumerated() {
        accounts[number].tally.add(contender.tally(following: pieces, after: uncounted / 700))
      }
    }
  }
}

// MARK: - What is shown of them

/// The questions as an aligned table.
struct QuestionTable {
  private let contenders: [Contender]
  private let questions: [Question]

  init(_ questions: [Question], of contenders: [Contender]) {
    self.questions = questions
    self.contenders = contenders
  }

  var text: String {
    let titles =
      ["", ""] + contenders.map { "\($0.family) \($0.parameters)" } + ["of", "95 %"]
    let lines = aligned([titles] + questions.map(cells), left: 2)
    let rule = String(repeating: "-", count: lines[0].count)
    return ([lines[0], rule] + lines.dropFirst() + [""] + Self.legend).joined(separator: "\n")
  }

  private func cells(_ question: Question) -> [String] {
    let own = contenders.firstIndex(where: \.isDefault) ?? contenders.count - 1
    var scope = ["", ""]
    var unit = "ms"
    if case .share(let proportion, let whole) = question.figures[own] {
      let interval = proportion.interval
      scope = [
        "\(proportion.whole)",
        number(interval.lowerBound * Double(whole)) + "–"
          + number(interval.upperBound * Double(whole)),
      ]
      unit = whole == 100 ? "%" : "/\(whole)"
    }
    return [question.input, "\(question.measure) \(unit)"]
      + question.figures.map { number($0.value) } + scope
  }

  private func number(_ value: Double) -> String {
    String(format: value < 10 ? "%.3f" : "%.1f", value)
  }

  private static let legend = [
    "fast taps: one or two keys, 8 to 16 a second each, held for 25 to 50 ms. machine typing: holds and",
    "gaps of 1 to 30 ms each, ± 2 ms, polled every 1 or 8 ms, 2 to 40 strokes, some doubled or tripled,",
    "with and without Shift and Enter. spoiled: a press lost, doubled or out of order. crossed strokes: a",
    "key pressed again within 50 ms, and another one, or the release of Shift, within 30 ms of that.",
    "misplaced: presses emitted after later ones, or with another modifier. rapid trigger: gaps of 5 to",
    "40 ms after long holds. of, 95 %: presses or bursts of the default, and its interval (Wilson), as if",
    "all of them were independent of each other.",
  ]
}

extension Question {
  /// In which unit a picture has it.
  var unit: String {
    if case .mean = figures.first { "ms" } else { "%" }
  }
}

extension Question.Figure {
  /// Percent, or milliseconds.
  var inUnits: Double {
    switch self {
    case .share(let proportion, _): proportion.share * 100
    case .mean(let mean): mean
    }
  }
}

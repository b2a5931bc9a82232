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

    let tapsAndTyping = await accounts(.tapsWorn(experiment.wear, countsTyping: true))
    let taps = await accounts(.tapsWorn(experiment.wear, countsTyping: false))
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

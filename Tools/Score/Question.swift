import TypingModel

/// A figure that the contenders are compared by beyond the main table: a row of the second one.
struct Question: Sendable {
  /// What is measured.
  enum Figure: Sendable {
    /// So many of so many, and what one of them counts: 100 for percent.
    case share(Proportion, scale: Double)
    /// Milliseconds.
    case mean(Double)

    var value: Double {
      switch self {
      case .share(let proportion, let scale): proportion.share * scale
      case .mean(let mean): mean
      }
    }
  }

  /// The input, in a few words.
  var input: String
  /// What of it, with the unit.
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
    let tapsWorn = await accounts(.tapsWorn(experiment.wear, countsTyping: true))
    let tapsAlone = await accounts(.tapsWorn(experiment.wear, countsTyping: false))
    let machineFresh = await accounts(.machineFresh)
    let machineUsed = await accounts(.machineUsed)
    let rapidTrigger = await accounts(.rapidTrigger)
    return [
      Question("typing, clean keyboards", "press ms", clean) { .mean($0.tally.pressLatency.mean) },
      Question("", "release ms", clean) { .mean($0.tally.releaseLatency.mean) },
      Question("typing, healthy keys beside bad ones", "press ms", worn) {
        .mean($0.tally.pressLatency.mean)
      },
      Question("", "release ms", worn) { .mean($0.tally.releaseLatency.mean) },
      Question("typing, worn: 60 ms or more after the key's last press", "lost /1000", worn) {
        .share($0.tally.lostSlow, scale: 1000)
      },
      Question("… sooner", "lost /1000", worn) { .share($0.tally.lostFast, scale: 1000) },
      Question(
        "typing, worn, 700 presses on a fresh device", "missed %",
        await accounts(.oneSession(experiment))
      ) { .share($0.tally.allMissed, scale: 100) },
      Question("fast taps, fresh device", "lost /1000", await accounts(.tapsFresh), lost),
      Question("fast taps, in use", "lost /1000", await accounts(.tapsUsed), lost),
      Question("fast taps between typing, bad keys", "all lost %", tapsWorn) {
        .share($0.tally.lostOfFaulty, scale: 100)
      },
      Question("", "taps lost %", tapsAlone) { .share($0.tally.lostOfFaulty, scale: 100) },
      Question("machine typing, fresh device", "lost /1000", machineFresh, lost),
      Question("", "bursts spoiled %", machineFresh, spoiled),
      Question("machine typing, in use", "lost /1000", machineUsed, lost),
      Question(
        "… three to eight strokes of one key", "bursts spoiled %",
        await accounts(.machineOneKey), spoiled),
      Question(
        "… two strokes of one key", "bursts spoiled %", await accounts(.machinePair), spoiled),
      Question(
        "crossed strokes, fresh device", "misplaced /1000",
        await accounts(.crossedFresh), misplaced),
      Question(
        "crossed strokes, in use", "misplaced /1000",
        await accounts(.crossedUsed), misplaced),
      Question("rapid trigger, from the 31st press", "press ms", rapidTrigger) {
        .mean($0.tally.pressLatency.mean)
      },
      Question("", "lost /1000", rapidTrigger, lost),
    ]
  }

  private static func lost(_ account: Account) -> Figure {
    .share(account.tally.lost, scale: 1000)
  }

  private static func spoiled(_ account: Account) -> Figure {
    .share(account.spoiled, scale: 100)
  }

  private static func misplaced(_ account: Account) -> Figure {
    .share(account.tally.misplaced, scale: 1000)
  }
}

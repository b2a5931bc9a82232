import ArgumentParser
import Debounce
import Foundation
import TypingModel

/// Scores the strategies on a model of human typing.
@main
struct Score: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "score",
    abstract: "Scores every strategy on a model of human typing with labelled chatter.")

  @Option(help: "Where the random numbers begin.")
  var seed: UInt64 = 1

  @Option(help: "How many people type.")
  var people = 120

  @Option(help: "How many presses each of them makes.")
  var presses = 7000

  @Option(help: "The share of keys that are faulty, in percent.")
  var faulty = 15.0

  @Option(help: "The share of a faulty key's presses that chatter, in percent.")
  var rate = 5.0

  @Option(help: "The median gap of chatter, in milliseconds.")
  var gap = 10.0

  @Option(help: "The spread of that gap's logarithm.")
  var spread = 0.6

  @Option(help: "The share of faults that bounce two to four times, in percent.")
  var chains = 5.0

  @Option(help: "The poll interval of every keyboard, in milliseconds. [default: a mixture]")
  var poll: Int?

  @Option(help: "The share of steps that are a run of fast taps as in games, in percent.")
  var taps = 0.0

  @Option(help: "Only the strategies whose name contains this.")
  var only: String?

  @Option(help: "Where the picture is written to.")
  var svg: String?

  @Flag(name: .customLong("trials"), help: "Only the classes of the last table.")
  var onlyTrials = false

  func run() async throws {
    let workers = ProcessInfo.processInfo.activeProcessorCount
    let start = ContinuousClock.now
    var trials: [TrialResult] = []
    for trial in Trial.all { trials += await trial.run(seed: seed, workers: workers) }
    if onlyTrials {
      print(TrialTable(results: trials).text)
      return
    }
    var wear = Wear()
    wear.faultyKeys = faulty / 100
    wear.rate = rate / 100
    wear.chains = chains / 100
    wear.gap = Lognormal(median: gap, spread: spread, in: 1...max(60, 3 * gap))
    var manner = Typing.Manner()
    manner.tapping = taps
    let experiment = Experiment(
      seed: seed, people: people, presses: presses, wear: wear, manner: manner,
      poll: poll.map { Microseconds($0) * 1000 })

    let contenders = Contender.all.filter { only.map($0.family.contains) ?? true }
    let results = await experiment.run(contenders, workers: workers)
    let typical = results.filter { $0.contender.isTypical }
    let questions = await Question.all(typical, of: experiment, workers: workers)
    let seconds = (ContinuousClock.now - start).components.seconds

    print(Table(results, of: experiment).text)
    print()
    print(QuestionTable(questions, of: typical.map(\.contender)).text)
    print()
    print(TrialTable(results: trials).text)
    print("Seed \(seed); \(seconds) s.")
    if let svg {
      try Picture(results, questions, trials, of: experiment).svg.write(
        toFile: svg, atomically: true, encoding: .utf8)
    }
  }
}

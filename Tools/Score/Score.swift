import ArgumentParser
import Foundation

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

  @Option(help: "An existing folder for the tables that gnuplot draws.")
  var tables: String?

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
    let experiment = Experiment(seed: seed, people: people, presses: presses)
    let results = await experiment.run(Contender.all, workers: workers)
    let typical = results.filter { $0.contender.isTypical }
    let questions = await Question.all(typical, of: experiment, workers: workers)
    let seconds = (ContinuousClock.now - start).components.seconds

    print(Table(results, of: experiment).text)
    print()
    print(QuestionTable(questions, of: typical.map(\.contender)).text)
    print()
    print(TrialTable(results: trials).text)
    print("Seed \(seed); \(seconds) s.")
    if let tables {
      try PlotTables(results: results, questions: questions, trials: trials).write(to: tables)
    }
  }
}

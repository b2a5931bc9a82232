import ArgumentParser
import Calibration
import Foundation
import TypingModel

/// Scores the calibration on simulated switches.
@main
struct ScoreCalibration: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "score-calibration",
    abstract: "Scores the diagnoses and proposals of calibrate on simulated switches.")

  @Option(help: "Where the random numbers begin.")
  var seed: UInt64 = 1

  @Option(help: "How many keyboards of each kind are calibrated.")
  var keyboards = 80

  @Option(help: "How many healthy keyboards are.")
  var healthy = 400

  @Option(help: "Only the cases whose name contains this.")
  var only: String?

  @Flag(help: "A few keyboards only: to see that all works.")
  var quick = false

  func run() async throws {
    var experiment = Experiment(
      seed: seed, keyboards: quick ? 1 : keyboards, healthyKeyboards: quick ? 2 : healthy)
    if quick {
      experiment.trial = 200
      experiment.passive = 800
      experiment.counted = 800
      experiment.enoughCounted = 40
      experiment.effort.enoughStrokes = 500
    }
    let workers = ProcessInfo.processInfo.activeProcessorCount
    let start = ContinuousClock.now
    let (guided, passive, counting) = (experiment, experiment, experiment)
    var rows: [(Case, Outcome)] = []
    var passiveRows: [(Case, Outcome)] = []
    var countedRows: [(Case, Outcome)] = []
    func isWanted(_ kind: Case) -> Bool { only.map(kind.name.contains) ?? true }
    let faulty = Case.faulty.enumerated().filter { !quick || $0.offset % 4 == 2 }.map(\.element)
    for kind in Case.healthy + faulty where isWanted(kind) {
      let isHealthy = kind.wear.faultyKeys == 0
      let count = isHealthy ? experiment.healthyKeyboards : experiment.keyboards
      rows.append(
        (
          kind,
          await experiment.run(kind, keyboards: count, workers: workers) { guided.guided($0, $1) }
        )
      )
      let some = isHealthy ? count / 4 : count / 10
      passiveRows.append(
        (
          kind,
          await experiment.run(kind, keyboards: max(1, some), workers: workers) {
            passive.passive($0, $1)
          }
        )
      )
      countedRows.append(
        (
          kind,
          await experiment.run(kind, keyboards: count, workers: workers) {
            counting.counted($0, $1)
          }
        )
      )
    }
    let seconds = (ContinuousClock.now - start).components.seconds
    print(
      Report(
        guided: rows, passive: passiveRows, counted: countedRows,
        enoughCounted: experiment.enoughCounted
      ).text)
    print("Seed \(seed); \(seconds) s.")
  }
}

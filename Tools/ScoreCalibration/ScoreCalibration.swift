import ArgumentParser
import Calibration
import Foundation

@main
struct ScoreCalibration: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "score-calibration",
    abstract:
      "Tells on simulated keyboards whether what calibrate writes is better than writing nothing.",
    discussion: """
      Every keyboard is measured in a guided session and on a recording. What would be written is judged on another \
      recording of the same person at the same switches: which faults come through, in percent, and which presses are lost, \
      in thousandths. Who is told that a setting is undecided records on, three times as much at most.
      """)

  @Option(help: "The seed of all randomness.")
  var seed: UInt64 = 1

  @Option(help: "How many keyboards of each class.")
  var keyboards = 20

  @Option(help: "Only classes whose name contains this.")
  var only: String?

  @Option(help: "How many threads.")
  var workers = ProcessInfo.processInfo.activeProcessorCount

  func run() async throws {
    let start = ContinuousClock.now
    let experiment = Experiment(seed: seed, keyboards: keyboards)
    print(
      "| class | default | guided | recording | eager-defer 25 | answers: guided; recording | lines | wrong | decided |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    var (worse, notHalved) = (0, 0)
    for kind in KeyboardClass.all where only.map(kind.name.contains) ?? true {
      let row = await experiment.run(kind, workers: workers)
      let ways = [row.guided, row.recorded]
      worse += ways.count { $0.score.harm > row.byDefault.harm + 0.001 }
      notHalved += row.isNotHalved ? 1 : 0
      let cells =
        [row.byDefault, row.guided.score, row.recorded.score, row.eagerDefer].map(cell) + [
          ways.map { "\($0.answers.lines) \($0.answers.nothing) \($0.answers.undecided)" }
            .joined(separator: "; "),
          ways.map { "\($0.lines)" }.joined(separator: ", "),
          "\(row.wrong.guided.faults), \(row.wrong.recorded.faults)",
          [row.recorded.decided.byDefault, row.recorded.decided.written].map(cell)
            .joined(separator: " → "),
        ]
      print("| \(kind.name) | \(cells.joined(separator: " | ")) |")
    }
    print(
      """

      Faults that come through, in percent; presses lost, in thousandths.
      Answers: keyboards with lines, with nothing to set, undecided. Wrong: healthy keys that are called worn.
      Decided: with the default and with what was written after a recording, where that is not undecided.
      Worse than the default by more than one in a thousand: \(worse) of these.
      Where a recording has decided, and the default lets more than 3 % through, not halved: \(notHalved) of these.

      """)
    print("| faulty strokes | found, 2 min typing | found, guided | healthy called worn |")
    print("|---|---|---|---|")
    for rate in [0.02, 0.05, 0.1, 0.2] where only == nil {
      let row = await experiment.run(.single(rate), workers: workers)
      print(
        "| \(Int(rate * 100)) % | \(share(row.found.typing)) | \(share(row.found.guided)) | "
          + "\(share(row.wrong.typing)); \(share(row.wrong.guided)) |")
    }
    let seconds = (ContinuousClock.now - start).components.seconds
    print("\nSeed \(seed), \(keyboards) keyboards a class; \(seconds) s.")
    if worse + notHalved > 0 { throw ExitCode.failure }
  }

  private func cell(_ score: Score) -> String {
    let faults = score.through.strokes > 0 ? number(score.through.share * 100) : "–"
    return "\(faults); \(number(score.lost.share * 1000))"
  }

  private func share(_ rate: FaultRate) -> String { "\(rate.faults) of \(rate.strokes)" }

  private func number(_ value: Double) -> String { String(format: "%.1f", value) }
}

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
      Every keyboard is measured in a guided session and on a recording, and what would be written is judged on another \
      recording of the same person at the same switches: which faults come through, in percent, and which presses are lost, \
      in thousandths.
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
    print("| class | default | written, guided | written, recording | eager-defer 25 | lines |")
    print("|---|---|---|---|---|---|")
    var worse = 0
    for kind in KeyboardClass.all where only.map(kind.name.contains) ?? true {
      let row = await experiment.run(kind, workers: workers)
      for written in [row.guided, row.recorded] where written.harm > row.byDefault.harm + 0.001 {
        worse += 1
      }
      let cells = [row.byDefault, row.guided, row.recorded, row.eagerDefer].map(cell)
      print(
        "| \(kind.name) | \(cells.joined(separator: " | ")) | \(row.lines.guided), \(row.lines.recorded) |"
      )
    }
    print("\nFaults that come through, in percent; presses lost, in thousandths.")
    print("Worse than the default by more than one in a thousand: \(worse) of these.\n")
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
    if worse > 0 { throw ExitCode.failure }
  }

  private func cell(_ score: Score) -> String {
    let faults = score.through.strokes > 0 ? number(score.through.share * 100) : "–"
    return "\(faults); \(number(score.lost.share * 1000))"
  }

  private func share(_ rate: FaultRate) -> String { "\(rate.faults) of \(rate.strokes)" }

  private func number(_ value: Double) -> String { String(format: "%.1f", value) }
}

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
      in thousandths. Who is told that more strokes would tell records on.
      """)

  @Option(help: "The seed of all randomness.")
  var seed: UInt64 = 1

  @Option(help: "How many keyboards of each class.")
  var keyboards = 20

  @Option(help: "Only classes whose name contains this.")
  var only: String?

  @Option(help: "How many presses keydebounce has heard before it is judged.")
  var known = 20_000

  @Flag(help: "Print what is found of each keyboard.")
  var each = false

  @Option(help: "How many threads.")
  var workers = ProcessInfo.processInfo.activeProcessorCount

  func run() async throws {
    let start = ContinuousClock.now
    var experiment = Experiment(seed: seed, keyboards: keyboards)
    (experiment.known, experiment.showsEach) = (known, each)
    print(
      "| class | default | guided | guided, and more if asked | recording | eager-defer 25 | answers: guided; recording | presses | lines | wrong |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    var failures: [String] = []
    for kind in KeyboardClass.all where only.map(kind.name.contains) ?? true {
      let row = await experiment.run(kind, workers: workers)
      let ways = [
        ("guided", row.guided), ("guided, and more if asked", row.followed),
        ("recording", row.recorded),
      ]
      for (name, way) in ways {
        if way.isWorse(than: row.byDefault) { failures.append("\(kind.name), \(name): worse") }
        if way.isNotHalved(from: row.byDefault) {
          failures.append("\(kind.name), \(name): not halved")
        }
      }
      let measured = [row.guided, row.recorded]
      let scores = [row.byDefault] + ways.map(\.1.score) + [row.eagerDefer]
      let answers = measured.map {
        "\($0.answers.lines) \($0.answers.nothing) \($0.answers.undecided)"
      }
      let cells: [String] = [
        answers.joined(separator: "; "),
        measured.map { "\($0.presses / keyboards)" }.joined(separator: ", "),
        measured.map { "\($0.lines)" }.joined(separator: ", "),
        "\(row.wrong.guided.faults), \(row.wrong.recorded.faults)",
      ]
      print("| \(kind.name) | \((scores.map(cell) + cells).joined(separator: " | ")) |")
    }
    print(
      """

      Faults that come through, in percent; presses lost, in thousandths.
      Answers: keyboards with lines, with nothing to set, undecided. Wrong: healthy keys that are called worn.
      Presses: how many a keyboard was measured with.

      Worse than the default by more than one press in a thousand, or the default lets more than 3 % of faults through and \
      that is not halved:
      \(failures.isEmpty ? "none" : failures.map { "  \($0)" }.joined(separator: "\n"))

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
    if !failures.isEmpty { throw ExitCode.failure }
  }

  private func cell(_ score: Score) -> String {
    let faults = score.through.strokes > 0 ? number(score.through.share * 100) : "–"
    return "\(faults); \(number(score.lost.share * 1000))"
  }

  private func share(_ rate: FaultRate) -> String { "\(rate.faults) of \(rate.strokes)" }

  private func number(_ value: Double) -> String { String(format: "%.1f", value) }
}

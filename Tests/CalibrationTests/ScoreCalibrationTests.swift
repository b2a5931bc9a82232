import Calibration
import Debounce
import Testing
import TypingModel

@testable import score_calibration

/// The scorer, on a few keyboards, and its baselines.
@Suite("The score of the calibration")
struct ScoreCalibrationTests {
  private var experiment: Experiment {
    var experiment = Experiment(seed: 5, keyboards: 2, healthyKeyboards: 3)
    experiment.trial = 400
    experiment.passive = 2000
    return experiment
  }

  @Test("calls no healthy key bad")
  func healthy() {
    print("score-calibration: seed \(experiment.seed)")
    for index in 0..<experiment.healthyKeyboards {
      let outcome = experiment.guided(Case.healthy[0], index)
      #expect(outcome.calledBad.whole == 32)
      #expect(outcome.calledBad.part == 0)
    }
    #expect(experiment.passive(Case.healthy[0], 0).calledBad.part == 0)
  }

  @Test("finds by counts where a stroke in fifty is faulty, and calls no healthy key bad")
  func counted() throws {
    var experiment = experiment
    experiment.counted = 12_000
    experiment.enoughCounted = 600
    let kind = try #require(Case.faulty.first { $0.name == "A+B+C 2 %" })
    var (bad, healthy) = (Proportion(), Proportion())
    for index in 0..<4 {
      bad.add(experiment.counted(kind, index).calledBad)
      healthy.add(experiment.counted(Case.healthy[0], index).calledBad)
    }
    #expect(bad.whole > 0 && healthy.whole > 0)
    #expect(bad.part == bad.whole)
    #expect(healthy.part == 0)
  }

  @Test("calls bad ones bad, and cures them")
  func bad() throws {
    let kind = try #require(Case.faulty.first { $0.name == "A+B+C 20 %" })
    for index in 0..<experiment.keyboards {
      let outcome = experiment.guided(kind, index)
      #expect(outcome.calledBad.part == outcome.calledBad.whole)
      #expect(outcome.missed.share < 0.2)
    }
  }

  @Test("counts in a trial what came through, what was lost and what was late")
  func trial() {
    var session = Session(strokes: [], edges: [])
    func edge(_ time: Microseconds, _ down: Bool, _ stroke: Int, _ fault: Chatter? = nil) {
      session.edges.append(
        RawEdge(time: time * 1000, key: 18, down: down, stroke: stroke, fault: fault))
    }
    session.strokes = [
      LabelledStroke(
        Stroke(key: 18, press: 0, release: 100_000), fault: .dropOut, isOfFaultyKey: true),
      LabelledStroke(Stroke(key: 18, press: 120_000, release: 200_000)),
    ]
    edge(0, true, 0)
    edge(50, false, 0, .dropOut)
    edge(60, true, 0, .dropOut)
    edge(100, false, 0)
    edge(120, true, 1)
    edge(200, false, 1)
    let none = Trial(.none, on: session)
    #expect([none.presses, none.lost, none.faults, none.missed] == [2, 0, 1, 1])
    #expect(none.releaseLatency == 0)
    let wide = Trial(.eagerDefer(EagerDefer(threshold: 30_000)), on: session)
    #expect([wide.presses, wide.lost, wide.faults, wide.missed] == [2, 1, 1, 0])
    #expect(wide.releaseLatency == 30)
  }

  @Test("splits two clear heaps of gaps with either baseline", arguments: Baseline.allCases)
  func baselines(baseline: Baseline) throws {
    let gaps: [Double] =
      (0..<20).map { 8 + Double($0 % 5) } + (0..<40).map { 65 + Double($0 % 30) }
    let threshold = try #require(baseline.threshold(gaps))
    #expect((12...65).contains(threshold))
    #expect(baseline.threshold([80, 90]) == nil)
  }
}

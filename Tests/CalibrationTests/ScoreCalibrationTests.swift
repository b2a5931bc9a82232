import Debounce
import Testing

@testable import Calibration
@testable import score_calibration

/// The scorer, on a few keyboards.
@Suite("The score of the calibration")
struct ScoreCalibrationTests {
  private var experiment: Experiment {
    var experiment = Experiment(seed: 5, keyboards: 1)
    (experiment.known, experiment.judged) = (800, 800)
    (experiment.recorded, experiment.longest) = (800, 800)
    experiment.effort.enoughStrokes = 500
    return experiment
  }

  @Test("finds nothing to set, and no worn key, where nothing is wrong")
  func healthy() throws {
    let kind = try #require(KeyboardClass.all.first { $0.name == "nothing wrong" })
    let row = experiment.row(kind, 0)
    #expect(row.guided.lines + row.recorded.lines == 0)
    #expect(row.wrong.guided.faults == 0 && row.wrong.guided.strokes > 20)
    #expect(row.guided.score.lost.faults == row.byDefault.lost.faults)
  }

  @Test("finds worn keys, and makes nothing worse")
  func worn() throws {
    let kind = try #require(KeyboardClass.all.first { $0.name == "single faults, heavy" })
    let row = experiment.row(kind, 1)
    #expect(row.found.guided.faults > 0)
    #expect(row.byDefault.through.strokes > 10)
    #expect(row.guided.score.harm <= row.byDefault.harm + 0.001)
  }

  @Test("knows the truth: with no strategy at all every fault comes through, and no press is lost")
  func truth() throws {
    for kind in KeyboardClass.all where kind.use == .typing {
      var keyboard = SimulatedKeyboard(kind, 3, seed: 7)
      let recording = keyboard.recording(1500)
      let score = Score(Rules(strategy: .none), on: recording)
      #expect(score.through.faults == score.through.strokes, "\(kind.name)")
      #expect(score.lost.faults == 0, "\(kind.name)")
      if kind.rate > 0.1, kind.wornKeys > 0 { #expect(score.through.strokes > 0, "\(kind.name)") }
    }
  }
}

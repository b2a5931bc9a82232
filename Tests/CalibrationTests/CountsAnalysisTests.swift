import Calibration
import Debounce
import Testing

@Suite("Diagnoses from stored counts")
struct StoredCountsTests {
  private func counts(
    strokes: UInt32, bounces: UInt32 = 0, dropOuts: UInt32 = 0, removed: [UInt32] = []
  ) -> KeyCounts {
    var counts = KeyCounts()
    counts.strokes = strokes
    counts.pressBounces = bounces
    counts.dropOuts = dropOuts
    counts.removedGaps = IntervalHistogram(removed)
    let tenth = strokes / 100
    counts.gaps = IntervalHistogram(
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, tenth, tenth, tenth / 2, strokes - 3 * tenth])
    counts.holds = IntervalHistogram([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 50, 100, 200, 30])
    return counts
  }

  @Test("healthy where next to nothing was removed, with a tight bound")
  func healthy() {
    let diagnosis = Analysis.diagnosis(of: 18, counts: counts(strokes: 20_000, bounces: 1))
    guard case .healthy(let bound) = diagnosis.finding else {
      Issue.record("\(diagnosis.finding)")
      return
    }
    #expect(bound < 3e-4)
  }

  @Test("bad where much was removed, with a setting for its gaps")
  func bad() {
    let all: [KeyCode: KeyCounts] = [
      18: counts(strokes: 2000, bounces: 60, removed: [0, 0, 3, 10, 20, 20, 7]),
      30: counts(strokes: 3000),
      31: counts(strokes: 1500, dropOuts: 50, removed: [0, 0, 0, 5, 10, 15, 10, 10]),
      20: counts(strokes: 5),
    ]
    let diagnoses = Analysis.diagnoses(of: all)
    #expect(diagnoses.prefix(2).allSatisfy { $0.isFaulty })
    let bounces = diagnoses.first { $0.key == 18 }
    #expect(bounces?.finding == .chatters)
    #expect(bounces.flatMap(\.proposal).map { $0.missed.value < 0.1 } == true)
    #expect(diagnoses.first { $0.key == 31 }?.finding == .dropsOut)
    #expect(diagnoses.first { $0.key == 30 }?.isFaulty == false)
    #expect(diagnoses.first { $0.key == 20 }?.finding == .tooFewData(strokesNeeded: 54))
  }

  /// Backspace, as fingers repeat it that are faster than most: some of their gaps are as short as chatter's.
  private func fastBackspace(removed: UInt32) -> KeyCounts {
    var counts = counts(strokes: 2000, dropOuts: removed)
    counts.removedGaps = IntervalHistogram([0, 0, 0, 0, 0, 0, 0, 0, removed])
    counts.gaps = IntervalHistogram(
      [0, 0, 0, 0, 0, 0, 0, 5, 20, 24, 100, 200, 430, 180, 60, 981])
    return counts
  }

  @Test("not bad where fingers are at home in gaps that are little longer than what was removed")
  func fastFingers() {
    // They lose some strokes by mistake.
    #expect(!Analysis.diagnosis(of: 14, counts: fastBackspace(removed: 35)).isFaulty)
    // So many are no mistakes.
    #expect(Analysis.diagnosis(of: 14, counts: fastBackspace(removed: 120)).isFaulty)
    // Where fingers have no such gaps, few are enough.
    #expect(Analysis.diagnosis(of: 18, counts: counts(strokes: 2000, dropOuts: 20)).isFaulty)
  }

  @Test("a receiver's where other keys, too, were down and up at once, and not where this one was")
  func bursts() {
    let removed: [UInt32] = [30, 0, 3, 5]
    var atOnce = counts(strokes: 2000, bounces: 38, removed: removed)
    atOnce.holds = IntervalHistogram([40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 60, 600, 900, 400])
    let keys: [KeyCode: KeyCounts] = [18: atOnce, 30: atOnce, 31: atOnce]
    #expect(Analysis.diagnoses(of: keys).allSatisfy { $0.finding == .receiverBursts })
    let healthy = counts(strokes: 2000)
    let one = Analysis.diagnoses(of: [18: atOnce, 30: healthy, 31: healthy])
    #expect(one.first { $0.key == 18 }?.isFaulty == true)
    #expect(one.first { $0.key == 30 }?.finding == healthyFinding(of: healthy))
  }

  private func healthyFinding(of counts: KeyCounts) -> Diagnosis.Finding {
    Analysis.diagnosis(of: 30, counts: counts).finding
  }

  @Test("nothing follows from nothing")
  func nothing() {
    #expect(Analysis.diagnoses(of: [:]).isEmpty)
    let diagnosis = Analysis.diagnosis(of: 18, counts: KeyCounts())
    #expect(!diagnosis.isFaulty)
    #expect(diagnosis.gaps == nil)
  }
}

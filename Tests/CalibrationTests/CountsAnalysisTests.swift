import Calibration
import Debounce
import Glibc
import Status
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

  @Test("a verdict on those keys in question that are bad, and on no others")
  func verdicts() {
    let all: [KeyCode: KeyCounts] = [
      18: counts(strokes: 2000, bounces: 60, removed: [0, 0, 3, 10, 20, 20, 7]),
      30: counts(strokes: 3000, bounces: 1),
      31: counts(strokes: 1500, dropOuts: 50, removed: [0, 0, 0, 5, 10, 15, 10, 10]),
    ]
    #expect(
      Analysis.verdicts(on: [18, 30, 31, 99], countedAs: all) == [18: .chatters, 31: .dropsOut])
    #expect(Analysis.verdicts(on: [30, 31], countedAs: all) == [31: .dropsOut])
  }

  @Test("a verdict is what the diagnosis finds, whatever was counted")
  func verdictsOfDiagnoses() {
    let patterns: [[UInt32]] = [
      [0, 0, 3, 10, 20, 20, 7], [0, 0, 0, 0, 0, 0, 2, 3, 9, 20, 30, 20],
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 40],
      [40, 1], [],
    ]
    var all: [KeyCode: KeyCounts] = [:]
    for (bounces, dropOuts) in [(0, 0), (3, 0), (40, 5), (5, 40), (300, 20), (0, 9)]
      as [(UInt32, UInt32)]
    {
      for removed in patterns {
        for strokes in [60, 2000] as [UInt32] {
          all[KeyCode(all.count + 1)] = counts(
            strokes: strokes, bounces: bounces, dropOuts: dropOuts, removed: removed)
        }
      }
    }
    let found = Analysis.diagnoses(of: all).filter(\.isFaulty)
    let verdicts = Analysis.verdicts(on: Array(all.keys), countedAs: all)
    #expect(Set(verdicts.keys) == Set(found.map(\.key)))
    for diagnosis in found {
      let verdict: KeyVerdict? =
        switch diagnosis.finding {
        case .chatters: .chatters
        case .dropsOut: .dropsOut
        case .overlap: .overlap
        default: nil
        }
      #expect(verdicts[diagnosis.key] == verdict)
    }
    // They are of each kind, and some keys are not bad.
    #expect(Set(verdicts.values).count == 3)
    #expect(verdicts.count < all.count)
  }

  /// Most keys that are judged once a minute have chattered now and then, and no more follows from that.
  @Test("that nothing is certain yet is known at once")
  func cheapVerdicts() {
    let all: [KeyCode: KeyCounts] = [
      18: counts(strokes: 2000, bounces: 1, removed: [0, 0, 1]), 30: counts(strokes: 3000),
    ]
    // Static figures are worked out when they are first used.
    _ = Analysis.diagnosis(of: 18, counts: all[18]!, among: Array(all.values))
    let ofDiagnosis = cpuTime {
      _ = Analysis.diagnosis(of: 18, counts: all[18]!, among: Array(all.values))
    }
    let ofVerdicts = cpuTime {
      for _ in 0..<10 { #expect(Analysis.verdicts(on: [18], countedAs: all).isEmpty) }
    }
    #expect(ofVerdicts < ofDiagnosis)
  }

  /// How long the processor works on it, in nanoseconds.
  private func cpuTime(_ work: () -> Void) -> Int {
    func now() -> Int {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
    let start = now()
    work()
    return now() - start
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

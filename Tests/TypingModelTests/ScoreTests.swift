import Debounce
import Foundation
import Testing
import TypingModel

@testable import score

/// The scorer's accounts of small sessions whose truth is plain.
@Suite struct ScoreTests {
  private static let key: KeyCode = 30
  private static let shift: KeyCode = 42

  /// A rule that gives the answer it was made with, edge by edge.
  private struct Answer: Filter {
    /// For each raw edge, what comes out; at last, what was waiting.
    var edges: [[CleanEdge]]

    mutating func take(_ edge: RawEdge, into clean: inout [CleanEdge]) {
      clean += edges.removeFirst()
    }

    mutating func finish(into clean: inout [CleanEdge]) {
      for left in edges { clean += left }
    }
  }

  private func edge(
    _ time: Int, _ down: Bool, _ stroke: Int, _ fault: Chatter? = nil, key: KeyCode = key
  ) -> RawEdge {
    RawEdge(time: Microseconds(time) * 1000, key: key, down: down, stroke: stroke, fault: fault)
  }

  private func clean(_ time: Int, _ down: Bool, key: KeyCode = key) -> CleanEdge {
    CleanEdge(time: Microseconds(time) * 1000, key: key, down: down)
  }

  private func stroke(
    _ press: Int, _ release: Int, _ fault: Chatter? = nil, key: KeyCode = key,
    faulty: Bool = false
  ) -> LabelledStroke {
    LabelledStroke(
      Stroke(key: key, press: Microseconds(press) * 1000, release: Microseconds(release) * 1000),
      fault: fault, isOfFaultyKey: faulty || fault != nil)
  }

  /// Strokes of contacts that do not bounce.
  private func session(_ strokes: LabelledStroke...) -> Session {
    let edges = strokes.enumerated().flatMap { index, labelled in
      let stroke = labelled.stroke
      return [
        RawEdge(time: stroke.press, key: stroke.key, down: true, stroke: index),
        RawEdge(time: stroke.release, key: stroke.key, down: false, stroke: index),
      ]
    }
    return Session(strokes: strokes, edges: edges.sorted { $0.time < $1.time })
  }

  /// One stroke with a fault: when its contact closes and opens, in turn.
  private func session(_ fault: Chatter, _ times: Int...) -> Session {
    let release = fault == .releaseBounce ? 1 : times.count - 1
    return Session(
      strokes: [stroke(times[0], times[release], fault)],
      edges: times.enumerated().map { index, time in
        edge(time, index % 2 == 0, 0, [0, release].contains(index) ? nil : fault)
      })
  }

  /// The contact bounces as the key goes down.
  private var pressBounce: Session { session(.pressBounce, 0, 10, 18, 120) }

  @Test("A bounce that passes is missed; no hold is lost")
  func missed() {
    let tally = Ledger.tally(pressBounce, EngineFilter(.none))
    #expect(tally.missed(.pressBounce) == Proportion(part: 1, whole: 1))
    #expect(tally.missed(.dropOut).whole == 0)
    #expect(tally.lost == Proportion(part: 0, whole: 1))
    #expect(tally.holdsLost == Proportion(part: 0, whole: 1))
  }

  @Test("A bounce that is removed is not missed")
  func removed() {
    let tally = Ledger.tally(pressBounce, EngineFilter(.adaptive(Adaptive())))
    #expect(tally.allMissed == Proportion(part: 0, whole: 1))
    #expect(tally.lost.part == 0)
    #expect(tally.holdsLost.part == 0)
    #expect(tally.wrongRests == 0)
  }

  @Test("A lock-out removes the bounce, and with it the hold")
  func holdLost() {
    let tally = Ledger.tally(pressBounce, Lockout(30_000))
    #expect(tally.allMissed == Proportion(part: 0, whole: 1))
    #expect(tally.holdsLost == Proportion(part: 1, whole: 1))
  }

  @Test("A hold that comes back in time is not lost")
  func holdRegained() {
    // The second press is held back for 30 ms and then emitted.
    let session = session(.dropOut, 0, 60, 70, 160)
    let tally = Ledger.tally(session, EngineFilter(.adaptive(Adaptive())))
    #expect(tally.missed(.dropOut) == Proportion(part: 1, whole: 1))
    #expect(tally.holdsLost == Proportion(part: 0, whole: 1))
  }

  @Test("The finger's release of a release bounce is the first one")
  func releaseBounce() {
    let session = session(.releaseBounce, 0, 100, 108, 112)
    let removed = Ledger.tally(session, Lockout(30_000))
    #expect(removed.holdsLost == Proportion(part: 0, whole: 1))
    #expect(removed.missed(.releaseBounce) == Proportion(part: 0, whole: 1))
    let passed = Ledger.tally(session, Lockout(5_000))
    #expect(passed.missed(.releaseBounce) == Proportion(part: 1, whole: 1))
  }

  @Test("A fast double that is removed is a genuine press lost")
  func lost() {
    let session = session(stroke(0, 80), stroke(100, 180))
    #expect(Ledger.tally(session, Lockout(30_000)).lost == Proportion(part: 1, whole: 2))
    let deferred = Ledger.tally(session, EngineFilter(.eagerDefer(EagerDefer(threshold: 25_000))))
    #expect(deferred.lost == Proportion(part: 1, whole: 2))
    #expect(Ledger.tally(session, EngineFilter(.none)).lost == Proportion(part: 0, whole: 2))
  }

  @Test("Latency is counted from the finger's edges, of healthy keys alone")
  func latency() {
    let session = session(stroke(0, 80), stroke(1000, 1080))
    let tally = Ledger.tally(session, EngineFilter(.defer(Defer(press: 5_000, release: 8_000))))
    #expect(tally.pressLatency.mean == 5)
    #expect(tally.pressLatency.quantile(0.99) == 5)
    #expect(tally.releaseLatency.mean == 8)
    #expect(tally.releaseLatency.maximum == 8)

    var faulty = session
    for index in faulty.strokes.indices { faulty.strokes[index].isOfFaultyKey = true }
    let none = Ledger.tally(faulty, EngineFilter(.defer(Defer(press: 5_000, release: 8_000))))
    #expect(none.pressLatency == Latency())
  }

  @Test("A press that overtakes an earlier one is an inversion")
  func inversion() {
    let session = session(stroke(0, 80), stroke(50, 130, key: 31))
    let kept = Ledger.tally(session, EngineFilter(.none))
    #expect(kept.inversions == 0)
    let turned = Ledger.tally(
      session,
      Answer(edges: [
        [], [clean(50, true, key: 31), clean(50, true)], [clean(80, false)],
        [clean(130, false, key: 31)],
      ]))
    #expect(turned.inversions == 1)
  }

  @Test("A release of Shift that comes too late changes what is typed")
  func shiftError() {
    // Shift is let go at 100, and the letter follows 10 ms later.
    let session = session(stroke(0, 100, key: Self.shift), stroke(110, 200))
    let late = Ledger.tally(
      session,
      Answer(edges: [
        [clean(0, true, key: Self.shift)], [], [clean(110, true)],
        [clean(125, false, key: Self.shift), clean(200, false)],
      ]))
    #expect(late.modifierErrors == 1)
    // The engine lets the waiting release out first.
    let flushed = Ledger.tally(session, EngineFilter(.eagerDefer(EagerDefer(threshold: 25_000))))
    #expect(flushed.modifierErrors == 0)
    #expect(flushed.lost.part == 0)
  }

  @Test("Any modifier counts: a Control that comes too late, too")
  func lateControl() {
    let control: KeyCode = 29
    let session = session(stroke(0, 100, key: control), stroke(20, 90))
    let late = Ledger.tally(
      session,
      Answer(edges: [
        [], [clean(20, true), clean(25, true, key: control)], [clean(90, false)],
        [clean(100, false, key: control)],
      ]))
    #expect(late.modifierErrors == 1)
    #expect(late.inversions == 1)
    #expect(late.misplaced == Proportion(part: 2, whole: 2))
    #expect(!late.isWhole)
    #expect(Ledger.tally(session, EngineFilter(.none)).isWhole)
  }

  @Test("Strokes that were held back and come out together are none lost")
  func restored() {
    // Three strokes of a machine, taken for one until the third is over.
    let session = session(stroke(0, 5), stroke(10, 15), stroke(20, 25))
    let restored = Ledger.tally(
      session,
      Answer(edges: [
        [clean(0, true)], [], [], [], [], [],
        [
          clean(65, false), clean(65, true), clean(65, false), clean(65, true), clean(65, false),
        ],
      ]))
    #expect(restored.isWhole)
    #expect(restored.lost == Proportion(part: 0, whole: 3))
    #expect(restored.pressLatency.maximum == 55)

    let one = Ledger.tally(
      session, Answer(edges: [[clean(0, true)], [], [], [], [], [], [clean(65, false)]]))
    #expect(one.lost == Proportion(part: 2, whole: 3))
    #expect(!one.isWhole)
  }

  @Test("A press that comes out twice is one too many")
  func extra() {
    let session = session(stroke(0, 80))
    let tally = Ledger.tally(
      session,
      Answer(edges: [[clean(0, true)], [clean(80, false), clean(81, true), clean(82, false)]]))
    #expect(tally.extra == 1)
    #expect(tally.lost.part == 0)
    #expect(!tally.isWhole)
  }

  @Test("What is lost sooner after the key's press than a finger makes one is told apart")
  func lostTooFast() {
    // 50 ms from press to press, and 100 ms.
    let session = session(stroke(0, 30), stroke(50, 90), stroke(150, 200))
    let tally = Ledger.tally(session, Lockout(130_000))
    #expect(tally.lost == Proportion(part: 2, whole: 3))
    #expect(tally.lostFast == Proportion(part: 1, whole: 3))
    #expect(tally.lostSlow == Proportion(part: 1, whole: 3))
  }

  @Test("What only has the device in use is not counted")
  func uncounted() {
    var session = session(stroke(0, 80), stroke(100, 180), stroke(190, 280, faulty: true))
    #expect(Ledger.tally(session, Lockout(120_000)).lost == Proportion(part: 2, whole: 3))
    #expect(Ledger.tally(session, Lockout(120_000)).lostOfFaulty == Proportion(part: 1, whole: 1))
    session.strokes[1].isCounted = false
    let tally = Ledger.tally(session, Lockout(120_000))
    #expect(tally.lost == Proportion(part: 1, whole: 2))
    #expect(Ledger.tally(session, EngineFilter(.none)).releaseLatency.mean == 0)
  }

  @Test("An input's sessions are judged by every contender, however many work on it")
  func input() async {
    let contenders = Contender.all.filter(\.isTypical)
    #expect(contenders.count == 4)
    #expect(contenders.count(where: \.isDefault) == 1)
    let input = Input(sessions: 6) { _, seed in [CrossedStrokes().session(seed: seed)] }
    let alone = await input.run(contenders, seed: 1, workers: 1)
    let together = await input.run(contenders, seed: 1, workers: 4)
    #expect(alone.map(\.tally) == together.map(\.tally))
    #expect(alone.allSatisfy { $0.spoiled.whole == 6 })
    #expect(alone.allSatisfy { (18...24).contains($0.tally.lost.whole) })
  }

  @Test("A key that is not where its finger left it is a wrong rest")
  func wrongRest() {
    // A press bounce, and then the finger stays for half a second.
    let session = session(.pressBounce, 0, 10, 18, 500)
    #expect(Ledger.tally(session, Lockout(30_000)).wrongRests == 1)
    #expect(Ledger.tally(session, EngineFilter(.adaptive(Adaptive()))).wrongRests == 0)

    let stuck = Ledger.tally(session, Answer(edges: [[clean(0, true)], [], [], []]))
    #expect(stuck.wrongRests == 1)
  }

  @Test("libinput's machine learns that a key drops out")
  func libinput() {
    func dropOut(at start: Int, _ stroke: Int) -> [RawEdge] {
      [
        edge(start, true, stroke), edge(start + 60, false, stroke, .dropOut),
        edge(start + 68, true, stroke, .dropOut), edge(start + 160, false, stroke),
      ]
    }
    let session = Session(
      strokes: [stroke(0, 160, .dropOut), stroke(1000, 1160, .dropOut)],
      edges: dropOut(at: 0, 0) + dropOut(at: 1000, 1))
    let tally = Ledger.tally(session, LibinputMachine())
    #expect(tally.missed(.dropOut) == Proportion(part: 1, whole: 2))
    #expect(tally.lost.part == 0)
    #expect(tally.wrongRests == 0)
  }

  @Test("Whoever is no worse in either figure, and clearly better in one, beats the other")
  func beats() {
    func figure(through: Int, lost: Int) -> TrialResult.Figure {
      .init(
        through: Proportion(part: through, whole: 1000), lost: Proportion(part: lost, whole: 1000))
    }
    let own = figure(through: 100, lost: 20)
    #expect(figure(through: 50, lost: 20).beats(own))
    #expect(figure(through: 100, lost: 2).beats(own))
    // By chance, and at a price.
    #expect(!figure(through: 95, lost: 20).beats(own))
    #expect(!figure(through: 0, lost: 21).beats(own))
    #expect(!own.beats(own))
    let result = TrialResult(
      name: "a test", poll: 8000,
      figures: [own, figure(through: 0, lost: 21), figure(through: 50, lost: 0), own])
    #expect(result.beating == [2])
    #expect(
      TrialTable(results: [result]).text.contains(
        " 8        10 · 20        0.0 · 21       5.0 · 0.0! "))
    let rows = PlotTables(results: [], questions: [], trials: [result]).tried
    #expect(rows.contains("\na test\t10 · 20\t0\t0.0 · 21\t0\t5.0 · 0.0\t1\t10 · 20\t0"))
  }

  @Test("Wilson's interval holds the share, and narrows with numbers")
  func interval() {
    let few = Proportion(part: 1, whole: 10).interval
    let many = Proportion(part: 100, whole: 1000).interval
    #expect(few.contains(0.1))
    #expect(abs(few.lowerBound - 0.0179) < 0.0005)
    #expect(abs(few.upperBound - 0.4042) < 0.0005)
    #expect(many.upperBound - many.lowerBound < few.upperBound - few.lowerBound)
    #expect(Proportion(part: 0, whole: 100).interval.lowerBound == 0)
  }

  @Test("The tables that are drawn have a row for each question, and a column for each contender")
  func questions() async {
    let contenders = Contender.all.filter(\.isTypical)
    let accounts = contenders.map { _ in
      Account(tally: Tally(), spoiled: Proportion(part: 1, whole: 4))
    }
    let questions = [
      Question("bursts of a test", "spoiled", accounts) { .share($0.spoiled, of: 100) },
      Question("bursts of a test", "press", accounts) { .mean($0.tally.pressLatency.mean) },
    ]
    #expect(questions[0].figures.map(\.value) == contenders.map { _ in 25 })
    let tables = PlotTables(
      results: Contender.all.map { Result(contender: $0) }, questions: questions, trials: [])
    let rows = tables.answers.split(separator: "\n").map { $0.components(separatedBy: "\t") }
    #expect(rows.map(\.count) == [1, 1, 1].map { $0 + contenders.count })
    #expect(rows[0].last == "adaptive 25")
    #expect(rows[1] == ["bursts of a test: spoiled, %"] + contenders.map { _ in "25.0" })
    #expect(rows[2][0] == "bursts of a test: press, ms")
    // A block for each family, which gnuplot tells apart by two empty lines.
    let blocks = tables.curves.components(separatedBy: "\n\n\n")
    #expect(blocks.map { $0.prefix { $0 != "\n" } }.contains("eager-defer"))
    #expect(blocks.last?.contains("\t25\t0\t1\n") == true)

    let table = QuestionTable(questions, of: contenders).text
    #expect(table.contains("spoiled %"))
    // Wilson's interval of one in four.
    #expect(table.contains("4.559–69.9"))
  }
}

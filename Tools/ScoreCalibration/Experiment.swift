import Debounce

@testable import Calibration

/// What came out of strokes of which the truth is known.
struct Score: Sendable {
  var through = FaultRate(faults: 0, strokes: 0)
  var lost = FaultRate(faults: 0, strokes: 0)

  init() {}

  init(_ rules: Rules, on recording: (tape: Tape, truth: Labels)) {
    let outcomes = Play(rules, on: recording.tape, recording.truth).outcomes
    let faulty = zip(recording.truth.strokes, outcomes).filter { $0.0.contacts.count > 1 }
    through = FaultRate(faults: faulty.count { $0.1.comesThrough }, strokes: faulty.count)
    lost = FaultRate(faults: outcomes.count(where: \.isLost), strokes: outcomes.count)
  }

  mutating func add(_ other: Score) {
    through = through.adding(other.through)
    lost = lost.adding(other.lost)
  }

  /// Faults that come through and presses that are lost, of all strokes.
  var harm: Double { Double(through.faults + lost.faults) / Double(max(1, lost.strokes)) }
}

/// Keyboards that are calibrated one after the other, each measured on one recording and judged on another.
struct Experiment: Sendable {
  var seed: UInt64
  var keyboards = 20
  /// How many presses are judged.
  var judged = 6000
  /// How many presses a recording has from which settings are found.
  var recorded = 10_000
  var effort = GuidedSession.Effort()

  /// What is compared.
  struct Row: Sendable {
    var byDefault = Score()
    var guided = Score()
    var recorded = Score()
    var eagerDefer = Score()
    var lines = (guided: 0, recorded: 0)
    /// Worn keys that were found, and healthy ones that were called worn: after typing, and in the end.
    var found = (typing: FaultRate(faults: 0, strokes: 0), guided: FaultRate(faults: 0, strokes: 0))
    var wrong = (typing: FaultRate(faults: 0, strokes: 0), guided: FaultRate(faults: 0, strokes: 0))

    mutating func add(_ other: Row) {
      byDefault.add(other.byDefault)
      guided.add(other.guided)
      recorded.add(other.recorded)
      eagerDefer.add(other.eagerDefer)
      lines.guided += other.lines.guided
      lines.recorded += other.lines.recorded
      found.typing = found.typing.adding(other.found.typing)
      found.guided = found.guided.adding(other.found.guided)
      wrong.typing = wrong.typing.adding(other.wrong.typing)
      wrong.guided = wrong.guided.adding(other.wrong.guided)
    }
  }

  func row(_ kind: KeyboardClass, _ index: Int) -> Row {
    var row = Row()
    var keyboard = SimulatedKeyboard(kind, index, seed: seed)
    let (typing, session) = guided(&keyboard)
    let findings = Findings(of: session.tape)
    count(Findings(Labels(of: typing)), keyboard, &row.found.typing, &row.wrong.typing)
    count(findings, keyboard, &row.found.guided, &row.wrong.guided)
    let recording = Findings(of: keyboard.recording(recorded).tape)
    let judge = keyboard.recording(judged)
    row.byDefault = Score(Rules(), on: judge)
    row.guided = Score(rules(findings), on: judge)
    row.recorded = Score(rules(recording), on: judge)
    row.eagerDefer = Score(
      Rules(strategy: .eagerDefer(EagerDefer(threshold: 25_000))), on: judge)
    row.lines = (
      findings.keys.count { $0.line != nil }, recording.keys.count { $0.line != nil }
    )
    return row
  }

  /// Leads the person through a session.
  private func guided(_ keyboard: inout SimulatedKeyboard) -> (typing: Tape, GuidedSession) {
    var session = GuidedSession(effort)
    send(keyboard.recording(effort.enoughStrokes).tape, to: &session)
    let typing = session.tape
    if session.request == .type { session.skip() }
    for _ in 0..<5000 where session.request != .done {
      let answer = keyboard.answer(to: session.request)
      send(answer, to: &session)
      session.advance(to: (answer.edges.last?.time ?? 0) + 350_000)
    }
    return (typing, session)
  }

  private func send(_ tape: Tape, to session: inout GuidedSession) {
    for edge in tape.edges {
      session.receive(Frame(time: edge.time, [.key(edge.key, down: edge.isDown)]))
    }
  }

  private func rules(_ findings: Findings) -> Rules {
    var rules = Rules()
    for key in findings.keys {
      if let line = key.line { rules.keys[key.key] = line.candidate.strategy }
    }
    return rules
  }

  private func count(
    _ findings: Findings, _ keyboard: SimulatedKeyboard, _ found: inout FaultRate,
    _ wrong: inout FaultRate
  ) {
    for key in findings.keys where key.strokes > 0 {
      let hit = FaultRate(faults: key.isWorn ? 1 : 0, strokes: 1)
      if keyboard.worn.contains(key.key) {
        if key.strokes >= 20 { found = found.adding(hit) }
      } else {
        wrong = wrong.adding(hit)
      }
    }
  }

  /// Does so for every keyboard of a class, on all processors.
  func run(_ kind: KeyboardClass, workers: Int) async -> Row {
    await withTaskGroup(of: Row.self) { group in
      for worker in 0..<workers {
        group.addTask {
          var row = Row()
          for index in stride(from: worker, to: keyboards, by: workers) {
            row.add(self.row(kind, index))
          }
          return row
        }
      }
      var total = Row()
      for await row in group { total.add(row) }
      return total
    }
  }
}

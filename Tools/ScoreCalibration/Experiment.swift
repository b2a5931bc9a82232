import Debounce

@testable import Calibration

/// What came out of strokes of which the truth is known.
struct Score: Sendable {
  var through = FaultRate(faults: 0, strokes: 0)
  var lost = FaultRate(faults: 0, strokes: 0)

  init() {}

  init(_ rules: Rules, on recording: (tape: Tape, truth: Labels)) {
    let fates = Play(inOrder: rules, on: recording.tape, recording.truth).fates
    let faulty = zip(recording.truth.strokes, fates).filter { $0.0.contacts.count > 1 }
    through = FaultRate(faults: faulty.count { $0.1.comesThrough }, strokes: faulty.count)
    lost = FaultRate(faults: fates.count(where: \.isLost), strokes: fates.count)
  }

  mutating func add(_ other: Score) {
    through = through.adding(other.through)
    lost = lost.adding(other.lost)
  }

  /// Faults that come through and presses that are lost, of all strokes.
  var harm: Double { Double(through.faults + lost.faults) / Double(max(1, lost.strokes)) }
}

/// Keyboards that are calibrated one after the other, each measured in several ways and judged on one recording.
struct Experiment: Sendable {
  var seed: UInt64
  var keyboards = 20
  /// How many presses the engine has heard before it is judged, and how many are judged. Who calibrates has used it for a
  /// day or two.
  var known = 20_000
  var judged = 20_000
  /// How many presses a recording has from which settings are found. Who is told that more would tell records as many
  /// again, and so on up to `longest`.
  var recorded = 10_000
  var longest = 40_000
  var effort = GuidedSession.Effort()
  /// Whether to print what is found of each keyboard.
  var showsEach = false

  /// What was written after one way to measure.
  struct Written: Sendable {
    var score = Score()
    var lines = 0
    /// How many keyboards got lines, how many need none, and of how many it is undecided.
    var answers = (lines: 0, nothing: 0, undecided: 0)
    /// How many presses were measured.
    var presses = 0

    init() {}

    init(_ findings: Findings, _ tape: Tape, on judge: (tape: Tape, truth: Labels)) {
      var rules = Rules()
      for key in findings.keys {
        if let line = key.line { rules.keys[key.key] = line.candidate.strategy }
      }
      score = Score(rules, on: judge)
      lines = rules.keys.count
      answers = findings.keys.isUndecided ? (0, 0, 1) : lines > 0 ? (1, 0, 0) : (0, 1, 0)
      presses = tape.presses
    }

    mutating func add(_ other: Written) {
      score.add(other.score)
      lines += other.lines
      answers = (
        answers.lines + other.answers.lines, answers.nothing + other.answers.nothing,
        answers.undecided + other.answers.undecided
      )
      presses += other.presses
    }

    /// Whether more faults come through than with the default, or more presses are lost: by more than one press in a thousand.
    func isWorse(than byDefault: Score) -> Bool {
      score.harm > byDefault.harm + 0.001 || score.lost.share > byDefault.lost.share + 0.001
    }

    /// Whether the default lets more than 3 % of faults through, and this more than half of that.
    func isNotHalved(from byDefault: Score) -> Bool {
      byDefault.through.share > 0.03 && score.through.share > byDefault.through.share / 2
    }
  }

  /// What is compared.
  struct Row: Sendable {
    var byDefault = Score()
    var guided = Written()
    /// After the guided session; where that is undecided, or has found no worn key, after a recording, as calibrate asks for.
    var followed = Written()
    var recorded = Written()
    var eagerDefer = Score()
    /// Worn keys that were found, and healthy ones that were called worn: after typing, in the end, and on a recording.
    var found = Calls()
    var wrong = Calls()

    mutating func add(_ other: Row) {
      byDefault.add(other.byDefault)
      guided.add(other.guided)
      followed.add(other.followed)
      recorded.add(other.recorded)
      eagerDefer.add(other.eagerDefer)
      found.add(other.found)
      wrong.add(other.wrong)
    }
  }

  struct Calls: Sendable {
    var typing = FaultRate(faults: 0, strokes: 0)
    var guided = FaultRate(faults: 0, strokes: 0)
    var recorded = FaultRate(faults: 0, strokes: 0)

    mutating func add(_ other: Calls) {
      typing = typing.adding(other.typing)
      guided = guided.adding(other.guided)
      recorded = recorded.adding(other.recorded)
    }
  }

  func row(_ kind: KeyboardClass, _ index: Int) -> Row {
    var row = Row()
    var keyboard = SimulatedKeyboard(kind, index, seed: seed)
    // What is judged comes first and each way to measure after that, so that none changes what another gets.
    var judge = (tape: Tape(), truth: Labels([]))
    if kind.isJudged {
      judge.tape = keyboard.recording(known).tape
      let last = keyboard.recording(judged)
      judge.tape.append(last.tape)
      judge.truth = last.truth
    }
    var recorder = keyboard
    let (typing, session) = guided(&keyboard)
    count(Findings(Labels(of: typing)), keyboard, \.typing, in: &row)
    let findings = Findings(of: session.tape)
    count(findings, keyboard, \.guided, in: &row)
    guard kind.isJudged else { return row }
    var tape = Tape()
    var found = Findings(of: tape)
    repeat {
      tape.append(recorder.recording(max(recorded, tape.presses)).tape)
      found = Findings(of: tape)
    } while found.asksForMore && tape.presses < longest
    count(found, keyboard, \.recorded, in: &row)
    row.byDefault = Score(Rules(), on: judge)
    row.guided = Written(findings, session.tape, on: judge)
    row.recorded = Written(found, tape, on: judge)
    let isDone = findings.keys.contains(where: \.isWorn) && !findings.keys.isUndecided
    row.followed = isDone ? row.guided : row.recorded
    row.eagerDefer = Score(
      Rules(strategy: .eagerDefer(EagerDefer(threshold: 25_000))), on: judge)
    if showsEach {
      print("\(kind.name) \(index): default \(row.byDefault.through)")
      show("guided", findings, row.guided, keyboard)
      show("recorded", found, row.recorded, keyboard)
    }
    return row
  }

  private func show(
    _ way: String, _ findings: Findings, _ written: Written, _ keyboard: SimulatedKeyboard
  ) {
    let worn = findings.keys.filter { keyboard.worn.contains($0.key) }
    print(
      "  \(way), \(written.presses) presses, \(written.answers): \(worn.count { $0.isWorn }) of \(worn.count) found; \(written.score.through)"
    )
    for key in findings.keys where keyboard.worn.contains(key.key) || key.isWorn {
      let line = key.line.map {
        "\($0.candidate.text ?? "delete") \($0.isPooled ? "pooled" : "own") \($0.before.inWords) → \($0.after.inWords), taken \($0.lostPresses.inWords), sure \($0.confidence)"
      }
      print(
        "    \(key.key): \(key.verdict) \(key.certainty), \(key.rate.inWords) faulty, through \(key.comesThrough.inWords), taken \(key.lostPresses.inWords), \(line ?? "\(key.advice)")"
      )
    }
  }

  /// Leads the person through a session.
  func guided(_ keyboard: inout SimulatedKeyboard) -> (typing: Tape, GuidedSession) {
    var session = GuidedSession(effort)
    type(&keyboard, &session)
    let typing = session.tape
    for _ in 0..<20_000 where session.request != nil {
      if session.request == .typing {
        type(&keyboard, &session)
        continue
      }
      let answer = keyboard.answer(to: session.request, effort)
      send(answer, to: &session)
      session.advance(to: (answer.edges.last?.time ?? 0) + 350_000)
    }
    return (typing, session)
  }

  /// Types as long as that is asked for. Who reads that there is something else to do stops.
  private func type(_ keyboard: inout SimulatedKeyboard, _ session: inout GuidedSession) {
    for edge in keyboard.recording(effort.enoughStrokes).tape.edges where session.request == .typing
    {
      session.receive(Frame(time: edge.time, [.key(edge.key, down: edge.isDown)]))
    }
    if session.request == .typing { session.skip() }
  }

  private func send(_ tape: Tape, to session: inout GuidedSession) {
    for edge in tape.edges {
      session.receive(Frame(time: edge.time, [.key(edge.key, down: edge.isDown)]))
    }
  }

  private func count(
    _ findings: Findings, _ keyboard: SimulatedKeyboard, _ calls: WritableKeyPath<Calls, FaultRate>,
    in row: inout Row
  ) {
    for key in findings.keys where key.strokes > 0 {
      let call = FaultRate(faults: key.isWorn ? 1 : 0, strokes: 1)
      if keyboard.worn.contains(key.key) {
        if key.strokes >= 20 { row.found[keyPath: calls] = row.found[keyPath: calls].adding(call) }
      } else {
        row.wrong[keyPath: calls] = row.wrong[keyPath: calls].adding(call)
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

extension Findings {
  /// Whether more strokes would tell, of a key that looks worn.
  fileprivate var asksForMore: Bool {
    keys.isUndecided
      || keys.contains {
        if case .undecided = $0.verdict { $0.certainty > 0.3 } else { false }
      }
  }
}

extension Tape {
  /// Adds what came later.
  fileprivate mutating func append(_ tape: Tape) {
    for edge in tape.edges {
      receive(edge.key, isDown: edge.isDown, at: edge.time, during: edge.exercise)
    }
  }
}

extension Play {
  /// Plays the tape once, as it comes: what is not labelled the engine only hears.
  init(inOrder rules: Rules, on tape: Tape, _ labels: Labels) {
    self.init(tape, labels)
    var engine = Debouncer(rules)
    play([0..<tape.length], isJudged: true, &engine)
  }
}

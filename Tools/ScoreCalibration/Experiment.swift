import Calibration
import Debounce
import Randomness
import TypingModel

/// Keyboards that are calibrated, one after the other.
struct Experiment: Sendable {
  var seed: UInt64
  /// Keyboards of each case, and of the healthy ones.
  var keyboards: Int
  var healthyKeyboards: Int
  /// Strokes of ordinary use that a setting is tried on.
  var trial = 3000
  /// How many presses passive sessions have.
  var passive = 20_000
  /// How many presses the service counts of a keyboard, and of a key before its counts are looked at.
  var counted = 60_000
  var enoughCounted = 2000
  var effort = GuidedSession.Effort()

  /// What was raw of each key's gaps, for those who split histograms. Milliseconds.
  private struct Gaps {
    private var released: [KeyCode: Microseconds] = [:]
    private(set) var gaps: [KeyCode: [Double]] = [:]

    mutating func receive(_ edge: RawEdge) {
      if edge.down, let released = released[edge.key] {
        gaps[edge.key, default: []].append(Double(edge.time - released) / 1000)
      } else if !edge.down {
        released[edge.key] = edge.time
      }
    }
  }

  /// Calibrates the `index`-th keyboard of a case: a scan, and a closer look at what it finds and at one worn key that
  /// the person names.
  func guided(_ kind: Case, _ index: Int) -> Outcome {
    var outcome = Outcome()
    var keyboard = keyboard(kind, index)
    var session = GuidedSession(effort)
    var gaps = Gaps()

    for edge in keyboard.typing(effort.enoughStrokes) where session.request == .type {
      session.receive(Frame(time: edge.time, [.key(edge.key, down: edge.down)]))
      gaps.receive(edge)
    }
    if session.request == .type { session.skip() }
    let found = Set(session.suspects)
    for key in keyboard.faultyKeys where session.observer[key].typed.strokes >= 20 {
      outcome.foundByScan.add(found.contains(key))
    }
    for key in keyboard.healthyKeys { outcome.suspectedWrongly.add(found.contains(key)) }
    let worn = keyboard.faultyKeys
    let named = worn.isEmpty ? nil : worn[index % worn.count]
    if let named { session.add(named) }
    perform(&session, &keyboard, &gaps)

    let analysis = session.analysis()
    outcome.burstyKeyboards.add(session.observer.link.isBursty)
    for key in keyboard.healthyKeys {
      note(
        analysis.diagnosis(of: key), rate: 0, kind, gaps.gaps[key] ?? [], healthy: true, &outcome)
    }
    if let named {
      let diagnosis = analysis.diagnosis(of: named)
      note(diagnosis, rate: kind.wear.rate, kind, gaps.gaps[named] ?? [], healthy: false, &outcome)
      if diagnosis.isFaulty {
        outcome.strokes.add(Double(diagnosis.strokes))
        outcome.rightKind.add(isRight(diagnosis, kind, &keyboard))
        tryOut(diagnosis, &keyboard, gaps.gaps[named] ?? [], &outcome)
      }
    }
    return outcome
  }

  /// Listens to ordinary work.
  func passive(_ kind: Case, _ index: Int) -> Outcome {
    var outcome = Outcome()
    var keyboard = keyboard(kind, index)
    var observer = Observer()
    var gaps = Gaps()
    var strokesNeeded: [KeyCode: Int] = [:]
    let worn = Set(keyboard.faultyKeys)
    for edge in keyboard.typing(passive) {
      observer.receive(edge.key, value: edge.down ? 1 : 0, at: edge.time, during: .typing)
      gaps.receive(edge)
      if edge.down, worn.contains(edge.key), strokesNeeded[edge.key] == nil,
        observer[edge.key].test.isCertain
      {
        strokesNeeded[edge.key] = observer[edge.key].strokes
      }
    }
    let analysis = Analysis(observer)
    outcome.burstyKeyboards.add(observer.link.isBursty)
    for key in keyboard.healthyKeys {
      note(
        analysis.diagnosis(of: key), rate: 0, kind, gaps.gaps[key] ?? [], healthy: true, &outcome)
    }
    for key in worn where observer[key].strokes >= 20 {
      note(
        analysis.diagnosis(of: key), rate: kind.wear.rate, kind, gaps.gaps[key] ?? [],
        healthy: false,
        &outcome)
      if let strokes = strokesNeeded[key] { outcome.strokes.add(Double(strokes)) }
    }
    return outcome
  }

  /// Has the service count, by its defaults, and evaluates what it has counted of each key that has been pressed often.
  func counted(_ kind: Case, _ index: Int) -> Outcome {
    var outcome = Outcome()
    var keyboard = keyboard(kind, index)
    var engine = Debouncer()
    var frame = Frame(capacity: 1)
    var output = FrameQueue()
    let isHealthy = kind.wear.faultyKeys == 0
    var left = Set(isHealthy ? keyboard.healthyKeys : keyboard.faultyKeys)
    for edge in keyboard.typing(counted) {
      frame.removeAll()
      frame.time = edge.time
      frame.append(.key(edge.key, down: edge.down))
      engine.process(frame, into: &output)
      output.removeAll()
      guard let counts = engine.counts(of: edge.key), counts.strokes >= enoughCounted,
        left.remove(edge.key) != nil
      else { continue }
      note(
        Analysis.diagnosis(
          of: edge.key, counts: counts,
          among: engine.countedKeys.compactMap { engine.counts(of: $0) }),
        rate: kind.wear.rate, kind, [], healthy: isHealthy, &outcome)
    }
    return outcome
  }

  /// Runs a part of the experiment for every keyboard, on all processors.
  func run(
    _ kind: Case, keyboards: Int, workers: Int, _ part: @escaping @Sendable (Case, Int) -> Outcome
  ) async -> Outcome {
    await withTaskGroup(of: Outcome.self) { group in
      for worker in 0..<workers {
        group.addTask {
          var outcome = Outcome()
          for index in stride(from: worker, to: keyboards, by: workers) {
            outcome.add(part(kind, index))
          }
          return outcome
        }
      }
      var total = Outcome()
      for await outcome in group { total.add(outcome) }
      return total
    }
  }

  private func keyboard(_ kind: Case, _ index: Int) -> SimulatedKeyboard {
    let polls: [Microseconds] = [1, 8, 1, 8, 2, 1, 8, 4, 1, 8]
    var random = SeededRandom(seed: seed, stream: index)
    return SimulatedKeyboard(
      wear: kind.wear,
      link: Link(
        poll: polls[index % polls.count] * 1000, isWireless: index / 10 % 10 == index % 10),
      isBursty: kind.isBursty, seed: random.next())
  }

  /// Does what is asked until nothing more is.
  private func perform(
    _ session: inout GuidedSession, _ keyboard: inout SimulatedKeyboard, _ gaps: inout Gaps
  ) {
    for _ in 0..<10_000 {
      let edges: [RawEdge]
      switch session.request {
      case .type:
        session.skip()
        continue
      case .tap(let key, _): edges = keyboard.tap(key)
      case .hold(let key, _): edges = keyboard.hold(key)
      case .doubleTap(let key): edges = keyboard.double(key)
      case .done: return
      }
      for edge in edges {
        session.receive(Frame(time: edge.time, [.key(edge.key, down: edge.down)]))
        gaps.receive(edge)
      }
      session.advance(to: (edges.last?.time ?? 0) + 150_000)
    }
  }

  private func note(
    _ diagnosis: Diagnosis, rate: Double, _ kind: Case, _ gaps: [Double], healthy: Bool,
    _ outcome: inout Outcome
  ) {
    // A worn keyboard's healthy keys are in the healthy rows only.
    guard healthy == (kind.wear.faultyKeys == 0) else { return }
    outcome.calledBad.add(diagnosis.isFaulty)
    for (index, baseline) in Baseline.allCases.enumerated() where !gaps.isEmpty {
      outcome.baselineCalledBad[index].add(baseline.threshold(gaps) != nil)
    }
    var (within, wrongly, few) = (false, false, false)
    switch diagnosis.finding {
    case .healthy(let bound):
      within = bound >= rate
      wrongly = bound < rate
    case .tooFewData: few = true
    default: break
    }
    outcome.healthyWithinBound.add(within)
    outcome.healthyWrongly.add(wrongly)
    outcome.tooFew.add(few)
    outcome.bursts.add(diagnosis.finding == .receiverBursts)
    guard !healthy else { return }
    if diagnosis.isRateLabelled { outcome.covered.add(diagnosis.rate.interval.contains(rate)) }
    guard diagnosis.isFaulty else { return }
  }

  /// Whether the finding is of the right kind: whether the bands overlap for this person and this switch, and else
  /// whether it chatters or drops out. Of mixtures either is right.
  private func isRight(
    _ diagnosis: Diagnosis, _ kind: Case, _ keyboard: inout SimulatedKeyboard
  ) -> Bool {
    if keyboard.overlaps(mostLost: 0.02, mostMissed: 0.15) { return diagnosis.finding == .overlap }
    return switch kind.truth {
    case .chatters: diagnosis.finding == .chatters
    case .dropsOut: diagnosis.finding == .dropsOut
    default: diagnosis.finding != .overlap
    }
  }

  /// Tries the proposal on ordinary use of the key, beside all that might have been proposed.
  private func tryOut(
    _ diagnosis: Diagnosis, _ keyboard: inout SimulatedKeyboard, _ gaps: [Double],
    _ outcome: inout Outcome
  ) {
    let use = keyboard.use(of: diagnosis.key, strokes: trial)
    func attempt(_ setting: Setting) -> Trial { Trial(setting.strategy, on: use) }
    let byDefault = attempt(.adaptive(threshold: 25))
    // Where nothing is proposed, all stays as it is.
    let own = diagnosis.proposal.map { attempt($0.setting) } ?? byDefault
    let thresholds = Baseline.allCases.map { $0.threshold(gaps) }
    let baselines = thresholds.map { threshold in
      threshold.map { attempt(.adaptive(threshold: max(12, $0))) } ?? byDefault
    }
    let others = Self.rivals.map(attempt)
    let best = ([own, byDefault] + baselines + others).min { $0.cost() < $1.cost() } ?? own
    outcome.excess.add(own.cost() - best.cost())
    outcome.excessOfDefault.add(byDefault.cost() - best.cost())
    for (index, baseline) in baselines.enumerated() {
      outcome.excessOfBaseline[index].add(baseline.cost() - best.cost())
    }
    outcome.missed.add(Proportion(part: own.missed, whole: own.faults))
    outcome.lost.add(Proportion(part: own.lost, whole: own.presses))
    outcome.bestMissed.add(Proportion(part: best.missed, whole: best.faults))
    outcome.bestLost.add(Proportion(part: best.lost, whole: best.presses))
    outcome.proposed.add(diagnosis.proposal != nil)
    guard let proposal = diagnosis.proposal else { return }
    let lost = Proportion(part: own.lost, whole: own.presses).interval
    let foretold = proposal.lostPerThousand.interval
    outcome.lostAsForetold.add(
      lost.overlaps(foretold.lowerBound / 1000...foretold.upperBound / 1000))
    outcome.missedAsForetold.add(
      Proportion(part: own.missed, whole: own.faults).interval.overlaps(proposal.missed.interval))
  }

  /// Settings among which the best one is looked for.
  private static let rivals: [Setting] =
    [20, 30, 40, 50].map { .adaptive(threshold: $0) }
    + [16, 20, 25, 30, 40, 55].map { .eagerDefer(threshold: $0) }
    + [(55, 50), (110, 100)].flatMap { settle, suspect in
      [0, 16, 20, 25, 30, 40, 50].map {
        .confirm(settle: settle, suspect: suspect, dropout: $0)
      }
    }
}

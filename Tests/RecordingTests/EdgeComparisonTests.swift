import Debounce
import Foundation
import Recording
import StrokeFixtures
import Testing

@Suite("Raw edges beside clean ones")
struct EdgeComparisonTests {
  static let files = ((try? FileManager.default.contentsOfDirectory(atPath: fixtures.path)) ?? [])
    .filter { $0.hasSuffix(".strokes") }.sorted()

  /// Edges as the switch reported them, and as they were passed on.
  private func edges(_ steps: [EdgeComparison.Step]) -> (raw: [String], clean: [String]) {
    var (raw, clean): ([String], [String]) = ([], [])
    for case .edge(let step) in steps {
      let outcome = step.outcome
      func edge(at time: Microseconds) -> String {
        "\(Edge(outcome.key, down: outcome.isPress, at: time))"
      }
      switch outcome.kind {
      case .passed:
        raw.append(edge(at: outcome.edge))
        clean.append(edge(at: outcome.edge))
      case .waits, .withdrawn, .suppressed, .duplicate: raw.append(edge(at: outcome.edge))
      case .emitted, .corrected: clean.append(edge(at: outcome.time))
      default: break
      }
    }
    return (raw, clean)
  }

  @Test("is what comes in and what the engine gives out, for every strategy", arguments: files)
  func fixture(_ file: String) throws {
    for stroke in try StrokeCase.load(fixtures.appending(path: file).path) {
      var (comparison, eager) = (EdgeComparison(stroke.rules), EdgeComparison(stroke.rules))
      for frame in stroke.raw.frames {
        comparison.process(frame)
        while let deadline = eager.deadline, deadline < frame.time { eager.advance(to: deadline) }
        eager.process(frame)
      }
      comparison.advance(to: .max)
      while let deadline = eager.deadline { eager.advance(to: deadline) }
      // It is known at each moment: what comes later changes no line.
      #expect(eager.steps == comparison.steps && eager.tally == comparison.tally, "\(stroke)")
      let (raw, clean) = edges(comparison.steps)
      // What strokes mean is passed on by other keys' names: see `MonitorLinesTests`.
      if stroke.rules.meanings.isEmpty {
        #expect(clean == stroke.clean.map { "\($0)".unjoined }, "\(stroke)")
      }
      #expect(raw == stroke.raw.map { "\($0)".unjoined }, "\(stroke)")
      // Every edge that waits says for how long at most: nothing is later than it was said to be.
      var limits: [KeyCode: Microseconds] = [:]
      for case .edge(let step) in comparison.steps {
        let (key, time) = (step.outcome.key, step.outcome.time)
        switch step.outcome.kind {
        case .waits(let until):
          #expect(until > step.outcome.edge, "\(stroke)")
          limits[key] = until
        // What vanishes waits for nothing; if it proves meant after all, that is another matter.
        case .withdrawn, .suppressed: limits[key] = nil
        case .postponed(let until): limits[key] = until
        case .emitted, .corrected:
          if let limit = limits[key] { #expect(time <= limit, "\(stroke)") }
        default: break
        }
      }
    }
  }

  @Test("counts what the replay of a recording counts, and what the daemon's outcomes tell")
  func counts() throws {
    var entries: [RecordingParser.Entry] = []
    var start: Microseconds = 0
    for stroke in try StrokeCase.load(fixtures.appending(path: "chatter.strokes").path) {
      for var frame in stroke.raw.frames {
        frame.time += start
        entries.append(.raw(frame))
      }
      start += 2_000_000
    }
    var comparison = EdgeComparison(Rules())
    for entry in entries { comparison.process(entry) }
    comparison.advance(to: .max)
    let replay = replayed(entries)
    #expect(comparison.tally.counters == replay.counters)
    var engine = Debouncer(Rules())
    engine.reportsOutcomes = true
    for case .raw(let frame) in entries { engine.process(frame) }
    engine.advance(to: .max)
    var decided = EdgeComparison(deciding: [:])
    for outcome in engine.outcomes { decided.process(.outcome(outcome)) }
    #expect(decided.steps == comparison.steps && decided.tally == comparison.tally)
    #expect(decided.deadline == nil)
    // Each is called the same, too.
    var (names, hasRenamed): ([Removal], Bool) = ([], false)
    for case .edge(let step) in comparison.steps {
      switch step.outcome.kind {
      case .withdrawn(let removal, _), .suppressed(let removal, _): names.append(removal)
      case .reclassified(let removal):
        #expect(names.last == .dropOut)
        names[names.count - 1] = removal
        hasRenamed = true
      default: break
      }
    }
    #expect(names.contains(.dropOut) && hasRenamed)
    #expect(names == replay.suppressed.sorted { $0.time < $1.time }.map(\.kind))
  }

  @Test("goes through a pause, a reset and an end as the replay of the recording does")
  func run() {
    let habits = LearnedHabits(keys: [LearnedHabits.Key(30, badFor: 1000)])
    func moves(_ times: Microseconds..., from start: Microseconds) -> [RecordingParser.Entry] {
      times.enumerated().map { index, time in
        .raw(Frame(time: start + time * 1000, [.key(30, down: index % 2 == 0)]))
      }
    }
    // Chatter passes in the pause. Releases wait before the reset, and not behind it.
    let parts: [[RecordingParser.Entry]] = [
      moves(0, 80, from: 0), [.paused(true, at: 500_000)],
      moves(0, 8, 16, 90, from: 1_000_000), [.paused(false, at: 1_500_000)],
      moves(0, 8, 16, 90, from: 2_000_000), [.reset(30, at: 2_500_000)],
      moves(0, 90, from: 3_000_000), moves(0, from: 4_000_000), [.closed(at: 4_050_000)],
      moves(0, 90, from: 5_000_000),
    ]
    let entries = parts.flatMap(\.self)
    var comparison = EdgeComparison(Rules(), habits)
    for entry in entries { comparison.process(entry) }
    comparison.advance(to: .max)
    let replay = replayed(entries, Rules(), habits)
    let emitted = replay.frames.flatMap { frame in
      frame.events.map { "\(Edge($0.code, down: $0.value == 1, at: frame.time))" }
    }
    #expect(edges(comparison.steps).clean == emitted)
    #expect(comparison.tally.counters == replay.counters)
    #expect(replay.counters.pressesIn == 8 && replay.counters.chatter.total == 1)
    // What was learned before the recording is known, until it is forgotten.
    let times = replay.frames.map(\.time)
    #expect(times[1] > 80_000 && times.contains(3_090_000))
  }

  @Test("shows of a press that was locked out while it waited that it did not pass")
  func withheld() {
    let group = Group(keys: [30, 31], lockout: 90_000)
    let rules = Rules(strategy: .prompt(Prompt(quiet: 30_000)), groups: [group])
    var comparison = EdgeComparison(rules)
    // The second press is so soon that it waits for 30 ms.
    let edges = [(0, 31, true), (100, 31, false), (120, 31, true), (130, 30, true)]
    for (time, key, isPress) in edges {
      comparison.process(
        Frame(time: Microseconds(time) * 1000, [.key(KeyCode(key), down: isPress)]))
    }
    #expect(comparison.deadline == 150_000)
    comparison.removeSteps()
    comparison.advance(to: 150_000)
    comparison.process(Frame(time: 200_000, [.key(31, down: false)]))
    let steps = comparison.steps.map { step -> EdgeComparison.Edge? in
      if case .edge(let edge) = step { edge } else { nil }
    }
    #expect(
      steps.map(\.?.outcome) == [
        Outcome(
          key: 31, isPress: true, edge: 120_000, time: 150_000, kind: .vanished(.lockedOut)),
        Outcome(
          key: 31, isPress: false, edge: 200_000, time: 200_000,
          kind: .suppressed(.lockedOut, deliveredAt: nil)),
      ])
    #expect(steps.map(\.?.interval) == [nil, 80_000])
    #expect(comparison.tally.counters.lockedOut == 1)
  }
}

extension String {
  /// The edge without the sign that it belongs to the frame before.
  fileprivate var unjoined: String { replacing("& ", with: "") }
}

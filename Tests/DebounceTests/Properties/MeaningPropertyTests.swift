import Randomness
import StrokeFixtures
import Testing

@testable import Debounce

/// What must hold of every stream of a device with meanings, and mutants of which it does not.
@Suite struct MeaningPropertyTests {
  @Test("Each property of meanings holds of every stream", arguments: MeaningProperty.all)
  func property(of property: MeaningProperty) {
    for seed in 0..<UInt64(max(200, PropertyTests.streams)) {
      var trial = MeaningTrial(seed: seed)
      guard let violation = property.violation(&trial) else { continue }
      Issue.record("seed \(seed): \(violation)\n\(trial.stream)\n\(trial.rules)")
      return
    }
  }

  @Test("Each property of meanings fails of its mutants", arguments: MeaningProperty.all)
  func itFailsOfItsMutants(_ property: MeaningProperty) {
    for (name, mutate) in property.mutants {
      let fails = (0..<UInt64(600)).contains { seed in
        var trial = MeaningTrial(seed: seed)
        mutate(&trial)
        return property.violation(&trial) != nil
      }
      #expect(fails, "\(name)")
    }
  }
}

/// A stream, rules with meanings, and what a mutant does otherwise.
struct MeaningTrial {
  let rules: Rules
  let stream: Stream
  var random: SeededRandom
  /// The rules that the engine has; a mutant's are others.
  var engineRules: Rules
  /// What a mutant makes of the edges that are emitted, and of the outcomes.
  var garble: @Sendable ([Edge]) -> [Edge] = { $0 }
  var garbleOutcomes: @Sendable ([Outcome]) -> [Outcome] = { $0 }
  /// By how much a mutant takes it for later than it is told.
  var hurry: Microseconds = 0
  /// Meanings of a key that nobody touches; of one that is touched in a mutant.
  var strays: [KeyCode: Meanings] = [300: Meanings(single: 301, double: 302, hold: 303)]

  init(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let kinds: [Kind] = [.none, .none, .eagerDefer, .defer, .adaptive, .group, .throttleLatest]
    let kind = random.pick(kinds)
    var rules = kind.rules(using: &random)
    for key in Stream.keys.prefix(Int.random(in: 1...4, using: &random)) {
      rules.meanings[key] = Self.meanings(of: key, using: &random)
      // Without a strategy, the gaps of the clean edges are those of the switch, and known to the oracle.
      rules.meanings[key]?.shortestGap = kind == .none ? random.pick([0, 5.ms, 20.ms]) : 0
    }
    self.rules = rules
    engineRules = rules
    stream = Stream(for: rules, using: &random)
    self.random = random
  }

  /// Keys that are pressed themselves, and others that are not.
  private static let pool: [KeyCode] = Stream.keys + [200, 201, 202]

  static func meanings(of key: KeyCode, using random: inout SeededRandom) -> Meanings {
    var meanings = Meanings(single: Bool.random(using: &random) ? key : random.pick(pool))
    if Int.random(in: 0..<4, using: &random) > 0 { meanings.double = random.pick(pool) }
    meanings.isEager = Int.random(in: 0..<4, using: &random) == 0
    if !meanings.isEager, Bool.random(using: &random) { meanings.hold = random.pick(pool) }
    meanings.within = random.pick([10.ms, 30.ms, 60.ms])
    meanings.after = random.pick([20.ms, 50.ms, 90.ms])
    meanings.shortestGap = 0
    return meanings
  }

  /// The edges without meanings: what strategies and groups leave.
  var clean: [Edge] {
    var rules = rules
    rules.meanings = [:]
    var engine = Debouncer(rules)
    return cleanEdges(stream.frames.flatMap { engine.process($0) } + engine.advance(to: .max))
  }

  /// What the engine emits, and what it reports.
  func run() -> (edges: [Edge], outcomes: [Outcome]) {
    var engine = Debouncer(engineRules)
    engine.reportsOutcomes = true
    for frame in stream.frames { engine.process(frame) }
    engine.advance(to: .max)
    let outcomes = Array(engine.outcomes)
    return (garble(cleanEdges(engine.takeFrames())), garbleOutcomes(outcomes))
  }
}

struct MeaningProperty: Sendable, CustomStringConvertible {
  typealias Mutation = @Sendable (inout MeaningTrial) -> Void

  var name: String
  var mutants: [(name: String, mutate: Mutation)]
  /// Says what is wrong, if anything is.
  var violation: @Sendable (inout MeaningTrial) -> String?

  var description: String { name }

  static let all: [MeaningProperty] = [
    agreesWithTheOracle, accountsForEveryStroke, isBounded, endsEveryPress,
    doesNotCareWhenItIsAsked, changesNothingElse, survivesLosses, survivesNewRules,
  ]

  /// A mutant that has other rules.
  private static func mutant(
    _ name: String, _ change: @escaping @Sendable (inout Meanings) -> Void
  ) -> (name: String, mutate: Mutation) {
    (
      name,
      { trial in
        trial.engineRules.meanings = trial.engineRules.meanings.mapValues { meanings in
          var meanings = meanings
          change(&meanings)
          return meanings
        }
      }
    )
  }

  private static let sticks: (name: String, mutate: Mutation) = (
    "forgets the last release",
    { trial in
      trial.garble = { edges in
        guard let last = edges.lastIndex(where: { !$0.isDown }) else { return edges }
        var edges = edges
        edges.remove(at: last)
        return edges
      }
    }
  )

  static let agreesWithTheOracle = MeaningProperty(
    name: "what is emitted is what the clean edges mean, in the order of the switches",
    mutants: [
      mutant("waits a little longer for a second press") { $0.within += 1 },
      mutant("takes a press for a long one too soon") { $0.after -= 1 },
      mutant("knows no long press") { $0.hold = nil },
      mutant("knows no double press") { $0.double = nil },
      mutant("says at once what it should wait for") { $0.isEager = $0.hold == nil },
      mutant("says later what it should say at once") { $0.isEager = false },
      mutant("takes every gap for a finger's") { $0.shortestGap = 0 },
      mutant("takes the shortest gap itself for too short") { $0.shortestGap += 1 },
      sticks,
      (
        "decides after another key instead of before it",
        { trial in
          trial.garble = { edges in
            var edges = edges
            for index in edges.indices.dropFirst()
            where edges[index].isDown && edges[index - 1].isDown
              && edges[index].time == edges[index - 1].time
            {
              edges.swapAt(index, index - 1)
            }
            return edges
          }
        }
      ),
    ]
  ) { trial in
    let expected = MeaningOracle.edges(trial.clean, trial.rules.meanings)
    let emitted = trial.run().edges
    return emitted == expected ? nil : "expected \(expected.text), not \(emitted.text)"
  }

  static let accountsForEveryStroke = MeaningProperty(
    name: "every clean stroke belongs to one meaning, and no more",
    mutants: [
      ("loses a decision", { $0.garbleOutcomes = { $0.filter { $0.meaning != .double } } }),
      ("says one twice", { $0.garbleOutcomes = { $0 + $0.filter { $0.meaning == .hold } } }),
    ]
  ) { trial in
    let clean = trial.clean
    let outcomes = trial.run().outcomes
    for (key, meanings) in trial.rules.meanings {
      let strokes = outcomes.filter { $0.key == key }.reduce(0) { sum, outcome in
        switch outcome.kind {
        case .meant(.double, _): sum + (meanings.isEager ? 1 : 2)
        case .meant, .continued: sum + 1
        default: sum
        }
      }
      let presses = clean.of(key).count(where: \.isDown)
      guard strokes == presses else {
        return "\(strokes) of \(presses) strokes of \(KeyName.name(of: key))"
      }
    }
    return nil
  }

  static let isBounded = MeaningProperty(
    name: "a stroke is decided within the times that are set for it",
    mutants: [
      mutant("waits three times as long for a second press") { $0.within *= 3 },
      mutant("waits three times as long for a long press") { $0.after *= 3 },
    ]
  ) { trial in
    for outcome in trial.run().outcomes {
      guard outcome.meaning != nil, let meanings = trial.rules.meanings[outcome.key] else {
        continue
      }
      let bound = max(
        meanings.double == nil ? 0 : meanings.within, meanings.hold == nil ? 0 : meanings.after)
      guard outcome.time - outcome.edge <= bound else { return "\(outcome)" }
    }
    return nil
  }

  static let endsEveryPress = MeaningProperty(
    name: "wherever the stream is cut off, no key stays down and none moves twice",
    mutants: [sticks]
  ) { trial in
    var engine = Debouncer(trial.engineRules)
    let length = Int.random(in: 0...trial.stream.frames.count, using: &trial.random)
    var frames: [Frame] = trial.stream.frames.prefix(length).flatMap { engine.process($0) }
    let held = cleanEdges(frames).held
    guard engine.held == KeySet(held) else { return "\(engine.held) are held, not \(held)" }
    frames += engine.close(at: trial.stream.frames.last?.time ?? 0)
    guard engine.advance(to: .max).isEmpty, engine.isAtRest else { return "goes on" }
    return Self.fault(of: trial.garble(cleanEdges(frames)))
  }

  static let doesNotCareWhenItIsAsked = MeaningProperty(
    name: "extra and late calls of advance change nothing, nor does room that keys find late",
    mutants: [("takes it for later than it is told", { $0.hurry = 2 })]
  ) { trial in
    var (asked, unasked) = (Debouncer(trial.rules), Debouncer(trial.rules, upTo: 0))
    var (some, all): ([Frame], [Frame]) = ([], [])
    var last = Microseconds.min / 2
    for frame in trial.stream.frames {
      all += unasked.process(frame)
      for _ in 0..<Int.random(in: 0...2, using: &trial.random) where last < frame.time {
        let time = Microseconds.random(in: last..<frame.time, using: &trial.random)
        some += asked.advance(to: time + trial.hurry)
      }
      if let deadline = asked.deadline, deadline < frame.time {
        some += asked.advance(to: deadline + trial.hurry)
      }
      some += asked.process(frame)
      last = frame.time
    }
    while let deadline = asked.deadline { some += asked.advance(to: deadline) }
    all += unasked.advance(to: .max)
    return some == all ? nil : "\(cleanEdges(all).text), \(cleanEdges(some).text)"
  }

  static let changesNothingElse = MeaningProperty(
    name: "without meanings, and with meanings of other keys, frames are as they were",
    mutants: [("means something else by A", { $0.strays = [.a: Meanings(single: .d)] })]
  ) { trial in
    var plain = trial.rules
    plain.meanings = [:]
    var rules = plain
    rules.meanings = trial.strays
    var (one, other) = (Debouncer(plain), Debouncer(rules))
    for frame in trial.stream.frames {
      guard one.process(frame) == other.process(frame), one.deadline == other.deadline,
        one.held == other.held
      else { return "at \(frame.time)" }
    }
    guard one.advance(to: .max) == other.advance(to: .max) else { return "in the end" }
    return one.counters == other.counters ? nil : "counted otherwise"
  }

  static let survivesLosses = MeaningProperty(
    name: "after a loss nothing is undecided, and no key stays down", mutants: [sticks]
  ) { trial in
    var engine = Debouncer(trial.engineRules)
    var edges: [Edge] = []
    for frame in trial.stream.frames {
      if Int.random(in: 0..<4, using: &trial.random) == 0 {
        let held = KeySet(Stream.keys.filter { _ in Bool.random(using: &trial.random) })
        edges += cleanEdges(engine.resynchronise(held: held, at: frame.time))
        guard !engine.hasUndecidedStroke, engine.deadline == nil else { return "undecided" }
      } else {
        edges += cleanEdges(engine.process(frame))
      }
      guard engine.held == KeySet(edges.held) else { return "held otherwise" }
    }
    edges += cleanEdges(engine.close(at: trial.stream.frames.last?.time ?? 0))
    return Self.fault(of: trial.garble(edges))
  }

  static let survivesNewRules = MeaningProperty(
    name: "whatever rules are adopted when, no key stays down and none moves twice",
    mutants: [sticks]
  ) { trial in
    var engine = Debouncer(Rules(strategy: .none))
    var edges: [Edge] = []
    for frame in trial.stream.frames {
      if Bool.random(using: &trial.random) {
        var rules = trial.rules
        rules.meanings = [:]
        for key in Stream.keys where Bool.random(using: &trial.random) {
          rules.meanings[key] = MeaningTrial.meanings(of: key, using: &trial.random)
        }
        engine.adopt(rules)
      }
      edges += cleanEdges(engine.process(frame))
      guard engine.held == KeySet(edges.held) else { return "held otherwise" }
    }
    edges += cleanEdges(engine.close(at: trial.stream.frames.last?.time ?? 0))
    return Self.fault(of: trial.garble(edges))
  }

  /// What is wrong with the edges of a device that was closed.
  private static func fault(of edges: [Edge]) -> String? {
    var held: Set<KeyCode> = []
    for edge in edges {
      guard held.contains(edge.key) != edge.isDown else { return "\(edge) again: \(edges.text)" }
      if edge.isDown { held.insert(edge.key) } else { held.remove(edge.key) }
    }
    return held.isEmpty ? nil : "held in the end: \(edges.text)"
  }
}

extension Outcome {
  /// What the outcome says that strokes were taken for.
  fileprivate var meaning: Meaning? {
    if case .meant(let meaning, _) = kind { meaning } else { nil }
  }
}

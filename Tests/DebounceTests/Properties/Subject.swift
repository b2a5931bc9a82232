import Debounce
import Randomness
import StrokeFixtures

/// What a property is checked of: the engine, or a mutant of it.
protocol Subject: Sendable {
  init(_ rules: Rules)
  /// One that has room for no key until it moves.
  static func withoutRoom(_ rules: Rules) -> Self

  var counters: Counters { get }
  /// The counts of each key that was pressed.
  var keyCounts: [KeyCounts] { get }
  var reportsOutcomes: Bool { get set }
  var outcomes: ContiguousArray<Outcome> { get }

  mutating func process(_ raw: Frame) -> [Frame]
  mutating func advance(to time: Microseconds) -> [Frame]
  mutating func resynchronise(held: KeySet, at time: Microseconds) -> [Frame]
  mutating func close(at time: Microseconds) -> [Frame]
  mutating func adopt(_ rules: Rules)
  mutating func pause()
  mutating func resume()
  /// A new one that goes on from what this one has learned.
  func successor(_ rules: Rules) -> Self
}

extension Debouncer: Subject {
  init(_ rules: Rules) { self.init(rules, upTo: KeyCode(EventType.keyCount - 1)) }

  static func withoutRoom(_ rules: Rules) -> Debouncer { Debouncer(rules, upTo: 0) }

  var keyCounts: [KeyCounts] { countedKeys.compactMap { counts(of: $0) } }

  func successor(_ rules: Rules) -> Debouncer {
    var successor = Debouncer(rules)
    successor.install(habits)
    return successor
  }
}

/// A subject at work.
struct Trial {
  var subject: any Subject
  var rules: Rules
  var stream: Stream
  /// For what a property chooses by itself.
  var random: SeededRandom
  /// What became of the stream, where that is known already.
  var decided: [Frame]?

  init(_ type: any Subject.Type, _ rules: Rules, _ stream: Stream, seed: UInt64) {
    subject = type.init(rules)
    self.rules = rules
    self.stream = stream
    random = SeededRandom(seed: seed)
  }

  /// A trial of a stream that a subject like this one has decided on already.
  init(_ subject: any Subject, _ rules: Rules, _ stream: Stream, decided: [Frame], seed: UInt64) {
    self.subject = subject
    self.rules = rules
    self.stream = stream
    self.decided = decided
    random = SeededRandom(seed: seed)
  }

  /// What becomes of the stream once all deadlines have passed.
  func frames() -> [Frame] {
    decided ?? frames(of: stream, by: subject)
  }

  /// What becomes of another stream by other rules.
  func frames(of stream: Stream, _ rules: Rules? = nil) -> [Frame] {
    frames(of: stream, by: rules.map { type(of: subject).init($0) } ?? subject)
  }

  private func frames(of stream: Stream, by subject: any Subject) -> [Frame] {
    var subject = subject
    return subject.play(stream)
  }
}

extension Subject {
  /// What becomes of the stream once all deadlines have passed.
  @discardableResult
  mutating func play(_ stream: Stream) -> [Frame] {
    stream.frames.flatMap { process($0) } + advance(to: .max)
  }
}

/// The clean edges in `frames`, without regard to which of them share a frame.
func cleanEdges(_ frames: [Frame]) -> [Edge] {
  var clean: [Edge] = []
  for frame in frames {
    for event in frame.events where event.type == EventType.key {
      clean.append(Edge(event.code, down: event.value != 0, at: frame.time))
    }
  }
  return clean
}

extension [Edge] {
  func of(_ key: KeyCode) -> [Edge] { filter { $0.key == key } }

  /// The keys that are down after these edges.
  var held: Set<KeyCode> {
    var held: Set<KeyCode> = []
    for edge in self {
      if edge.isDown { held.insert(edge.key) } else { held.remove(edge.key) }
    }
    return held
  }
}

extension Trial {
  /// What is wrong with all clean edges of the stream: those of each key alternate, and it ends as the raw ones do, unless
  /// its strategy takes strokes; `nil` if nothing is.
  ///
  /// - Parameter held: Which keys are down in the end, if not those of the raw edges.
  func fault(in clean: [Edge], held: Set<KeyCode>? = nil) -> String? {
    let held = held ?? stream.raw.held
    for key in Stream.keys {
      guard clean.of(key).enumerated().allSatisfy({ $1.isDown == ($0 % 2 == 0) }) else {
        return "\(clean.of(key).text) does not alternate"
      }
      let isDown = clean.held.contains(key)
      guard isDown != held.contains(key) else { continue }
      if isDown || !rules.suppressesStrokes(of: key) {
        return "\(KeyName.name(of: key)) is \(isDown ? "down" : "up")"
      }
    }
    return nil
  }
}

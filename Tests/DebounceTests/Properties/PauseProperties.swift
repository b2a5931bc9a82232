import Debounce
import StrokeFixtures

// MARK: - Pauses

extension Property {
  static let pauses: [Property] = [
    survivesPauses, passesWhilePaused, goesOnAfterPauses, doesNotNoticeEmptyPauses,
  ]

  static let survivesPauses = Property(
    name: "wherever it is paused and resumed, edges alternate and clean becomes raw",
    mutant: Forgetful.self
  ) { trial in
    var clean: [Edge] = []
    var isPaused = false
    for frame in trial.stream.frames {
      if Int.random(in: 0..<3, using: &trial.random) == 0 {
        if isPaused { trial.subject.resume() } else { trial.subject.pause() }
        isPaused.toggle()
      }
      clean += cleanEdges(trial.subject.process(frame))
    }
    var closed = trial.subject
    let end = clean + cleanEdges(closed.close(at: trial.stream.frames.last?.time ?? 0))
    guard end.held.isEmpty, closed.advance(to: .max).isEmpty else { return "goes on after closing" }
    clean += cleanEdges(trial.subject.advance(to: .max))
    return trial.fault(in: clean)
  }

  static let passesWhilePaused = Property(
    name:
      "while it is paused, the edges of a key that was idle pass, and of a device at rest all as they come",
    mutant: Insomniac.self
  ) { trial in
    let place = Int.random(in: 0...trial.stream.frames.count, using: &trial.random)
    for frame in trial.stream.frames.prefix(place) { _ = trial.subject.process(frame) }
    // Keys that have not moved yet are idle.
    let moved = Set(Stream(frames: Array(trial.stream.frames.prefix(place))).raw.map(\.key))
    let rest = Stream(frames: Array(trial.stream.frames.dropFirst(place)))
    trial.subject.pause()
    var subject = trial.subject
    let frames = subject.play(rest)
    for key in Stream.keys where !moved.contains(key) {
      let (raw, clean) = (rest.raw.of(key), cleanEdges(frames).of(key))
      // An earlier press of another key may still be undecided, and goes first.
      guard raw.map(\.isDown) == clean.map(\.isDown) else { return "\(raw.text) is \(clean.text)" }
    }
    let start = trial.subject.comeToRest(after: trial.stream)
    let later = trial.stream.withTimes { $0 + start }
    let passed = later.frames.flatMap { trial.subject.process($0) }
    guard trial.subject.advance(to: .max).isEmpty else { return "something waits" }
    let expected = trial.frames(of: later, Rules(strategy: .none))
    return passed == expected ? nil : "\(later.raw.text) became \(cleanEdges(passed).text)"
  }

  static let goesOnAfterPauses = Property(
    name: "after a pause that begins and ends at rest, it decides as if it had seen none of it",
    mutant: Dozer.self
  ) { trial in
    for frame in trial.stream.frames { _ = trial.subject.process(frame) }
    var time = trial.subject.comeToRest(after: trial.stream)
    var other = trial.subject
    trial.subject.pause()
    for frame in trial.stream.withTimes({ $0 + time }).frames { _ = trial.subject.process(frame) }
    time += trial.subject.comeToRest(after: trial.stream, from: time)
    trial.subject.resume()
    let later = trial.stream.withTimes { $0 + time }
    let (frames, expected) = (trial.subject.play(later), other.play(later))
    return frames == expected
      ? nil : "\(cleanEdges(expected).text) without, \(cleanEdges(frames).text) after a pause"
  }

  static let doesNotNoticeEmptyPauses = Property(
    name: "a pause in which nothing happens changes nothing",
    // A lock of a group ends with a pause.
    kinds: Kind.allCases.filter { $0 != .group }, mutant: Forgetful.self
  ) { trial in
    let undisturbed = trial.frames()
    var disturbed: [Frame] = []
    for frame in trial.stream.frames {
      if Bool.random(using: &trial.random) {
        trial.subject.pause()
        trial.subject.resume()
      }
      disturbed += trial.subject.process(frame)
    }
    disturbed += trial.subject.advance(to: .max)
    return undisturbed == disturbed ? nil : cleanEdges(disturbed).text
  }
}

extension Subject {
  /// Lets go of every key, and lets all deadlines pass.
  ///
  /// - Returns: A time after which no time of before matters, measured from `start`.
  fileprivate mutating func comeToRest(
    after stream: Stream, from start: Microseconds = 0
  ) -> Microseconds {
    let end = (stream.frames.last?.time ?? 0) + 10_000.ms
    _ = process(Frame(time: start + end, Stream.keys.map { .up($0) }))
    _ = advance(to: .max)
    return end + 100_000.ms
  }
}

/// Begins anew with every pause.
struct Forgetful: Mutant {
  var engine: Debouncer
  private var rules = Rules()

  init(engine: Debouncer) { self.engine = engine }

  init(_ rules: Rules) {
    engine = Debouncer(rules)
    self.rules = rules
  }

  mutating func pause() {
    engine = Debouncer(rules)
    engine.pause()
  }
}

/// Knows no pause.
struct Insomniac: Mutant {
  var engine: Debouncer

  mutating func pause() {}
}

/// Stays paused.
struct Dozer: Mutant {
  var engine: Debouncer

  mutating func resume() {}
}

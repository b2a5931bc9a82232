import Debounce
import TypingModel

/// A clean edge: what a rule made of the raw ones.
struct CleanEdge: Equatable {
  /// When it was emitted, in microseconds.
  var time: Microseconds
  var key: KeyCode
  var down: Bool
}

/// A rule at work on one keyboard.
protocol Filter {
  /// Takes a raw edge, and adds the clean ones that follow from it, or came due before it, to `clean`.
  mutating func take(_ edge: RawEdge, into clean: inout [CleanEdge])

  /// Nothing comes any more: adds what was still waiting.
  mutating func finish(into clean: inout [CleanEdge])
}

/// The engine.
struct EngineFilter: Filter {
  private var engine: Debouncer
  private var frame = Frame(capacity: 1)

  init(_ strategy: Strategy, _ habits: LearnedHabits = LearnedHabits()) {
    engine = Debouncer(Rules(strategy: strategy))
    engine.install(habits)
  }

  /// One in whose settings every key has this.
  init(named adaptive: Adaptive) {
    let keys = (0..<KeyCode(EventType.keyCount)).map { ($0, Strategy.adaptive(adaptive)) }
    engine = Debouncer(Rules(keys: Dictionary(uniqueKeysWithValues: keys)))
  }

  /// What it has learned so far.
  var habits: LearnedHabits { engine.habits }

  mutating func take(_ edge: RawEdge, into clean: inout [CleanEdge]) {
    frame.removeAll()
    frame.time = edge.time
    frame.append(.key(edge.key, down: edge.down))
    engine.process(frame)
    collect(into: &clean)
  }

  mutating func finish(into clean: inout [CleanEdge]) {
    engine.advance(to: .max)
    collect(into: &clean)
  }

  private mutating func collect(into clean: inout [CleanEdge]) {
    engine.output.drain { events, time in
      for event in events where event.type == EventType.key {
        clean.append(CleanEdge(time: time, key: event.code, down: event.value != 0))
      }
    }
  }
}

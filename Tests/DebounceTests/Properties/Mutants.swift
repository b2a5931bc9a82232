@testable import Debounce

/// An engine with something wrong about it, to see that a property notices.
protocol Mutant: Subject {
  var engine: Debouncer { get set }

  init(engine: Debouncer)
}

extension Mutant {
  init(_ rules: Rules) { self.init(engine: Debouncer(rules)) }
  static func withoutRoom(_ rules: Rules) -> Self { Self(engine: .withoutRoom(rules)) }

  var counters: Counters { engine.counters }
  var keyCounts: [KeyCounts] { engine.keyCounts }
  var reportsOutcomes: Bool {
    get { engine.reportsOutcomes }
    set { engine.reportsOutcomes = newValue }
  }
  var outcomes: ContiguousArray<Outcome> { engine.outcomes }

  mutating func process(_ raw: Frame) -> [Frame] { engine.process(raw) }
  mutating func advance(to time: Microseconds) -> [Frame] { engine.advance(to: time) }
  mutating func resynchronise(held: KeySet, at time: Microseconds) -> [Frame] {
    engine.resynchronise(held: held, at: time)
  }
  mutating func close(at time: Microseconds) -> [Frame] { engine.close(at: time) }
  mutating func adopt(_ rules: Rules) { engine.adopt(rules) }
  mutating func pause() { engine.pause() }
  mutating func resume() { engine.resume() }
  func successor(_ rules: Rules) -> Self { Self(engine: engine.successor(rules)) }
}

/// An engine that has other rules than it is told.
protocol RulesMutant: Mutant {
  static func mutate(_ rules: inout Rules)
}

extension RulesMutant {
  init(_ rules: Rules) {
    var rules = rules
    Self.mutate(&rules)
    self.init(engine: Debouncer(rules))
  }
}

/// Gives no key room.
struct Cramped: Mutant {
  var engine: Debouncer

  mutating func process(_ raw: Frame) -> [Frame] {
    engine.process(Frame(time: raw.time, raw.events.filter { $0.code < engine.keys.count }))
  }
}

/// Says everything twice.
struct Stutterer: Mutant {
  var engine: Debouncer

  mutating func process(_ raw: Frame) -> [Frame] {
    engine.process(raw).flatMap { [$0, $0] }
  }
}

/// Forgets what waits.
struct Forgetter: Mutant {
  var engine: Debouncer

  mutating func advance(to time: Microseconds) -> [Frame] {
    engine.advance(to: time)
    return []
  }
}

/// Leaves without letting go.
struct Leaver: Mutant {
  var engine: Debouncer

  mutating func close(at time: Microseconds) -> [Frame] { [] }
}

/// Emits late what waited.
struct Sleeper: Mutant {
  var engine: Debouncer

  mutating func advance(to time: Microseconds) -> [Frame] {
    Stream(frames: engine.advance(to: time)).withTimes { $0 + 1 }.frames
  }
}

/// Drops the whole frame of an edge that vanishes.
struct FrameDropper: Mutant {
  var engine: Debouncer

  mutating func process(_ raw: Frame) -> [Frame] {
    engine.process(raw).filter { $0.events.contains { $0.type == EventType.key } }
  }
}

/// Forgets the scan codes of what waits.
struct ScanDropper: Mutant {
  var engine: Debouncer

  mutating func advance(to time: Microseconds) -> [Frame] {
    engine.advance(to: time).map { Frame(time: $0.time, $0.events.filter { !$0.isScan }) }
  }
}

/// Says nothing at length.
struct Babbler: Mutant {
  var engine: Debouncer

  mutating func process(_ raw: Frame) -> [Frame] {
    engine.process(raw) + [Frame(time: raw.time)]
  }
}

/// Flushes nothing.
struct Loiterer: RulesMutant {
  var engine: Debouncer

  static func mutate(_ rules: inout Rules) { rules.flush = .none }
}

/// Flushes everything.
struct Flusher: RulesMutant {
  var engine: Debouncer

  static func mutate(_ rules: inout Rules) { rules.flush = .all }
}

/// Counts nothing.
struct Miscounter: Mutant {
  var engine: Debouncer

  var counters: Counters { Counters() }
}

/// Has one key that does nothing.
struct Skipper: Mutant {
  var engine: Debouncer

  mutating func process(_ raw: Frame) -> [Frame] {
    engine.process(Frame(time: raw.time, raw.events.filter { $0.code != .a }))
  }
}

/// Takes it for later than it is told.
struct Hurrier: Mutant {
  var engine: Debouncer

  mutating func advance(to time: Microseconds) -> [Frame] {
    engine.advance(to: time == .max ? time : time + 2)
  }
}

/// Has a clock of its own, with coarse steps.
struct Quantiser: Mutant {
  var engine: Debouncer

  mutating func process(_ raw: Frame) -> [Frame] {
    var raw = raw
    raw.time &= ~0xfff
    return engine.process(raw)
  }
}

/// Takes no time for some.
struct Lingerer: RulesMutant {
  var engine: Debouncer

  static func mutate(_ rules: inout Rules) {
    let none = Strategy.eager(Eager(threshold: 0))
    if rules.strategy == none { rules.strategy = .eager(Eager(threshold: 1)) }
  }
}

/// Gives up where much is asked of it.
struct Waverer: RulesMutant {
  var engine: Debouncer

  static func mutate(_ rules: inout Rules) {
    if rules.times.contains(where: { $0 > 20.ms }) { rules.strategy = .none }
  }
}

/// Waits for quiet instead of locking.
struct Prompter: RulesMutant {
  var engine: Debouncer

  static func mutate(_ rules: inout Rules) {
    rules = Rules(strategy: .prompt(Prompt(quiet: 20.ms)), flush: .none)
  }
}

/// Tells of the differences later, if at all.
struct Mistruster: Mutant {
  var engine: Debouncer

  mutating func resynchronise(held: KeySet, at time: Microseconds) -> [Frame] {
    _ = engine.resynchronise(held: held, at: time)
    return []
  }
}

/// Gives what waits up when events are lost, whether or not it was due.
struct Shredder: Mutant {
  var engine: Debouncer
  private var last: Microseconds = 0

  init(engine: Debouncer) { self.engine = engine }

  mutating func process(_ raw: Frame) -> [Frame] {
    last = raw.time
    return engine.process(raw)
  }

  mutating func resynchronise(held: KeySet, at time: Microseconds) -> [Frame] {
    _ = engine.resynchronise(held: engine.held, at: last)
    return engine.resynchronise(held: held, at: time)
  }
}

/// Leaves nothing of what it has learned.
struct Amnesiac: Mutant {
  var engine: Debouncer

  func successor(_ rules: Rules) -> Amnesiac { Amnesiac(rules) }
}

/// Begins anew with every reload.
struct Restarter: Mutant {
  var engine: Debouncer

  mutating func adopt(_ rules: Rules) { engine = Debouncer(rules) }
}

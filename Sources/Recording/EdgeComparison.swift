import Debounce

/// The raw edges of a device beside the clean ones, as they happen, by the outcomes that an engine reports. The engine is here or
/// in the daemon.
///
/// A value without I/O and without a clock, as the engine is. It receives frames and the passing of time, and lists
/// ``steps``.
public struct EdgeComparison {
  public enum Step: Equatable, Sendable {
    case edge(Edge)
    /// An event that is not of a key. Nothing is told of what `[wheel]` makes of it.
    case other(Event, time: Microseconds)
    /// Events were lost before they came here; the keys' state was asked for again.
    case lost(time: Microseconds)
  }

  /// An edge and its outcome, when the edge came or later.
  public struct Edge: Equatable, Sendable {
    public let outcome: Outcome
    /// The time since the key's edge before: the gap before a press, the hold before a release. `nil` if it is not known, or
    /// the edge was shown already.
    public let interval: Microseconds?
    /// Whether the key was not seen before. A first release is of a key that was down before anybody looked.
    public let isFirst: Bool
    /// Whether the key has meanings. Then the keys that its strokes mean are emitted, and not its clean edges.
    public let hasMeanings: Bool
  }

  /// The steps that were listed since ``removeSteps()``.
  public private(set) var steps: [Step] = []
  public private(set) var tally = EdgeTally()

  /// The engine that decides; `nil` if the daemon's does.
  private var engine: Debouncer?
  private let meanings: [KeyCode: Meanings]
  /// When each key that was seen moved last; `nil` if that is not known.
  private var keys: [KeyCode: Microseconds?] = [:]
  /// The keys that are down, as the entries say.
  private var held = KeySet()

  /// - Parameters:
  ///   - rules: The rules of the device that is watched.
  ///   - habits: The habits that were learned of it before.
  public init(_ rules: Rules, _ habits: LearnedHabits = LearnedHabits()) {
    var engine = Debouncer(rules)
    engine.install(habits)
    engine.reportsOutcomes = true
    self.engine = engine
    meanings = rules.meanings
  }

  /// A comparison by the outcomes of the daemon's engine, which are among the entries.
  ///
  /// - Parameter meanings: The meanings that the device's keys have there.
  public init(deciding meanings: [KeyCode: Meanings]) {
    engine = nil
    self.meanings = meanings
  }

  /// When ``advance(to:)`` must be called next if no frame comes before; `nil` for never.
  public var deadline: Microseconds? { engine?.deadline }

  public mutating func removeSteps() {
    steps.removeAll(keepingCapacity: true)
  }

  /// Processes the next entry of a recording, or of a device that is watched. The clean frames of a recorded run change
  /// nothing.
  public mutating func process(_ entry: RecordingParser.Entry) {
    switch entry {
    case .raw(let frame) where frame.saysEventsWereLost:
      begin(by: entry, held: frame.keysHeld(before: held), lostAt: frame.time)
    case .raw(let frame): process(frame)
    case .outcome(let outcome) where engine == nil:
      tally.counters.count(outcome)
      add(outcome)
    case .lost(let lines, let held, let time):
      begin(by: entry, held: held, lostAt: lines > 0 ? time : nil)
    case .closed: begin(by: entry, held: KeySet())
    case .reset, .paused:
      engine?.process(recorded: entry)
      for outcome in takeOutcomes() { add(outcome) }
    case .clean, .outcome: break
    }
  }

  public mutating func process(_ frame: Frame) {
    held = frame.keysHeld(before: held)
    engine?.process(frame)
    let outcomes = takeOutcomes()
    var next = outcomes.startIndex
    for event in frame.events where event.type != EventType.key {
      // Events that are not of keys have no outcome. They stand before the edges of their frame.
      while next < outcomes.endIndex, outcomes[next].time < frame.time {
        add(outcomes[next])
        next += 1
      }
      guard !event.isScan, event.type != EventType.synchronisation else { continue }
      steps.append(.other(event, time: frame.time))
    }
    for outcome in outcomes[next...] { add(outcome) }
  }

  public mutating func advance(to time: Microseconds) {
    engine?.advance(to: time)
    for outcome in takeOutcomes() { add(outcome) }
  }

  /// Starts again with the keys that are down: events were lost, or not read for a while.
  private mutating func begin(
    by entry: RecordingParser.Entry, held: KeySet, lostAt time: Microseconds? = nil
  ) {
    if let time {
      steps.append(.lost(time: time))
      tally.losses += 1
    }
    self.held = held
    keys = [:]
    engine?.process(recorded: entry)
    for outcome in takeOutcomes() { add(outcome) }
    for code in held { keys.updateValue(nil, forKey: code) }
  }

  /// Takes the outcomes that the engine has reported, and its counts.
  private mutating func takeOutcomes() -> ContiguousArray<Outcome> {
    guard let reported = engine?.outcomes, let counters = engine?.counters else { return [] }
    engine?.outcomes.removeAll()
    engine?.output.removeAll()
    tally.counters = counters
    return reported
  }

  private mutating func add(_ outcome: Outcome) {
    tally.keys[outcome.key, default: Counters()].count(outcome)
    let before = keys[outcome.key]
    var interval: Microseconds?
    switch outcome.kind {
    case .passed, .waits, .withdrawn, .suppressed:
      if let before = before ?? nil { interval = outcome.edge - before }
      keys[outcome.key] = outcome.edge
    // The first release is often that of the Enter that started the command.
    case .duplicate where !outcome.isPress && before == nil: keys[outcome.key] = outcome.edge
    default: break
    }
    steps.append(
      .edge(
        Edge(
          outcome: outcome, interval: interval, isFirst: before == nil,
          hasMeanings: meanings[outcome.key] != nil)))
  }
}

public struct EdgeTally: Equatable, Sendable {
  public internal(set) var counters = Counters()
  public internal(set) var losses = 0
  fileprivate(set) var keys: [KeyCode: Counters] = [:]

  /// The keys with removed presses, those with the most first. Each has the number of presses that its switch reported, and how
  /// many of them were removed.
  public var mostRemoved: [(key: KeyCode, presses: UInt64, removed: UInt64)] {
    keys.map { ($0, $1.pressesIn, $1.chatter.total + $1.suppressed) }.filter { $0.2 > 0 }
      .sorted { ($1.2, $0.0) < ($0.2, $1.0) }
  }
}

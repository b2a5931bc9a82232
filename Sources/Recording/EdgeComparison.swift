import Debounce

/// The raw edges of a device beside the clean ones, as they happen: an engine at work, here or in the daemon, and what it
/// reports of each edge.
///
/// A value without I/O and without a clock, as the engine is. It receives frames and the passing of time, and lists
/// ``steps``.
public struct EdgeComparison {
  /// Something worth showing.
  public enum Step: Equatable, Sendable {
    case raw(Raw)
    /// An edge that waits may wait on, no longer than this from now.
    case postponed(Edge, atMost: Microseconds)
    /// An edge is passed on so much later than it came; at once if it follows from what is known after a loss.
    case late(Edge, delay: Microseconds)
    /// An edge of a key with meanings is clean, so much later than it came; see ``Fate/clean``.
    case clean(Edge, delay: Microseconds)
    /// A press that had waited is not passed on after all: another key of its group had locked it out.
    case withheld(Edge)
    /// The key's press before was removed as a drop-out; its release shows that it was this.
    case renamed(Edge, Removal)
    /// A key's stroke, or two of them, was taken for this.
    case meant(TakenStroke)
    /// A press came too soon after the release to be a second one of a key with meanings: the stroke goes on.
    case continued(Edge)
    /// The key's releases wait from now on, or wait no longer.
    case learned(KeyCode, isBad: Bool, time: Microseconds)
    /// An event that is not of a key. It always passes.
    case other(Event, time: Microseconds)
    /// Events were lost before they came here; the keys' state was asked for again.
    case lost(time: Microseconds)
  }

  /// A key that goes down or comes up.
  public struct Edge: Equatable, Sendable {
    public let time: Microseconds
    public let key: KeyCode
    public let isPress: Bool

    public init(time: Microseconds, key: KeyCode, isPress: Bool) {
      self.time = time
      self.key = key
      self.isPress = isPress
    }
  }

  /// What the switch reported.
  public struct Raw: Equatable, Sendable {
    public let edge: Edge
    /// From the key's edge before: the gap before a press, the hold before a release. `nil` if that is not known.
    public let interval: Microseconds?
    public let fate: Fate

    public init(edge: Edge, interval: Microseconds?, fate: Fate) {
      self.edge = edge
      self.interval = interval
      self.fate = fate
    }
  }

  /// What becomes of a raw edge at once.
  public enum Fate: Equatable, Sendable {
    case passed
    /// It is clean; what the key's strokes mean is decided with it or later.
    case clean
    /// It waits, no longer than this. If the key moves before, both edges vanish.
    case waits(atMost: Microseconds)
    /// It is not passed on; if another edge of the key was waiting, it went with it.
    case removed(Removal)
    /// The key was already in that state.
    case unchanged
    /// The release of a key that was down before anybody looked.
    case unknown
  }

  /// What was listed since ``removeSteps()``.
  public private(set) var steps: [Step] = []
  public private(set) var tally = EdgeTally()

  /// `nil` if another one decides.
  private var engine: Debouncer?
  private var output = FrameQueue()
  private var outcomes = OutcomeLog()
  private var keys: [KeyCode: Key] = [:]
  private let meanings: [KeyCode: Meanings]

  private struct Key {
    /// When it last went down and came up; `nil` if that is not known.
    var pressed: Microseconds?
    var released: Microseconds?
  }

  /// - Parameters:
  ///   - rules: Those of the device that is watched.
  ///   - habits: What had been learned of it before.
  public init(_ rules: Rules, _ habits: LearnedHabits = LearnedHabits()) {
    engine = Debouncer(rules)
    meanings = rules.meanings
    engine?.install(habits)
  }

  /// A comparison of what another engine decides, the daemon's: see ``receive(_:)``.
  ///
  /// - Parameter meanings: What strokes of its keys mean there.
  public init(deciding meanings: [KeyCode: Meanings]) {
    engine = nil
    self.meanings = meanings
  }

  /// When ``advance(to:)`` must be called next if no frame comes before; `nil` for never.
  public var deadline: Microseconds? { engine?.deadline }

  public mutating func removeSteps() {
    steps.removeAll(keepingCapacity: true)
  }

  /// Processes the next raw frame.
  public mutating func process(_ frame: Frame) {
    engine?.process(frame, into: &output, outcomes: &outcomes)
    var next = outcomes.outcomes.startIndex
    for event in frame.events where event.type != EventType.key {
      // Events that are not keys have no outcome: they stand before the frame's own edges.
      while next < outcomes.outcomes.endIndex, outcomes.outcomes[next].time < frame.time {
        add(outcomes.outcomes[next])
        next += 1
      }
      guard !event.isScan, event.type != EventType.synchronisation else { continue }
      steps.append(.other(event, time: frame.time))
    }
    for outcome in outcomes.outcomes[next...] { add(outcome) }
    end()
  }

  /// Receives what another engine has decided of an edge.
  public mutating func receive(_ outcome: Outcome) {
    tally.counters.count(outcome)
    add(outcome)
  }

  /// Lets time pass up to `time`.
  public mutating func advance(to time: Microseconds) {
    engine?.advance(to: time, into: &output, outcomes: &outcomes)
    addOutcomes()
  }

  /// Starts again with the keys that are down: events were lost.
  public mutating func resynchronise(held: KeySet, others: Frame) {
    steps.append(.lost(time: others.time))
    tally.losses += 1
    begin(held: held, at: others.time)
  }

  /// Starts again with the keys that are down: events have not been read for a while.
  public mutating func begin(held: KeySet, at time: Microseconds) {
    keys = [:]
    engine?.resynchronise(
      held: held, others: Frame(time: time), into: &output, outcomes: &outcomes)
    addOutcomes()
    for code in held { keys[code] = Key() }
  }
}

extension EdgeComparison {
  private mutating func addOutcomes() {
    for outcome in outcomes.outcomes { add(outcome) }
    end()
  }

  private mutating func end() {
    outcomes.removeAll()
    output.removeAll()
    if let engine { tally.counters = engine.counters }
  }

  private mutating func add(_ outcome: Outcome) {
    switch outcome.kind {
    case .passed: add(outcome, meanings[outcome.key] == nil ? .passed : .clean)
    case .waits(let until): add(outcome, .waits(atMost: until - outcome.edge))
    case .withdrawn(let removal, _), .suppressed(let removal, _): add(outcome, .removed(removal))
    case .duplicate:
      // The Enter that started the command comes up afterwards.
      let isUnknown = !outcome.isPress && keys[outcome.key] == nil
      if isUnknown { keys[outcome.key] = Key(released: outcome.edge) }
      steps.append(
        .raw(
          Raw(
            edge: outcome.rawEdge, interval: nil, fate: isUnknown ? .unknown : .unchanged)))
    case .emitted, .corrected:
      let delay = outcome.time - outcome.edge
      let isMeant = meanings[outcome.key] != nil
      steps.append(
        isMeant ? .clean(outcome.cleanEdge, delay: delay) : .late(outcome.cleanEdge, delay: delay))
    case .postponed(let until):
      steps.append(.postponed(outcome.cleanEdge, atMost: until - outcome.time))
    case .vanished(let removal):
      // After a loss it is not known whether the edge was meant.
      guard removal != nil else { break }
      steps.append(.withheld(outcome.cleanEdge))
      tally.countRemoval(of: outcome.key)
    case .restored: tally.countRemoval(of: outcome.key, by: -1)
    case .learned, .forgot:
      steps.append(.learned(outcome.key, isBad: outcome.kind == .learned, time: outcome.time))
    case .meant(let meaning, let key):
      steps.append(.meant(TakenStroke(outcome, meaning, key)))
    case .continued: steps.append(.continued(outcome.cleanEdge))
    case .reclassified(let removal): steps.append(.renamed(outcome.cleanEdge, removal))
    case .repeated: break
    }
  }

  /// Adds an edge that the switch reported.
  private mutating func add(_ outcome: Outcome, _ fate: Fate) {
    var key = keys[outcome.key] ?? Key()
    let before = outcome.isPress ? key.released : key.pressed
    if outcome.isPress { key.pressed = outcome.edge } else { key.released = outcome.edge }
    keys[outcome.key] = key
    steps.append(
      .raw(
        Raw(edge: outcome.rawEdge, interval: before.map { outcome.edge - $0 }, fate: fate)))
    if outcome.isPress { tally.countPress(of: outcome.key) }
    switch outcome.kind {
    // A stroke that is taken has two edges that vanish, and counts with its press.
    case .suppressed where !outcome.isPress: break
    case .suppressed, .withdrawn: tally.countRemoval(of: outcome.key)
    default: break
    }
  }
}

extension Outcome {
  fileprivate var rawEdge: EdgeComparison.Edge {
    EdgeComparison.Edge(time: edge, key: key, isPress: isPress)
  }

  fileprivate var cleanEdge: EdgeComparison.Edge {
    EdgeComparison.Edge(time: time, key: key, isPress: isPress)
  }
}

/// What an ``EdgeComparison`` has counted.
public struct EdgeTally: Equatable, Sendable {
  public internal(set) var counters = Counters()
  public internal(set) var losses = 0

  /// A key's presses that the switch reported, and how many of them were removed.
  private struct Key: Equatable {
    var presses = 0
    var removed = 0
  }

  private var keys: [KeyCode: Key] = [:]

  /// The keys of which anything was removed, those with the most first.
  public var mostRemoved: [(key: KeyCode, presses: Int, removed: Int)] {
    keys.filter { $0.value.removed > 0 }
      .sorted { ($1.value.removed, $0.key) < ($0.value.removed, $1.key) }
      .map { ($0.key, $0.value.presses, $0.value.removed) }
  }

  mutating func countPress(of key: KeyCode) {
    keys[key, default: Key()].presses += 1
  }

  /// Counts a removal, or takes one back.
  mutating func countRemoval(of key: KeyCode, by count: Int = 1) {
    keys[key, default: Key()].removed += count
  }
}

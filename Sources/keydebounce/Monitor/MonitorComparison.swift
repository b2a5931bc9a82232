import Debounce
import Recording

/// The raw edges of a device beside the clean ones, as they happen: the engine, and what it does with each edge.
///
/// A value without I/O and without a clock, as the engine is. It is told of frames and of the passing of time, and
/// notes ``steps``.
struct MonitorComparison {
  /// Something that is worth a line.
  enum Step: Equatable {
    case raw(Raw)
    /// An edge is passed on so much later than it came; at once if it follows from what is known after a loss.
    case late(Edge, delay: Microseconds)
    /// A press that had waited is not passed on after all: another key of its group had locked it out.
    case withheld(Edge)
    /// `adaptive` begins to bridge the key's drop-outs, or stops.
    case bridging(KeyCode, Bool, time: Microseconds)
    /// An event that is none of a key. It always passes.
    case other(Event, time: Microseconds)
    /// Events were lost before they came here; the keys' state was asked for anew.
    case lost(time: Microseconds)
  }

  /// A key that goes down or comes up.
  struct Edge: Equatable {
    let time: Microseconds
    let key: KeyCode
    let isPress: Bool
  }

  /// What the switch said.
  struct Raw: Equatable {
    let edge: Edge
    /// From the key's edge before: the gap before a press, the hold before a release. `nil` if that is not known.
    let interval: Microseconds?
    let fate: Fate
  }

  /// What becomes of a raw edge at once.
  enum Fate: Equatable {
    case passed
    /// It waits, no longer than this. If the key moves before, both edges vanish.
    case waits(atMost: Microseconds)
    /// It is not passed on; if another edge of the key was waiting, it went with it.
    case removed(Suppression.Kind)
    /// The key was so already.
    case unchanged
    /// The release of a key that was down before anybody looked.
    case unknown
  }

  /// What was noted since ``removeSteps()``.
  private(set) var steps: [Step] = []
  private(set) var tally = MonitorTally()

  private var engine: Debouncer
  private var output = FrameQueue()
  private var keys: [KeyCode: Key] = [:]

  private struct Key {
    var isDown = false
    /// When it last went down and came up; `nil` if that is not known.
    var pressed: Microseconds?
    var released: Microseconds?
    /// Until when its last edge waits.
    var deadline: Microseconds?
    /// Why its last stroke vanishes whole.
    var taken: Suppression.Kind?
  }

  init(_ rules: Rules) {
    engine = Debouncer(rules)
  }

  /// When ``advance(to:)`` must be called next if no frame comes before; `nil` for never.
  var deadline: Microseconds? { engine.deadline }

  mutating func removeSteps() {
    steps.removeAll(keepingCapacity: true)
  }

  /// Takes the next raw frame.
  mutating func take(_ frame: Frame) {
    // What was due before the frame came before it.
    advance(to: frame.time - 1)
    for event in frame.events where !event.isScan {
      switch event.type {
      case EventType.synchronisation: break
      case EventType.key:
        guard event.value != 2, event.code < EventType.keyCount else { continue }
        hear(Edge(time: frame.time, key: event.code, isPress: event.value != 0))
      default:
        tally.others += 1
        steps.append(.other(event, time: frame.time))
      }
    }
    tally.counters = engine.counters
  }

  /// Hears that it is `time`.
  mutating func advance(to time: Microseconds) {
    // One by one, to learn what became of each edge that waited.
    while let deadline = engine.deadline, deadline <= time {
      let before = engine.counters
      let emitted = emit { $0.advance(to: deadline, into: &$1) }
      note(late: emitted)
      if engine.counters.lockedOut != before.lockedOut { noteWithheld(until: deadline) }
      if let edge = emitted.last { noteLearning(since: before, of: edge.key, at: deadline) }
    }
    tally.counters = engine.counters
  }

  /// Hears that events were lost, and which keys are down.
  mutating func resynchronise(held: KeySet, others: Frame) {
    steps.append(.lost(time: others.time))
    tally.losses += 1
    begin(held: held, at: others.time)
  }

  /// Hears that nobody has looked for a while, and which keys are down.
  mutating func begin(held: KeySet, at time: Microseconds) {
    keys = [:]
    note(late: emit { $0.resynchronise(held: held, others: Frame(time: time), into: &$1) })
    tally.counters = engine.counters
    for code in 0..<KeyCode(EventType.keyCount) where held.contains(code) {
      keys[code] = Key(isDown: true)
    }
  }
}

// MARK: - One edge

extension MonitorComparison {
  private mutating func hear(_ edge: Edge) {
    // Whoever starts the command with Enter lets go of it afterwards.
    guard edge.isPress || keys[edge.key] != nil else {
      keys[edge.key] = Key(released: edge.time)
      return steps.append(.raw(Raw(edge: edge, interval: nil, fate: .unknown)))
    }
    // Edge by edge, to learn what becomes of each: the engine decides by keys and times, not by frames.
    let before = engine.counters
    var emitted = emit {
      $0.process(Frame(time: edge.time, [.key(edge.key, down: edge.isPress)]), into: &$1)
    }
    // Its own edge comes last; before it, what may not be overtaken.
    let isPassed = emitted.last.map { $0.key == edge.key && $0.isPress == edge.isPress } ?? false
    if isPassed { emitted.removeLast() }
    note(late: emitted)

    var key = keys[edge.key] ?? Key()
    guard key.isDown != edge.isPress else {
      return steps.append(.raw(Raw(edge: edge, interval: nil, fate: .unchanged)))
    }
    let raw = Raw(
      edge: edge, interval: (edge.isPress ? key.released : key.pressed).map { edge.time - $0 },
      fate: isPassed ? .passed : fate(of: edge, since: before, taken: key.taken))
    key.isDown = edge.isPress
    if edge.isPress { key.pressed = edge.time } else { key.released = edge.time }
    key.deadline = if case .waits(let length) = raw.fate { edge.time + length } else { nil }
    switch raw.fate {
    case .removed(let kind) where [.throttled, .lockedOut].contains(kind):
      key.taken = kind
    case .removed: break  // Chatter begins no stroke.
    default: key.taken = nil
    }
    keys[edge.key] = key
    steps.append(.raw(raw))
    tally.count(raw)
    noteLearning(since: before, of: edge.key, at: edge.time)
  }

  /// What became of an edge that was not passed on at once.
  ///
  /// - Parameter taken: Why the key's stroke vanishes whole, if the edge is its release.
  private func fate(
    of edge: Edge, since before: Counters, taken: Suppression.Kind?
  ) -> Fate {
    let now = engine.counters
    if now.pressBounces != before.pressBounces { return .removed(.pressBounce) }
    if now.releaseBounces != before.releaseBounces { return .removed(.releaseBounce) }
    if now.dropOuts != before.dropOuts { return .removed(.dropOut) }
    if now.throttled > before.throttled { return .removed(.throttled) }
    if now.lockedOut != before.lockedOut { return .removed(.lockedOut) }
    if !edge.isPress, let taken { return .removed(taken) }
    return .waits(atMost: deadline(of: edge) - edge.time)
  }

  /// When the edge that now waits will have waited long enough.
  private func deadline(of edge: Edge) -> Microseconds {
    // Played ahead on a copy: the engine does not say whose its deadlines are.
    var ahead = self
    var lockedOut: Microseconds?
    while let deadline = ahead.engine.deadline {
      let before = ahead.engine.counters.lockedOut
      let emitted = ahead.emit { $0.advance(to: deadline, into: &$1) }
      if emitted.contains(where: { $0.key == edge.key && $0.isPress == edge.isPress }) {
        return deadline
      }
      if ahead.engine.counters.lockedOut != before { lockedOut = lockedOut ?? deadline }
    }
    return lockedOut ?? edge.time
  }
}

// MARK: - What waited

extension MonitorComparison {
  /// Has the engine do something.
  ///
  /// - Returns: The edges that it passes on, in order, with the times at which it does.
  private mutating func emit(_ body: (inout Debouncer, inout FrameQueue) -> Void) -> [Edge] {
    output.removeAll()
    body(&engine, &output)
    return (0..<output.count).flatMap { index in
      let time = output.time(ofFrameAt: index)
      return output[index].events.filter { $0.type == EventType.key }.map {
        Edge(time: time, key: $0.code, isPress: $0.value != 0)
      }
    }
  }

  private mutating func note(late edges: [Edge]) {
    for edge in edges {
      let came = edge.isPress ? keys[edge.key]?.pressed : keys[edge.key]?.released
      keys[edge.key]?.deadline = nil
      steps.append(.late(edge, delay: edge.time - (came ?? edge.time)))
    }
  }

  /// Notes the presses that had waited up to now and were not passed on.
  private mutating func noteWithheld(until time: Microseconds) {
    for (code, key) in keys {
      guard let deadline = key.deadline, deadline <= time, key.isDown else { continue }
      keys[code]?.deadline = nil
      keys[code]?.taken = .lockedOut
      steps.append(.withheld(Edge(time: time, key: code, isPress: true)))
      tally.countWithheld(code)
    }
  }

  private mutating func noteLearning(
    since before: Counters, of key: KeyCode, at time: Microseconds
  ) {
    let now = engine.counters
    if now.forgotten != before.forgotten { steps.append(.bridging(key, false, time: time)) }
    if now.learned != before.learned { steps.append(.bridging(key, true, time: time)) }
  }
}

import Debounce

/// A recording on its way through the engine.
///
/// Replaying gives, event for event, what a live run gave, since decisions depend on the events' time stamps
/// alone.
public struct Replay {
  /// The frames that were passed on because of the last entry.
  public private(set) var output = FrameQueue()

  /// How many raw events there were, without the `SYN_REPORT`s that end frames.
  public private(set) var eventsIn: UInt64 = 0

  /// The presses that vanished and are known to have vanished since ``removeSuppressed()``, in no particular
  /// order.
  public var suppressed: [Suppression] { presses.listed }

  /// The strokes of keys with meanings that were decided on because of the last entry.
  public private(set) var taken: [TakenStroke] = []

  private var engine: Debouncer
  private var outcomes = OutcomeLog()
  private var presses = SuppressedPresses()

  /// - Parameters:
  ///   - rules: Those of the device that was recorded.
  ///   - habits: What had been learned of it, as the recording says.
  public init(_ rules: Rules, _ habits: LearnedHabits = LearnedHabits()) {
    engine = Debouncer(rules)
    engine.install(habits)
  }

  public var counters: Counters { engine.counters }

  /// Processes the next entry of the recording. What had been passed on in the run that was recorded
  /// changes nothing.
  public mutating func process(_ entry: RecordingParser.Entry) {
    output.removeAll()
    taken.removeAll(keepingCapacity: true)
    switch entry {
    case .raw(let frame): process(frame)
    case .clean, .outcome: break
    case .lost(_, let held, let time): resynchronise(held: held, at: time)
    case .reset(let key, let time): reset(key, at: time)
    case .paused(let isPaused, let time): setPaused(isPaused, at: time)
    case .closed(let time): close(at: time)
    }
  }

  /// Lets all time pass that the recording leaves open: deadlines are run out.
  public mutating func finish() {
    output.removeAll()
    taken.removeAll(keepingCapacity: true)
    engine.advance(to: .max, into: &output, outcomes: &outcomes)
    list()
    presses.end()
  }

  public mutating func removeSuppressed() {
    presses.removeListed()
  }
}

extension Replay {
  private mutating func process(_ frame: Frame) {
    eventsIn += UInt64(frame.events.count)
    let held = engine.rawHeld
    engine.process(recorded: frame, into: &output, outcomes: &outcomes)
    list()
    if frame.saysEventsWereLost {
      presses.end(moved: held.symmetricDifference(engine.rawHeld))
    }
  }

  /// Goes on from the keys that are down: what happened before is missing.
  private mutating func resynchronise(held: KeySet, at time: Microseconds) {
    engine.advance(to: time, into: &output, outcomes: &outcomes)
    let before = engine.rawHeld
    engine.resynchronise(held: held, others: Frame(time: time), into: &output, outcomes: &outcomes)
    list()
    presses.end(moved: before.symmetricDifference(held))
  }

  private mutating func reset(_ key: KeyCode?, at time: Microseconds) {
    // As in the run: what was due before came before.
    engine.advance(to: time, into: &output, outcomes: &outcomes)
    list()
    if let key { engine.reset(key) } else { engine.reset() }
  }

  private mutating func setPaused(_ isPaused: Bool, at time: Microseconds) {
    engine.advance(to: time, into: &output, outcomes: &outcomes)
    list()
    if isPaused { engine.pause() } else { engine.resume() }
  }

  private mutating func close(at time: Microseconds) {
    engine.advance(to: time, into: &output, outcomes: &outcomes)
    let held = engine.rawHeld
    engine.close(at: time, into: &output, outcomes: &outcomes)
    list()
    presses.end(moved: held)
  }

  private mutating func list() {
    presses.add(outcomes.outcomes)
    for outcome in outcomes.outcomes {
      guard case .meant(let meaning, let key) = outcome.kind else { continue }
      taken.append(TakenStroke(outcome, meaning, key))
    }
    outcomes.removeAll()
  }
}

extension Debouncer {
  /// Processes a raw frame of a recording as the live run did, adds the clean frames that follow from it to `output`, and
  /// what became of each edge to `outcomes`.
  ///
  /// A frame with a `SYN_DROPPED` in it is no input but the truth after events were lost: its key events
  /// are the differences to what was known before.
  public mutating func process(
    recorded frame: borrowing Frame, into output: inout FrameQueue, outcomes: inout OutcomeLog
  ) {
    guard frame.saysEventsWereLost else {
      return process(frame, into: &output, outcomes: &outcomes)
    }
    let held = frame.keysHeld(before: rawHeld)
    var others = Frame(time: frame.time)
    for event in frame.events where !event.saysEventsWereLost { others.append(event) }
    resynchronise(held: held, others: others, into: &output, outcomes: &outcomes)
  }
}

extension Event {
  var saysEventsWereLost: Bool {
    type == EventType.synchronisation && code == EventType.dropped
  }
}

extension Frame {
  /// Whether the frame reports a loss and not what happened.
  public var saysEventsWereLost: Bool { events.contains { $0.saysEventsWereLost } }

  /// The frame that reports that events were lost, and what is different since.
  ///
  /// - Parameters:
  ///   - others: What else changed; its time is the moment. Keys among it, and scan codes, are left out.
  static func differences(
    to held: KeySet, from before: KeySet, others: borrowing Frame
  ) -> Frame {
    var frame = Frame(
      time: others.time,
      [Event(type: EventType.synchronisation, code: EventType.dropped, value: 0)])
    for code in held.symmetricDifference(before) {
      frame.append(.key(code, down: held.contains(code)))
    }
    for event in others.events where event.type != EventType.key && !event.isScan {
      frame.append(event)
    }
    return frame
  }

  /// The keys that are down after this frame's differences.
  public func keysHeld(before: KeySet) -> KeySet {
    var held = before
    for event in events where event.type == EventType.key {
      if event.value == 0 { held.remove(event.code) } else { held.insert(event.code) }
    }
    return held
  }
}

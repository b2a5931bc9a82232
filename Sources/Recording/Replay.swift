import Debounce

/// A recording that passes through the engine.
///
/// A replay gives the same events as the live run, because decisions depend on the time stamps of events alone.
public struct Replay {
  /// The frames that were passed on because of the last entry.
  public var output: FrameQueue { engine.output }

  /// How many raw events there were, without the `SYN_REPORT`s that end frames.
  public private(set) var eventsIn: UInt64 = 0

  /// The removed presses that became known with the last entry, in no particular order.
  public private(set) var suppressed: [Suppression] = []

  /// The outcomes of kind ``Debounce/Outcome/Kind/meant(_:_:)`` that became known with the last entry.
  public private(set) var meant: [Outcome] = []

  private var engine: Debouncer
  private var keys: [KeyCode: SuppressedPresses] = [:]

  /// - Parameters:
  ///   - rules: The rules of the device that was recorded.
  ///   - habits: The habits that were learned of it, by the recording.
  public init(_ rules: Rules, _ habits: LearnedHabits = LearnedHabits()) {
    engine = Debouncer(rules)
    engine.install(habits)
    engine.reportsOutcomes = true
  }

  public var counters: Counters { engine.counters }

  /// Processes the next entry of the recording. The clean frames of the recorded run change nothing.
  public mutating func process(_ entry: RecordingParser.Entry) {
    begin()
    if case .raw(let frame) = entry { eventsIn += UInt64(frame.events.count) }
    let held = engine.rawHeld
    let goesOn = engine.process(recorded: entry)
    list()
    if !goesOn { endPresses(moved: held.symmetricDifference(engine.rawHeld)) }
  }

  /// Ends the recording: all deadlines pass.
  public mutating func finish() {
    begin()
    engine.advance(to: .max)
    list()
    endPresses(moved: KeySet())
  }

  private mutating func begin() {
    engine.output.removeAll()
    suppressed.removeAll(keepingCapacity: true)
    meant.removeAll(keepingCapacity: true)
  }

  private mutating func list() {
    for outcome in engine.outcomes {
      suppressed += keys[outcome.key, default: SuppressedPresses()].add(outcome)
      if case .meant = outcome.kind { meant.append(outcome) }
    }
    engine.outcomes.removeAll()
  }

  /// Lists all presses that are still open, because events were lost or nothing more comes.
  ///
  /// - Parameter moved: The keys that have moved since the last events, at times that are not known.
  private mutating func endPresses(moved: KeySet) {
    for code in keys.keys.sorted() {
      if let presses = keys[code]?.end() { suppressed += presses }
    }
    for code in moved { keys[code]?.released = nil }
  }
}

/// A press of the switch that was not passed on.
public struct Suppression: Equatable, Sendable {
  /// When the switch reported the press.
  public let time: Microseconds
  public let key: KeyCode
  /// Why it was not passed on.
  public internal(set) var kind: Removal
  /// The time from the key's release before to the press; `nil` if the recording does not have that release.
  public let gap: Microseconds?
  /// The time from the press to the switch's next release; `nil` if the recording ends before it.
  public internal(set) var hold: Microseconds?
}

/// The presses of a key that the engine reports as removed, each with the gap before it and its hold.
///
/// A press is returned once nothing can change about it any more: when an edge of its key is passed on, or at the end.
private struct SuppressedPresses {
  /// When the switch came up last; `nil` if that is not known.
  var released: Microseconds?
  /// The gap before the switch's last press.
  private var gap: Microseconds?
  /// Presses whose hold, kind or fate may still change.
  private var open: [Suppression] = []

  /// Adds an outcome. Returns the presses that nothing can change any more.
  mutating func add(_ outcome: Outcome) -> [Suppression] {
    switch outcome.kind {
    case .passed:
      move(outcome)
      return end()
    case .emitted, .corrected: return end()
    case .waits: move(outcome)
    case .withdrawn(let removal, let partnerTime):
      move(outcome)
      if outcome.isPress {
        remove(outcome, as: removal)
      } else {
        // The press before it vanishes.
        open.append(
          Suppression(
            time: partnerTime, key: outcome.key, kind: removal, gap: gap,
            hold: outcome.edge - partnerTime))
      }
    case .suppressed(let removal, _):
      move(outcome)
      if outcome.isPress { remove(outcome, as: removal) }
    case .vanished(let removal?): remove(outcome, as: removal)
    case .restored: open.removeAll { $0.time == outcome.edge }
    case .reclassified(let removal):
      if let index = open.lastIndex(where: { $0.time == outcome.edge }) {
        open[index].kind = removal
      }
    case .vanished(nil), .postponed, .duplicate, .repeated, .learned, .forgot, .meant, .continued:
      break
    }
    return []
  }

  mutating func end() -> [Suppression] {
    defer { open.removeAll(keepingCapacity: true) }
    return open
  }

  private mutating func move(_ outcome: Outcome) {
    if outcome.isPress {
      gap = released.map { outcome.edge - $0 }
    } else {
      if let index = open.indices.last, open[index].hold == nil {
        open[index].hold = outcome.edge - open[index].time
      }
      released = outcome.edge
    }
  }

  private mutating func remove(_ press: Outcome, as removal: Removal) {
    open.append(Suppression(time: press.edge, key: press.key, kind: removal, gap: gap, hold: nil))
  }
}

extension Debouncer {
  /// Processes the next entry of a recording as the live run did. The clean frames and outcomes of that run change nothing.
  ///
  /// - Returns: Whether the keys go on from the entry before. They do not if events were lost, or the device went.
  @discardableResult
  public mutating func process(recorded entry: RecordingParser.Entry) -> Bool {
    switch entry {
    case .clean, .outcome: break
    case .raw(let frame) where frame.saysEventsWereLost:
      // The frame is no input. It tells the true state: its key events are the differences from the state before.
      let others = frame.events.filter { !$0.saysEventsWereLost }
      resynchronise(held: frame.keysHeld(before: rawHeld), others: Frame(time: frame.time, others))
      return false
    case .raw(let frame): process(frame)
    case .lost(_, let held, let time):
      advance(to: time)
      resynchronise(held: held, others: Frame(time: time))
      return false
    case .reset(let key, let time):
      advance(to: time)
      if let key { reset(key) } else { reset() }
    case .paused(let isPaused, let time):
      advance(to: time)
      if isPaused { pause() } else { resume() }
    case .closed(let time):
      advance(to: time)
      close(at: time)
      // A pause does not go on into another recording.
      resume()
      return false
    }
    return true
  }
}

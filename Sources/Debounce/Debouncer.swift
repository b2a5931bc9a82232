/// Turns the raw frames of one device into clean ones.
///
/// A value without I/O and without a clock: it receives frames and the passing of time, and returns frames
/// and the next ``deadline``. What became of each raw edge it reports to an ``OutcomeLog``, for those who want to know.
///
/// * ``process(_:into:)`` first fires every deadline *before* the frame's time, then applies the frame.
///   ``advance(to:into:)`` fires every deadline *at or before* the time given. So an input exactly at a
///   deadline is handled first.
/// * Decisions depend on the frames' time stamps alone: calling `advance` late, or more often than
///   needed, changes when something is written and never what.
/// * Time that runs backwards counts as a gap of 0.
/// * Nothing is allocated per event, and an event costs the same however many keys or rules there are.
public struct Debouncer: Sendable {
  /// What was counted so far.
  public internal(set) var counters = Counters()

  var keys = ContiguousArray(repeating: KeyState(), count: EventType.keyCount)
  var strategies: ContiguousArray<Strategy> = []
  /// For each of them, the gap below which a press that passes is a near miss.
  var nearMissGaps: ContiguousArray<Microseconds> = []
  var groups: [Group] = []
  var locks: ContiguousArray<Lock> = []
  var flush = Flush.modifiers
  private(set) var deadlines = DeadlineQueue()
  /// The counts of each key that was pressed, in the order in which they were first counted: `KeyState.row` says where.
  var keyCounts: ContiguousArray<KeyCounts> = []
  private(set) var clock = EventClock()

  /// An engine for a device of which no key is down.
  public init(_ rules: Rules = Rules()) {
    // Room for all keys, so that no event has to ask for more. The kernel gives memory only to what is used.
    keyCounts.reserveCapacity(EventType.keyCount)
    adopt(rules)
  }

  /// When ``advance(to:into:)`` must be called next if no frame comes before; `nil` for never.
  public var deadline: Microseconds? {
    deadlines.first.map { clock.inputTime(of: $0.deadline) }
  }

  /// The keys that are down as the clone has been told.
  public var held: KeySet {
    KeySet(keys.indices.lazy.filter { keys[$0].isHeld }.map { KeyCode($0) })
  }

  /// The keys that are down as the switches last said.
  public var rawHeld: KeySet {
    KeySet(keys.indices.lazy.filter { keys[$0].raw }.map { KeyCode($0) })
  }

  /// Processes the next raw frame and adds the clean frames that follow from it to `output`.
  public mutating func process(_ raw: borrowing Frame, into output: inout FrameQueue) {
    var nobody = NoOutcomes()
    process(raw, into: &output, &nobody)
  }

  /// Processes the next raw frame, adds the clean frames that follow from it to `output`, and what became of each edge to
  /// `outcomes`.
  public mutating func process(
    _ raw: borrowing Frame, into output: inout FrameQueue, outcomes: inout OutcomeLog
  ) {
    process(raw, into: &output, &outcomes)
  }

  /// Passes a frame on as it is, if no key moves in it and none waits: then there is nothing to decide. Most of what a mouse
  /// sends is so.
  ///
  /// - Returns: Whether the frame is to be passed on as it is. If not, it is still to be processed.
  @inline(__always)
  public mutating func passesUnchanged(_ raw: borrowing Frame) -> Bool {
    guard !raw.movesKeys, !raw.isEmpty, deadlines.isEmpty else { return false }
    _ = clock.advance(toFrameAt: raw.time)
    return true
  }

  /// Lets time pass up to `time`, and adds what has become due to `output`.
  public mutating func advance(to time: Microseconds, into output: inout FrameQueue) {
    var nobody = NoOutcomes()
    advance(to: time, into: &output, &nobody)
  }

  /// Lets time pass up to `time`, adds what has become due to `output`, and what became of each edge to `outcomes`.
  public mutating func advance(
    to time: Microseconds, into output: inout FrameQueue, outcomes: inout OutcomeLog
  ) {
    advance(to: time, into: &output, &outcomes)
  }

  /// Takes the given state for the truth, after events were lost: deadlines are dropped, and where the
  /// clone was told otherwise it is told at once, in one frame.
  ///
  /// - Parameters:
  ///   - held: The keys that are down.
  ///   - others: Events that are not keys and belong to the same moment; they pass. Its time is the
  ///     moment. Keys among them, and scan codes, are left out: `held` has it all.
  ///   - output: What the clone is to be told is added here.
  public mutating func resynchronise(
    held: KeySet, others: borrowing Frame, into output: inout FrameQueue
  ) {
    var nobody = NoOutcomes()
    resynchronise(held: held, others: others, into: &output, &nobody)
  }

  /// Takes the given state for the truth, as ``resynchronise(held:others:into:)`` does, and adds what became of each edge
  /// that waited, and of each key that was found to be otherwise, to `outcomes`.
  public mutating func resynchronise(
    held: KeySet, others: borrowing Frame, into output: inout FrameQueue,
    outcomes: inout OutcomeLog
  ) {
    resynchronise(held: held, others: others, into: &output, &outcomes)
  }

  /// Lets every key go that the clone holds, in one frame: the device is gone or given back.
  ///
  /// Deadlines are dropped; what had not been emitted never will be.
  public mutating func close(at time: Microseconds, into output: inout FrameQueue) {
    resynchronise(held: KeySet(), others: Frame(time: time), into: &output)
  }

  /// Lets every key go, as ``close(at:into:)`` does, and adds what became of each edge that waited to `outcomes`.
  public mutating func close(
    at time: Microseconds, into output: inout FrameQueue, outcomes: inout OutcomeLog
  ) {
    resynchronise(held: KeySet(), others: Frame(time: time), into: &output, outcomes: &outcomes)
  }
}

// MARK: - Frames and time

extension Debouncer {
  private mutating func process(
    _ raw: borrowing Frame, into output: inout FrameQueue, _ outcomes: inout some OutcomeReceiver
  ) {
    let time = clock.advance(toFrameAt: raw.time)
    if !deadlines.isEmpty { fireDeadlines(before: time, into: &output, &outcomes) }

    // A scan code belongs to the key event right after it and shares its fate.
    var scan: Int32?
    // By index: a loop over the elements would retain the array.
    for index in raw.events.indices {
      let event = raw.events[index]
      if event.type == EventType.key {
        process(event, scan: scan, at: time, into: &output, &outcomes)
        scan = nil
        continue
      }
      if let scan { output.append(.scan(scan)) }
      scan = event.isScan ? event.value : nil
      if !event.isScan, !event.isReport { output.append(event) }
    }
    if let scan { output.append(.scan(scan)) }
    output.endFrame(at: raw.time)
  }

  private mutating func advance(
    to time: Microseconds, into output: inout FrameQueue, _ outcomes: inout some OutcomeReceiver
  ) {
    guard !deadlines.isEmpty else { return }
    fireDeadlines(before: clock.engineTime(of: time) + 1, into: &output, &outcomes)
  }

  private mutating func resynchronise(
    held: KeySet, others: borrowing Frame, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) {
    let time = clock.advance(toFrameAt: others.time)
    // Edges that were waiting are the older ones: they go first.
    while let waiting = deadlines.first(where: { _ in true }) {
      deadlines.remove(waiting)
      correct(waiting, down: held.contains(waiting), at: time, into: &output, &outcomes)
    }
    // In what order the others moved is not known. Releases first, and modifiers around what they modify.
    for down in [false, true] {
      for isModifier in [down, !down] {
        for code in 0..<KeyCode(keys.count)
        where held.contains(code) == down && code.isModifier == isModifier {
          correct(code, down: down, at: time, into: &output, &outcomes)
        }
      }
    }
    for event in others.events {
      // Keys, and the scan codes that belong to them, are told by `held`.
      guard event.type != EventType.key, !event.isScan, !event.isReport else { continue }
      output.append(event)
    }
    output.endFrame(at: others.time)
  }
}

// MARK: - One key

extension Debouncer {
  private mutating func process(
    _ event: Event, scan: Int32?, at time: Microseconds, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) {
    let index = Int(event.code)
    guard index < keys.count else {
      // No kernel sends such a code. It passes, as whatever is not debounced does.
      if event.value == 2 { counters.repeats += 1 } else { output.append(event, scan: scan) }
      return
    }
    guard event.value != 2 else {
      return report(.repeated, of: index, isPress: true, edge: time, at: time, &outcomes)
    }
    let down = event.value != 0
    let (edge, released) = (keys[index].edge, keys[index].released)
    var change: LearningChange = []
    guard
      let decision = keys[index].receive(
        down: down, at: time, strategies[Int(keys[index].strategy)], noting: &change)
    else { return report(.duplicate, of: index, isPress: down, edge: time, at: time, &outcomes) }
    if down {
      counters.pressesIn += 1
    } else if keys[index].wasDropOut {
      // What followed the press tells what it was.
      keys[index].wasDropOut = false
      if time - edge < Chatter.shortHold {
        keys[index].isBouncing = true
        report(
          .reclassified(.releaseBounce), of: index, isPress: true, edge: edge, at: time, &outcomes)
      }
    }

    switch decision {
    case .emit:
      if down {
        // It takes the place of a stroke that `throttle` put off to this very moment.
        if !deadlines.isEmpty { deadlines.remove(event.code) }
        if keys[index].lock >= 0 { applyLock(to: index) }
        if !deadlines.isEmpty, keys[index].taken == nil {
          flushReleases(at: time, into: &output, &outcomes)
        }
      }
      if emit(index, at: time, as: .passed, &outcomes) { output.append(event, scan: scan) }
    case .wait(let deadline):
      keys[index].scan = scan
      deadlines.set(event.code, to: deadline)
      if !down, let taken = keys[index].taken {
        report(.taken(taken, deliveredAt: nil), of: index, isPress: false, at: time, &outcomes)
      } else {
        report(
          .waits(until: clock.inputTime(of: deadline)), of: index, isPress: down, at: time,
          &outcomes)
      }
    case .withdraw(let chatter):
      deadlines.remove(event.code)
      withdraw(index, with: edge, as: chatter, after: released, &outcomes)
    case .take(let delivery):
      keys[index].clean = true
      keys[index].taken = .throttled
      if let delivery {
        keys[index].scan = scan
        deadlines.set(event.code, to: delivery)
      }
      report(
        .taken(.throttled, deliveredAt: delivery.map { clock.inputTime(of: $0) }), of: index,
        isPress: true, at: time, &outcomes)
    }
    report(change, of: index, at: time, &outcomes)
    if keys[index].nextStrategy >= 0 { adoptIfIdle(event.code) }
  }

  /// Takes the stroke that is about to begin, if another key of its group has locked it out.
  private mutating func applyLock(to index: Int) {
    let lock = Int(keys[index].lock)
    guard lock >= 0, locks[lock].excludes(KeyCode(index), from: keys[index].edge) else { return }
    keys[index].taken = .lockedOut
  }

  /// Makes clean what raw is.
  ///
  /// - Parameter outcome: What that is if the clone is to be told.
  /// - Returns: Whether the clone is to be told: not of a stroke that is taken.
  @inline(__always)
  private mutating func emit(
    _ index: Int, at time: Microseconds, as outcome: Outcome.Kind,
    _ outcomes: inout some OutcomeReceiver
  ) -> Bool {
    let edge = keys[index].becomeClean(at: time)
    if let taken = edge.taken {
      if outcome == .passed {
        report(
          .taken(taken, deliveredAt: nil), of: index, isPress: edge.isPress, at: time, &outcomes)
      } else if edge.isPress {
        report(.vanished(taken), of: index, isPress: true, at: time, &outcomes)
      }
      return false
    }
    countEmission(of: index, edge)
    send(outcome, of: index, isPress: edge.isPress, edge: nil, at: time, &outcomes)
    if edge.isPress {
      let lock = Int(keys[index].lock)
      if lock >= 0 { locks[lock].begin(by: KeyCode(index), at: time) }
    }
    return true
  }

  /// Withdraws the edge that came now, and the one of the time `edge` that had waited.
  ///
  /// - Parameter released: From when the gap counts of a stroke that vanishes.
  private mutating func withdraw(
    _ index: Int, with edge: Microseconds, as chatter: Chatter, after released: Microseconds,
    _ outcomes: inout some OutcomeReceiver
  ) {
    var removal = Removal(chatter)
    if keys[index].raw, chatter == .dropOut {
      if keys[index].isBouncing { removal = .releaseBounce } else { keys[index].wasDropOut = true }
    }
    countIntervals(ofChatterOf: index, at: keys[index].edge, since: edge, after: released)
    report(
      .withdrawn(removal, with: clock.inputTime(of: edge)), of: index, isPress: keys[index].raw,
      at: keys[index].edge, &outcomes)
  }

  /// Brings the key, and the clone, to the state that is known to be true.
  private mutating func correct(
    _ code: KeyCode, down: Bool, at time: Microseconds, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) {
    let index = Int(code)
    let wasHeld = keys[index].isHeld
    let waited = keys[index].raw != keys[index].clean
    if keys[index].raw != down {
      if waited { report(.vanished(nil), of: index, isPress: !down, at: time, &outcomes) }
      keys[index].raw = down
      keys[index].edge = time
      if down {
        keys[index].start = time
        counters.pressesIn += 1
      }
    } else if down, let taken = keys[index].taken {
      report(.restored(taken), of: index, isPress: true, at: time, &outcomes)
    }
    keys[index].taken = nil
    keys[index].wasDropOut = false
    keys[index].clean = down
    if wasHeld != down {
      let outcome = waited ? Outcome.Kind.emitted : .corrected
      if emit(index, at: time, as: outcome, &outcomes) { output.append(.key(code, down: down)) }
    }
    if keys[index].nextStrategy >= 0 { adoptIfIdle(code) }
  }
}

// MARK: - What waits

extension Debouncer {
  private mutating func fireDeadlines(
    before time: Microseconds, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) {
    while let entry = deadlines.first, entry.deadline < time {
      clock.advance(toDeadline: entry.deadline)
      deadlines.remove(entry.key)
      let index = Int(entry.key)
      if keys[index].raw == keys[index].clean {
        deliverStroke(entry, into: &output, &outcomes)
      } else {
        var change: LearningChange = []
        strategies[Int(keys[index].strategy)].lasted(&keys[index], noting: &change)
        emitWaiting(entry, into: &output, &outcomes)
        report(change, of: index, at: entry.deadline, &outcomes)
      }
      if keys[index].nextStrategy >= 0 { adoptIfIdle(entry.key) }
    }
  }

  /// Emits the edge that waited, as a frame of its own.
  private mutating func emitWaiting(
    _ entry: DeadlineQueue.Entry, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) {
    let index = Int(entry.key)
    let down = keys[index].raw
    if down {
      applyLock(to: index)
      if keys[index].taken == nil {
        flushReleases(setBefore: entry.serial, at: entry.deadline, into: &output, &outcomes)
      }
    }
    guard emit(index, at: entry.deadline, as: .emitted, &outcomes) else { return }
    output.append(.key(entry.key, down: down), scan: keys[index].scan)
    output.endFrame(at: clock.inputTime(of: entry.deadline))
  }

  /// Emits the stroke that `throttle` put off: its press, and its release if it has come.
  private mutating func deliverStroke(
    _ entry: DeadlineQueue.Entry, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) {
    let index = Int(entry.key)
    let isDown = keys[index].raw
    report(
      .restored(.throttled), of: index, isPress: true, edge: keys[index].start, at: entry.deadline,
      &outcomes)
    keys[index].taken = nil
    keys[index].raw = true
    emitWaiting(entry, into: &output, &outcomes)
    guard !isDown else { return }
    keys[index].raw = false
    emitWaiting(entry, into: &output, &outcomes)
  }

  /// Emits the waiting releases that must not be overtaken by the press that is emitted next.
  ///
  /// - Parameter serial: That of the press's own deadline, where it waited too: what was let go after
  ///   it came must not go out before it.
  private mutating func flushReleases(
    setBefore serial: UInt64 = .max, at time: Microseconds, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) {
    while let code = deadlines.first(where: {
      let key = keys[Int($0.key)]
      return $0.serial < serial && flush.includes($0.key) && key.isHeld && !key.raw
    }) {
      // What the frame in hand already holds came before the press. A release is a frame of its own.
      output.endFrame(at: clock.inputTime(of: time))
      deadlines.remove(code)
      _ = emit(Int(code), at: time, as: .emitted, &outcomes)
      output.append(.key(code, down: false), scan: keys[Int(code)].scan)
      output.endFrame(at: clock.inputTime(of: time))
    }
  }
}

// MARK: - Outcomes

extension Debouncer {
  /// Counts what became of the key's last edge, and reports it to who listens.
  @inline(__always)
  private mutating func report(
    _ kind: Outcome.Kind, of index: Int, isPress: Bool, at time: Microseconds,
    _ outcomes: inout some OutcomeReceiver
  ) {
    report(kind, of: index, isPress: isPress, edge: nil, at: time, &outcomes)
  }

  /// Counts what became of an edge, and reports it to who listens.
  ///
  /// - Parameter edge: When it came; `nil` for the key's last edge.
  @inline(__always)
  private mutating func report(
    _ kind: Outcome.Kind, of index: Int, isPress: Bool, edge: Microseconds?, at time: Microseconds,
    _ outcomes: inout some OutcomeReceiver
  ) {
    count(kind, of: index, isPress: isPress)
    send(kind, of: index, isPress: isPress, edge: edge, at: time, &outcomes)
  }

  @inline(__always)
  private func send<Receiver: OutcomeReceiver>(
    _ kind: Outcome.Kind, of index: Int, isPress: Bool, edge: Microseconds?, at time: Microseconds,
    _ outcomes: inout Receiver
  ) {
    guard Receiver.isListening else { return }
    outcomes.receive(
      Outcome(
        key: KeyCode(index), isPress: isPress,
        edge: clock.inputTime(of: edge ?? (isPress ? keys[index].start : keys[index].edge)),
        time: clock.inputTime(of: time), kind: kind))
  }

  @inline(__always)
  private mutating func report(
    _ change: LearningChange, of index: Int, at time: Microseconds,
    _ outcomes: inout some OutcomeReceiver
  ) {
    guard !change.isEmpty else { return }
    let isPress = keys[index].raw
    if change.contains(.forgot) {
      report(.forgot, of: index, isPress: isPress, at: time, &outcomes)
    }
    if change.contains(.learned) {
      report(.learned, of: index, isPress: isPress, at: time, &outcomes)
    }
  }
}

/// Turns the raw frames of one device into clean ones.
///
/// A value without I/O and without a clock: it is told of frames and of the passing of time, and answers
/// with frames and with the next ``deadline``.
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
  public private(set) var counters = Counters()

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
  private var clock = EventClock()

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

  /// Takes the next raw frame and adds the clean frames that follow from it to `output`.
  public mutating func process(_ raw: borrowing Frame, into output: inout FrameQueue) {
    let time = clock.advance(toFrameAt: raw.time)
    fireDeadlines(before: time, into: &output)

    // A scan code belongs to the key event right after it and shares its fate.
    var scan: Int32?
    // By index: a loop over the elements would retain the array.
    for index in raw.events.indices {
      let event = raw.events[index]
      if event.type == EventType.key {
        apply(event, scan: scan, at: time, into: &output)
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

  /// Takes a frame in which no key moves, if no key waits either: then nothing is to be decided of it. Most of what a mouse
  /// sends is so. The frame itself is not looked at: a key in it would pass unheard.
  ///
  /// - Returns: Whether the frame is to be passed on as it is. If not, it is still for ``process(_:into:)``.
  @inline(__always)
  public mutating func letPass(keylessFrameAt time: Microseconds) -> Bool {
    guard deadlines.entries.isEmpty else { return false }
    _ = clock.advance(toFrameAt: time)
    return true
  }

  /// Tells the engine that it is `time`, and adds what has become due to `output`.
  public mutating func advance(to time: Microseconds, into output: inout FrameQueue) {
    guard !deadlines.entries.isEmpty else { return }
    fireDeadlines(before: clock.engineTime(of: time) + 1, into: &output)
  }

  /// Takes the given state for the truth, after events were lost: deadlines are dropped, and where the
  /// clone was told otherwise it is told at once, in one frame.
  ///
  /// - Parameters:
  ///   - held: The keys that are down.
  ///   - others: Events that are not keys and belong to the same moment; they pass. Its time is the
  ///     moment. Keys among them, and scan codes, are left out: `held` says it all.
  ///   - output: What the clone is to be told is added here.
  public mutating func resynchronise(
    held: KeySet, others: borrowing Frame, into output: inout FrameQueue
  ) {
    let time = clock.advance(toFrameAt: others.time)
    // Edges that were waiting are the older ones: they go first.
    while let waiting = deadlines.first(where: { _ in true }) {
      deadlines.remove(waiting)
      settle(waiting, down: held.contains(waiting), at: time, into: &output)
    }
    // In what order the others moved is not known. Releases first, and modifiers around what they modify.
    for down in [false, true] {
      for isModifier in [down, !down] {
        for code in 0..<KeyCode(keys.count)
        where held.contains(code) == down && code.isModifier == isModifier {
          settle(code, down: down, at: time, into: &output)
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

  /// Lets every key go that the clone holds, in one frame: the device is gone or given back.
  ///
  /// Deadlines are dropped; what had not been emitted never will be.
  public mutating func close(at time: Microseconds, into output: inout FrameQueue) {
    resynchronise(held: KeySet(), others: Frame(time: time), into: &output)
  }
}

// MARK: - One key

extension Debouncer {
  private mutating func apply(
    _ event: Event, scan: Int32?, at time: Microseconds, into output: inout FrameQueue
  ) {
    guard event.value != 2 else {
      counters.repeats += 1
      return
    }
    let index = Int(event.code)
    guard index < keys.count else {
      // No kernel sends such a code. It passes, as whatever is not debounced does.
      output.append(event, scan: scan)
      return
    }
    let down = event.value != 0
    let strategy = strategies[Int(keys[index].strategy)]
    let (edge, released, learning) = (keys[index].edge, keys[index].released, counters.learning)
    guard
      let verdict = keys[index].hear(down: down, at: time, strategy, counting: &counters)
    else {
      counters.duplicates += 1
      return
    }
    if down { counters.pressesIn += 1 }
    if counters.learning != learning { countLearning(of: index) }

    switch verdict {
    case .emit:
      if down {
        // It takes the place of a stroke that `throttle` put off to this very moment.
        deadlines.remove(event.code)
        applyLock(to: event.code)
      }
      if turn(event.code, at: time) {
        if down { flushReleases(at: time, into: &output) }
        output.append(event, scan: scan)
      }
    case .decide(let deadline):
      keys[index].scan = scan
      deadlines.set(event.code, to: deadline)
    case .withdraw(let chatter):
      deadlines.remove(event.code)
      counters.count(chatter)
      count(chatter, of: index, from: edge, to: time, after: released)
    case .take(let delivery):
      keys[index].clean = true
      keys[index].taken = true
      counters.throttled += 1
      countTaken(of: index)
      if let delivery {
        keys[index].scan = scan
        deadlines.set(event.code, to: delivery)
      }
    }
    if keys[index].nextStrategy >= 0 { adoptIfIdle(event.code) }
  }

  /// Takes the stroke that is about to begin, if another key of its group has locked it out.
  private mutating func applyLock(to code: KeyCode) {
    let index = Int(code)
    let lock = Int(keys[index].lock)
    guard lock >= 0, locks[lock].excludes(code, from: keys[index].edge) else { return }
    keys[index].taken = true
    counters.lockedOut += 1
    countTaken(of: index)
  }

  /// Turns clean into what raw is.
  ///
  /// - Returns: Whether the clone must be told.
  private mutating func turn(_ code: KeyCode, at time: Microseconds) -> Bool {
    let index = Int(code)
    let (pressed, released) = (keys[index].pressed, keys[index].released)
    guard keys[index].turn(at: time) else { return false }
    guard keys[index].clean else {
      countHold(of: index, since: pressed)
      return true
    }
    counters.pressesOut += 1
    countStroke(of: index, after: released)
    let lock = Int(keys[index].lock)
    if lock >= 0 { locks[lock].begin(by: code, at: time) }
    return true
  }

  /// Brings the key, and the clone, to the state that is known to be true.
  private mutating func settle(
    _ code: KeyCode, down: Bool, at time: Microseconds, into output: inout FrameQueue
  ) {
    let index = Int(code)
    if keys[index].raw != down {
      keys[index].raw = down
      keys[index].edge = time
      if down { counters.pressesIn += 1 }
    }
    let wasHeld = keys[index].isHeld
    keys[index].taken = false
    keys[index].clean = down
    if wasHeld != down, turn(code, at: time) { output.append(.key(code, down: down)) }
    if keys[index].nextStrategy >= 0 { adoptIfIdle(code) }
  }
}

// MARK: - What waits

extension Debouncer {
  private mutating func fireDeadlines(before time: Microseconds, into output: inout FrameQueue) {
    while let entry = deadlines.first, entry.deadline < time {
      clock.advance(toDeadline: entry.deadline)
      deadlines.remove(entry.key)
      let index = Int(entry.key)
      if keys[index].raw == keys[index].clean {
        deliverStroke(entry, into: &output)
      } else {
        let learning = counters.learning
        strategies[Int(keys[index].strategy)].lasted(&keys[index], counting: &counters)
        if counters.learning != learning { countLearning(of: index) }
        emitWaiting(entry, into: &output)
      }
      if keys[index].nextStrategy >= 0 { adoptIfIdle(entry.key) }
    }
  }

  /// Emits the edge that waited, as a frame of its own.
  private mutating func emitWaiting(
    _ entry: DeadlineQueue.Entry, into output: inout FrameQueue
  ) {
    let index = Int(entry.key)
    let down = keys[index].raw
    if down { applyLock(to: entry.key) }
    guard turn(entry.key, at: entry.deadline) else { return }
    if down { flushReleases(setBefore: entry.serial, at: entry.deadline, into: &output) }
    output.append(.key(entry.key, down: down), scan: keys[index].scan)
    output.endFrame(at: clock.inputTime(of: entry.deadline))
  }

  /// Emits the stroke that `throttle` put off: its press, and its release if it has come.
  private mutating func deliverStroke(
    _ entry: DeadlineQueue.Entry, into output: inout FrameQueue
  ) {
    let index = Int(entry.key)
    let isDown = keys[index].raw
    counters.throttled -= 1
    countDelivered(of: index)
    keys[index].taken = false
    keys[index].raw = true
    emitWaiting(entry, into: &output)
    guard !isDown else { return }
    keys[index].raw = false
    emitWaiting(entry, into: &output)
  }

  /// Emits the waiting releases that must not be overtaken by the press that is emitted next.
  ///
  /// - Parameter serial: That of the press's own deadline, where it waited too: what was let go after
  ///   it came must not go out before it.
  private mutating func flushReleases(
    setBefore serial: UInt64 = .max, at time: Microseconds, into output: inout FrameQueue
  ) {
    guard !deadlines.entries.isEmpty else { return }
    while let code = deadlines.first(where: {
      let key = keys[Int($0.key)]
      return $0.serial < serial && flush.includes($0.key) && key.isHeld && !key.raw
    }) {
      // What the frame in hand already holds came before the press. A release is a frame of its own.
      output.endFrame(at: clock.inputTime(of: time))
      deadlines.remove(code)
      _ = turn(code, at: time)
      output.append(.key(code, down: false), scan: keys[Int(code)].scan)
      output.endFrame(at: clock.inputTime(of: time))
    }
  }
}

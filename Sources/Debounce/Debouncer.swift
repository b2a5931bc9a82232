/// Turns the raw frames of one device into clean ones.
///
/// A value without I/O and without a clock: it receives frames and the passing of time, adds frames to its ``output``, and
/// says when its next ``deadline`` is. What became of each raw edge stands in its ``outcomes``, for those who want to know.
///
/// * ``process(_:)`` first fires every deadline *before* the frame's time, then applies the frame.
///   ``advance(to:)`` fires every deadline *at or before* the time given. So an input exactly at a
///   deadline is handled first.
/// * Decisions depend on the frames' time stamps alone. Time that runs backwards counts as a gap of 0.
/// * Nothing is allocated per event, and an event costs the same however many rules there are, and keys that do not wait.
public struct Debouncer: Sendable {
  /// The clean frames that nobody has taken yet. The caller takes them, and empties the queue.
  public var output = FrameQueue()
  /// The outcomes of raw edges, in the order of the decisions, while ``reportsOutcomes`` is true. The caller empties the list.
  public var outcomes: ContiguousArray<Outcome> = []
  /// Whether the caller wants to know what became of edges.
  public var reportsOutcomes = false
  /// The counts so far.
  public internal(set) var counters = Counters()

  /// The keys up to the highest that was needed so far; see ``makeRoom(upTo:)``.
  var keys: ContiguousArray<KeyState> = []
  var strategies: ContiguousArray<Strategy> = [.none]
  /// The gap of each strategy below which a press that passes is a near miss.
  var nearMissGaps: ContiguousArray<Microseconds> = []
  var groups: [Group] = []
  var locks: ContiguousArray<Lock> = []
  var flush = Flush.modifiers
  var deadlines = DeadlineQueue()
  /// The memory of `adaptive` of the device.
  var device = AdaptiveDevice()
  var withdrawn = WithdrawnStrokes()
  /// The counts of each key that was pressed, in the order in which they were first counted: `KeyState.row` is the index.
  var keyCounts: ContiguousArray<KeyCounts> = []
  var clock = EventClock()
  var wheels = Wheels()
  /// The memory of keys with ``Meanings``.
  var meanings = MeaningStates()
  /// Whether any key has, or has had, meanings.
  var hasMeanings = false
  /// The rules that hold while the engine is not paused.
  var adopted: Rules
  /// Whether everything passes as it is, from when each key is idle: see ``pause()``.
  public internal(set) var isPaused = false
  /// The state of each key when it began to pass, while the engine is paused; `nil` if it does not pass yet.
  var keysBeforePause: ContiguousArray<(presses: Int64, lastShort: Int32?)?> = []

  /// The earliest of all deadlines, by the engine's clock; never if there is none.
  private var next = Microseconds.max

  /// An engine for a device of which no key is down.
  ///
  /// - Parameter last: The device's highest key. A higher one gets room, which allocates, when it first moves, or is in rules.
  public init(_ rules: Rules = Rules(), upTo last: KeyCode = KeyCode(EventType.keyCount - 1)) {
    adopted = rules
    // Room for all keys, so that no event has to ask for more. The kernel gives memory only to what is used.
    keyCounts.reserveCapacity(EventType.keyCount)
    keys.reserveCapacity(Int(last) + 1)
    adopt(rules)
    makeRoom(upTo: last)
  }

  /// When ``advance(to:)`` must be called next if no frame comes before; `nil` for never.
  ///
  /// Stored, because computing it on each call would copy the engine, half a kilobyte.
  public private(set) var deadline: Microseconds?

  /// Whether no key is down, neither the device's nor the clone's, and no stroke waits to be emitted.
  public var isAtRest: Bool {
    deadlines.isEmpty && held.isEmpty && rawHeld.isEmpty && !hasUndecidedStroke
  }

  /// The keys that are down according to what was emitted.
  public var held: KeySet {
    hasMeanings
      ? KeySet(meanings.holders.indices.lazy.filter { meanings.holders[$0] > 0 }.map(KeyCode.init))
      : KeySet(keys.indices.lazy.filter { keys[$0].isHeld }.map(KeyCode.init))
  }

  /// The keys that are down according to the raw events.
  public var rawHeld: KeySet {
    KeySet(keys.indices.lazy.filter { keys[$0].raw }.map { KeyCode($0) })
  }

  /// Processes the next raw frame.
  public mutating func process(_ raw: borrowing Frame) {
    let time = clock.time(ofFrameAt: raw.time)
    if next < time { fireAll(before: time) }
    clock.now = time

    var suppressed: UInt16 = 0
    if wheels.codes != 0 {
      suppressed = wheels.turn(raw, at: time, into: &output)
    }
    // A scan code belongs to the key event right after it and shares its fate.
    var scan: Int32?
    // By index: a loop over the elements would retain the array.
    for index in raw.events.indices {
      let event = raw.events[index]
      if event.type == EventType.key {
        receive(event, scan: scan)
        scan = nil
        continue
      }
      if let scan { output.append(.scan(scan)) }
      scan = event.isScan ? event.value : nil
      if event.isScan || event.isReport { continue }
      if suppressed != 0, event.type == EventType.relative, suppressed & 1 << event.code != 0 {
        continue
      }
      output.append(event)
    }
    if let scan { output.append(.scan(scan)) }
    output.endFrame(at: raw.time)
    if !nothingWaits || next != .max || wheels.codes != 0 { settle() }
  }

  /// The relative axes (`REL_*`), a bit each, whose frames pass undecided if they move nothing else. The axes of watched wheels
  /// are missing. While anything waits, all are.
  @inline(__always)
  public var freeAxes: UInt16 { nothingWaits ? ~wheels.codes : 0 }

  /// Receives that a frame of that time was passed on undecided; see ``freeAxes``.
  @inline(__always)
  public mutating func passed(frameAt time: Microseconds) {
    clock.now = clock.time(ofFrameAt: time)
  }

  private var nothingWaits: Bool {
    deadlines.isEmpty && meanings.deadline == .max && wheels.deadline == .max
  }

  /// Lets time pass up to `time`: what has become due is emitted.
  public mutating func advance(to time: Microseconds) {
    guard !nothingWaits else { return }
    fireAll(before: clock.engineTime(of: time) + 1)
    settle()
  }

  /// Takes the given state for the truth, after events were lost: what was due before is emitted, later deadlines are dropped,
  /// and what was emitted otherwise is corrected at once, in one frame.
  ///
  /// - Parameters:
  ///   - held: All keys that are down.
  ///   - others: Events that are not keys and belong to the same moment, which is the frame's time; they pass. Keys in it, and
  ///     scan codes, are left out.
  public mutating func resynchronise(held: KeySet, others: borrowing Frame) {
    if let last = held.max() { makeRoom(upTo: last) }
    let time = clock.time(ofFrameAt: others.time)
    // Edges that were due before have lasted: a loop that wakes late decides nothing else.
    fireAll(before: time)
    clock.now = time
    wheels.forget()
    if hasMeanings {
      // Nobody knows how long a key was down, or whether it was pressed again.
      decideSingle()
      meanings.isCorrecting = true
    }
    // Edges that were waiting are the older ones: they go first.
    while let code = deadlines.first(where: { _ in true }) {
      deadlines.remove(code)
      correct(code, down: held.contains(code))
    }
    for index in keys.indices { keys[index].forgetWaiting() }
    // The order in which the others moved is not known. Releases go first, and modifiers around what they modify.
    for down in [false, true] {
      for isModifier in [down, !down] {
        for code in 0..<KeyCode(keys.count)
        where held.contains(code) == down && code.isModifier == isModifier {
          correct(code, down: down)
        }
      }
    }
    meanings.isCorrecting = false
    device.machine.resynchronise(down: held.count { isAdaptive($0) && !$0.isModifier }, at: time)
    for event in others.events {
      // `held` has the keys, and with them their scan codes.
      guard event.type != EventType.key, !event.isScan, !event.isReport else { continue }
      output.append(event)
    }
    output.endFrame(at: others.time)
    settle()
  }

  /// Lets every key go that the clone holds, in one frame: the device is gone or given back.
  ///
  /// Edges that were due before are emitted. Later deadlines are dropped, and the edges that wait for them never go out.
  public mutating func close(at time: Microseconds) {
    resynchronise(held: KeySet(), others: Frame(time: time))
  }
}

// MARK: - Time

extension Debouncer {
  /// The time of the edge, or of the deadline, that is decided on.
  @inline(__always)
  var now: Microseconds { clock.now }

  /// Brings ``deadline`` and the count of reversals up to date, after what waits, or is left out, may have changed.
  private mutating func settle() {
    counters.reversals = wheels.leftOut
    next = min(deadlines.first?.deadline ?? .max, meanings.deadline, wheels.deadline)
    deadline = next == .max ? nil : clock.inputTime(of: next)
  }

  /// Fires what is due before that time, the steps of wheels in their turn.
  private mutating func fireAll(before time: Microseconds) {
    while wheels.deadline < time {
      let moment = wheels.deadline
      fireDeadlines(before: moment)
      clock.now = moment
      wheels.fire(at: clock.inputTime(of: moment), into: &output)
    }
    fireDeadlines(before: time)
  }

  private mutating func fireDeadlines(before time: Microseconds) {
    while let entry = deadlines.first, entry.deadline < time {
      if meanings.deadline < entry.deadline { fireMeaning() }
      clock.now = entry.deadline
      deadlines.remove(entry.key)
      let index = Int(entry.key)
      if case .adaptive(let rule) = strategies[Int(keys[index].strategy)] {
        fire(index, by: rule)
      } else if keys[index].raw == keys[index].clean {
        deliverStroke(entry)
      } else if !queueAgain(entry) {
        emitWaiting(index, setBefore: entry.serial)
      }
      if keys[index].nextStrategy != nil { adoptIfIdle(entry.key) }
    }
    if meanings.deadline < time { fireMeaning() }
  }
}

// MARK: - Output

extension Debouncer {
  /// Adds a clean edge to the frame in hand: as it is, or as what it means. The switch moved at `raw`.
  @inline(__always)
  mutating func put(_ event: Event, scan: Int32?, raw: Microseconds) {
    guard hasMeanings else { return output.append(event, scan: scan) }
    interpret(event, scan: scan, raw: raw)
  }

  /// Adds a clean edge in a frame of its own. The events of the frame in hand came before: that frame ends first.
  mutating func putAlone(_ event: Event, scan: Int32?, raw: Microseconds) {
    endFrame()
    put(event, scan: scan, raw: raw)
    endFrame()
  }

  mutating func endFrame() { output.endFrame(at: clock.inputTime(of: now)) }
}

// MARK: - Raw edges

/// Strategies decide on a raw edge, and the engine does what they decide.
extension Debouncer {
  @inline(__always)
  private mutating func receive(_ event: Event, scan: Int32?) {
    let index = Int(event.code)
    let down = event.value != 0
    guard index < keys.count, event.value != 2, keys[index].raw != down else {
      return receiveNoEdge(event, scan: scan)
    }
    if down {
      counters.pressesIn += 1
    } else if keys[index].wasDropOut {
      reclassify(index)
    }
    if case .adaptive(let rule) = strategies[Int(keys[index].strategy)] {
      process(index, down: down, scan: scan, by: rule)
    } else {
      decide(index, down: down, scan: scan)
    }
    if keys[index].nextStrategy != nil { adoptIfIdle(event.code) }
  }

  /// Receives a key event that moves no key, an autorepeat or the state that the key has already; or one of a key without room.
  ///
  /// A function of its own: otherwise the compiler does not inline the decision on edges into the loop over a frame.
  @inline(never)
  private mutating func receiveNoEdge(_ event: Event, scan: Int32?) {
    let index = Int(event.code)
    if index < keys.count {
      report(
        event.value == 2 ? .repeated : .duplicate, of: index, isPress: event.value != 0, edge: now)
    } else if index < EventType.keyCount {
      makeRoom(upTo: event.code)
      receive(event, scan: scan)
    } else if event.value == 2 {
      counters.repeats += 1
    } else {
      // No kernel sends such a code. It passes, as whatever is not debounced does.
      output.append(event, scan: scan)
    }
  }

  /// Does with an edge what the key's strategy decides, by that key alone.
  @inline(never)
  private mutating func decide(_ index: Int, down: Bool, scan: Int32?) {
    if !down, !keys[index].clean { _ = emitQueuedPress(of: index) }
    let (edge, released) = (keys[index].edge, keys[index].released)
    keys[index].raw = down
    let decision = strategies[Int(keys[index].strategy)].decide(keys[index], at: now)
    keys[index].move(down: down, at: now)
    let hold = down && !deadlines.isEmpty ? holdBack(pressOf: index) : KeyState.never
    switch decision {
    case .emit:
      if down, !deadlines.isEmpty {
        // This press replaces a stroke that `throttle` put off, if that is due now, or was, and waits for earlier presses.
        deadlines.remove(KeyCode(index))
        let deadline = max(hold, latestPressWaiting())
        if deadline > now {
          keys[index].due = now
          keys[index].isQueued = true
          keys[index].waitsInOrder = true
          return wait(index, scan: scan, until: deadline)
        }
      }
      pass(index, scan: scan)
    case .wait(let deadline):
      guard down else { return wait(index, scan: scan, until: deadline) }
      keys[index].due = deadline
      wait(index, scan: scan, until: max(deadline, hold))
    case .withdraw(let removal):
      deadlines.remove(KeyCode(index))
      _ = withdraw(index, with: edge, as: removal, after: released)
    case .suppress(let removal, let delivery):
      keys[index].clean = true
      keys[index].suppressed = removal
      if let delivery {
        keys[index].scan = scan
        deadlines.set(KeyCode(index), to: delivery)
      }
      report(
        .suppressed(removal, deliveredAt: delivery.map { clock.inputTime(of: $0) }), of: index,
        isPress: true)
    }
  }

  /// Passes the key's edge on in the frame in hand.
  @inline(__always)
  mutating func pass(_ index: Int, scan: Int32?) {
    let down = keys[index].raw
    if down {
      if keys[index].lock != nil { applyLock(to: index) }
      if !deadlines.isEmpty { emitEarlier(than: index) }
    }
    if emit(index, as: .passed) {
      put(.key(KeyCode(index), down: down), scan: scan, raw: now)
    } else if !down {
      keys[index].releaseScan = scan
    }
  }

  /// Has an edge wait, unless the key's next one withdraws it.
  @inline(never)
  mutating func wait(_ index: Int, scan: Int32?, until deadline: Microseconds) {
    let isPress = keys[index].raw
    keys[index].scan = scan
    deadlines.set(KeyCode(index), to: deadline)
    if !isPress, let suppressed = keys[index].suppressed {
      report(.suppressed(suppressed, deliveredAt: nil), of: index, isPress: false)
    } else {
      report(.waits(until: clock.inputTime(of: deadline)), of: index, isPress: isPress)
    }
  }

  /// The press that was withdrawn as a drop-out has ended: a short hold shows a release bounce.
  @inline(never)
  private mutating func reclassify(_ index: Int) {
    keys[index].wasDropOut = false
    let press = keys[index].edge
    guard now - press < Chatter.shortHold else { return }
    keys[index].isBouncing = true
    reclassifyWithdrawn(of: index, pressedAt: press, as: .releaseBounce)
    report(.reclassified(.releaseBounce), of: index, isPress: true, edge: press)
  }

  /// Suppresses the stroke that is about to begin, if another key of its group has locked it out.
  mutating func applyLock(to index: Int) {
    guard let lock = keys[index].lock.position,
      locks[lock].excludes(KeyCode(index), from: keys[index].edge)
    else { return }
    keys[index].suppressed = .lockedOut
  }

  /// Has the key's clean state follow its raw one, and counts and reports the edge, as `outcome` if it goes to the clone. Returns
  /// whether it does: an edge of a suppressed stroke does not.
  @inline(__always)
  mutating func emit(_ index: Int, as outcome: Outcome.Kind) -> Bool {
    let edge = keys[index].becomeClean(at: now)
    if let suppressed = edge.suppressed {
      if outcome == .passed {
        report(.suppressed(suppressed, deliveredAt: nil), of: index, isPress: edge.isPress)
      } else if edge.isPress {
        report(.vanished(suppressed), of: index, isPress: true)
      }
      return false
    }
    countEmission(of: index, edge)
    send(outcome, of: index, isPress: edge.isPress)
    if edge.isPress, let lock = keys[index].lock.position {
      locks[lock].begin(by: KeyCode(index), at: now)
    }
    return true
  }

  /// Withdraws the edge that came now, and the one of the time `edge` that had waited. The gap before a stroke that vanishes
  /// began at `released`. Returns what the withdrawn press counts as.
  mutating func withdraw(
    _ index: Int, with edge: Microseconds, as removal: Removal, after released: Microseconds
  ) -> Removal {
    var removal = removal
    if keys[index].raw, removal == .dropOut {
      if keys[index].isBouncing { removal = .releaseBounce } else { keys[index].wasDropOut = true }
    }
    if case .chatter = removal { countIntervals(ofChatterOf: index, since: edge, after: released) }
    report(
      .withdrawn(removal, with: clock.inputTime(of: edge)), of: index, isPress: keys[index].raw)
    return removal
  }

  /// Brings the key, and the clone, to the state that is known to be true.
  mutating func correct(_ code: KeyCode, down: Bool) {
    let index = Int(code)
    let wasHeld = keys[index].isHeld
    let waited = keys[index].raw != keys[index].clean
    if keys[index].raw != down {
      if waited { report(.vanished(nil), of: index, isPress: !down) }
      keys[index].raw = down
      keys[index].edge = now
      if down {
        keys[index].start = now
        counters.pressesIn += 1
      }
    } else if down, let suppressed = keys[index].suppressed {
      report(.restored(suppressed), of: index, isPress: true)
    }
    keys[index].suppressed = nil
    keys[index].clean = down
    if wasHeld != down {
      if emit(index, as: waited ? .emitted : .corrected) {
        put(.key(code, down: down), scan: nil, raw: now)
      }
    }
    adoptIfIdle(code)
  }
}

// MARK: - Edges that waited

extension Debouncer {
  /// Has a press that has waited long enough for its own sake wait for earlier ones.
  private mutating func queueAgain(_ entry: DeadlineQueue.Entry) -> Bool {
    let index = Int(entry.key)
    guard keys[index].raw, !keys[index].isQueued, postpone(entry, pressedAt: keys[index].edge)
    else { return false }
    keys[index].isQueued = true
    keys[index].waitsInOrder = true
    return true
  }

  /// Has a press wait on if an earlier one waits for longer; returns whether it does.
  private mutating func postpone(_ entry: DeadlineQueue.Entry, pressedAt press: Microseconds)
    -> Bool
  {
    let latest = latestPressWaiting(before: press, setBefore: entry.serial)
    guard latest > entry.deadline else { return false }
    deadlines.postpone(entry, to: latest)
    send(.postponed(until: clock.inputTime(of: latest)), of: Int(entry.key), isPress: true)
    return true
  }

  /// Emits the edge that waited, as a frame of its own, after what `emitEarlier` says; `presses` is `serial` if `nil`.
  @inline(never)
  mutating func emitWaiting(
    _ index: Int, setBefore serial: UInt64 = .max, pressesSetBefore presses: UInt64? = nil
  ) {
    let down = keys[index].raw
    if down {
      applyLock(to: index)
      emitEarlier(
        than: index, setBefore: serial, pressesSetBefore: presses ?? (serial == .max ? 0 : serial))
    }
    guard emit(index, as: .emitted) else { return }
    putAlone(
      .key(KeyCode(index), down: down), scan: keys[index].scan, raw: keys[index].edge)
  }

  /// Emits the stroke that `throttle` put off, its press, and its release if it has come; or has it wait for earlier presses.
  private mutating func deliverStroke(_ entry: DeadlineQueue.Entry) {
    let index = Int(entry.key)
    if postpone(entry, pressedAt: keys[index].start) { return }
    let isDown = keys[index].raw
    report(.restored(.throttled), of: index, isPress: true, edge: keys[index].start)
    keys[index].suppressed = nil
    let release = keys[index].edge
    (keys[index].raw, keys[index].edge) = (true, keys[index].start)
    emitWaiting(index, setBefore: entry.serial)
    guard !isDown else { return }
    (keys[index].raw, keys[index].edge) = (false, release)
    keys[index].scan = keys[index].releaseScan
    emitWaiting(index)
  }

  /// Emits what waits and is meant, in the order in which it came.
  mutating func emitWaiting(where isMeant: (KeyState, DeadlineQueue.Entry) -> Bool) {
    while let code = deadlines.first(
      by: { keys[Int($0)].edge }, where: { isMeant(keys[Int($0.key)], $0) })
    {
      deadlines.remove(code)
      emitWaiting(Int(code))
      // It is idle now, although its deadline has not come.
      adoptIfIdle(code)
    }
  }
}

// MARK: - The order of the switches

/// While a press of `adaptive` waits, no later press of the device goes out before it, nor a later release of a modifier
/// with `adaptive`.
///
/// ```
///    A (adaptive)   ──R P──────|────      A's press waits until it is decided, and so does S's, whatever its strategy
///    S              ──────P────|──R─
///   clean           ───────────A·S──┐
/// ```
extension Debouncer {
  @inline(__always)
  func isAdaptive(_ code: KeyCode) -> Bool {
    if case .adaptive = strategies[Int(keys[Int(code)].strategy)] { true } else { false }
  }

  /// The latest deadline of the presses that wait in order; long ago if none does.
  ///
  /// - Parameters:
  ///   - edge: Presses that came before this time count.
  ///   - serial: Presses of that very time count if they were set to wait before this: they came earlier in the same frame.
  @inline(never)
  func latestPressWaiting(
    before edge: Microseconds = .max, setBefore serial: UInt64 = .max
  ) -> Microseconds {
    var latest = KeyState.never
    for place in deadlines.entries.indices {
      let entry = deadlines.entries[place]
      let key = keys[Int(entry.key)]
      guard key.waitsInOrder, key.edge < edge || key.edge == edge && entry.serial < serial else {
        continue
      }
      latest = max(latest, entry.deadline)
    }
    return latest
  }

  /// Strokes of other keys may be several. Until that is known, all that waits waits longer, and so does the press that comes
  /// now, at least until the time returned: long ago if no stroke is such. Nothing waits longer than ``Adaptive/longestWait``.
  @inline(never)
  mutating func holdBack(pressOf index: Int) -> Microseconds {
    var (deadline, edge) = (KeyState.never, KeyState.never)
    var open: Int?
    for place in deadlines.entries.indices {
      let entry = deadlines.entries[place]
      let key = Int(entry.key)
      guard key != index, keys[key].releaseWaits, keys[key].adaptive.stroke.mayBeSeveral else {
        continue
      }
      deadline = max(deadline, entry.deadline)
      edge = max(edge, keys[key].edge)
      open = key
    }
    guard let open, case .adaptive(let rule) = strategies[Int(keys[open].strategy)] else {
      return KeyState.never
    }
    let hold = max(
      deadline, min(now + rule.shortContact, edge + rule.pause + 2 * rule.shortContact))
    for place in deadlines.entries.indices {
      let entry = deadlines.entries[place]
      let key = keys[Int(entry.key)]
      let later = min(hold, key.edge + rule.longestWait)
      guard entry.deadline < later, key.waitsInOrder || isAdaptive(entry.key) else { continue }
      deadlines.raise(place, to: later)
      send(.postponed(until: clock.inputTime(of: later)), of: Int(entry.key), isPress: key.raw)
    }
    deadlines.sort()
    return hold
  }

  /// Emits the press of a key that waits for the sake of others, as the key is let go now. Returns whether it did; if not, the
  /// press waits for its own sake.
  @inline(never)
  mutating func emitQueuedPress(of index: Int) -> Bool {
    guard keys[index].isQueued || now > keys[index].due else { return false }
    emitWaiting(index, pressesSetBefore: deadlines.remove(KeyCode(index)))
    return true
  }

  /// Emits the presses that wait for others only, if no other waits any more.
  mutating func emitQueuedPresses() {
    for place in deadlines.entries.indices {
      let key = keys[Int(deadlines.entries[place].key)]
      if key.waitsInOrder, !key.isQueued { return }
    }
    emitWaiting { key, _ in key.waitsInOrder }
  }

  /// Emits what waits and must go out before the key's press: presses that came before it, and releases as ``flush`` says.
  ///
  /// - Parameters:
  ///   - serial: The serial number of the press's own deadline, if it waited: releases set to wait later came after it.
  ///   - presses: Presses with the same time go first if their deadlines were set before this: one frame may bring several.
  @inline(never)
  mutating func emitEarlier(
    than index: Int, setBefore serial: UInt64 = .max, pressesSetBefore presses: UInt64 = 0
  ) {
    guard !deadlines.isEmpty else { return }
    let (start, flush) = (keys[index].start, flush)
    emitWaiting { key, entry in
      key.waitsInOrder && (key.edge < start || key.edge == start && entry.serial < presses)
    }
    guard keys[index].suppressed == nil else { return }
    emitWaiting { key, entry in
      key.edge <= start && entry.serial < serial && flush.includes(entry.key) && key.isHeld
        && !key.raw
    }
  }
}

// MARK: - New rules

extension Debouncer {
  /// Adopts new rules: for each key as soon as it is idle, which is when it is up and nothing of it waits.
  ///
  /// Until then a key goes on by the rules it has, so that no stroke is decided on by two. What is known of the keys stays:
  /// when they last moved, and which of them drop out, unless the strategy that learned it is another now.
  ///
  /// While the engine is paused, they wait until that ends.
  public mutating func adopt(_ rules: Rules) {
    adopted = rules
    // A named key counts as bad also where the device lacks it.
    makeRoom(upTo: rules.keys.keys.max() ?? 0)
    if !isPaused { apply() }
  }

  /// Passes everything on as it is: each key's edges as soon as it is idle, and a wheel's steps and what strokes mean at the
  /// next stroke.
  ///
  /// Nothing is counted of single keys meanwhile, and nothing is learned or forgotten: what passes may be chatter.
  public mutating func pause() {
    guard !isPaused else { return }
    isPaused = true
    // Entries of an earlier pause that are left are of keys that have not been idle since: that pause goes on for them.
    if keysBeforePause.isEmpty {
      keysBeforePause = ContiguousArray(repeating: nil, count: keys.count)
    }
    apply()
  }

  /// Debounces again after ``pause()``: each key as soon as it is idle.
  public mutating func resume() {
    guard isPaused else { return }
    isPaused = false
    apply()
  }

  /// Makes room for a key and all below it, as far as a kernel has keys. The new ones have the rules that hold now.
  mutating func makeRoom(upTo last: KeyCode) {
    let last = min(last, KeyCode(EventType.keyCount - 1))
    guard last >= keys.count else { return }
    let none = UInt16(place(of: .none))
    for code in KeyCode(keys.count)...last {
      keys.append(KeyState(strategy: none, isModifier: code.isModifier))
      if !keysBeforePause.isEmpty { keysBeforePause.append(nil) }
    }
    apply()
  }

  /// Applies the rules that hold now.
  private mutating func apply() {
    let rules = isPaused ? Rules(strategy: .none, flush: adopted.flush) : adopted
    let old = strategies
    strategies = [rules.strategy.limited]
    // Keys without a strategy of their own, which nearly all are, have the first place.
    var last = (strategy: rules.strategy, place: 0)
    for index in keys.indices {
      let strategy = rules.strategy(of: KeyCode(index))
      if strategy != last.strategy { last = (strategy, place(of: strategy.limited)) }
      let present = old[Int(keys[index].strategy)]
      if isIdle(KeyCode(index)) {
        change(index, to: last.place, from: present)
      } else {
        keys[index].strategy = UInt16(place(of: present))
        keys[index].nextStrategy = UInt16(last.place)
      }
    }
    nearMissGaps = ContiguousArray(strategies.map { 2 * ($0.rule?.window ?? 0) })
    adopt(rules.groups)
    adopt(meanings: rules.meanings)
    wheels.adopt(rules.wheel)
    flush = rules.flush
    // A step that waited for what would show its direction waits no more.
    settle()
  }

  /// Where the strategy stands; it is added if it is new.
  private mutating func place(of strategy: Strategy) -> Int {
    if let known = strategies.firstIndex(of: strategy) { return known }
    strategies.append(strategy)
    return strategies.count - 1
  }

  private mutating func adopt(_ groups: [Group]) {
    // A lock that runs goes on where its group is still the same.
    locks = ContiguousArray(
      groups.map { group in
        self.groups.firstIndex(of: group).map { locks[$0] } ?? Lock(lockout: group.lockout)
      })
    self.groups = groups
    for index in keys.indices { keys[index].lock = nil }
    for (lock, group) in groups.enumerated() {
      for code in group.keys where Int(code) < keys.count && keys[Int(code)].lock == nil {
        keys[Int(code)].lock = UInt16(lock)
      }
    }
  }

  /// Gives the key the strategy that waits for it, if there is one and the key is idle.
  mutating func adoptIfIdle(_ code: KeyCode) {
    guard let next = keys[Int(code)].nextStrategy.position, isIdle(code) else { return }
    change(Int(code), to: next, from: strategies[Int(keys[Int(code)].strategy)])
  }

  /// What `adaptive` learned of the key stays if the strategy does.
  private mutating func change(_ index: Int, to place: Int, from present: Strategy) {
    keys[index].strategy = UInt16(place)
    keys[index].nextStrategy = nil
    device.badKeys += (strategies[place].isNamed ? 1 : 0) - (present.isNamed ? 1 : 0)
    if isPaused {
      if keysBeforePause[index] == nil {
        keysBeforePause[index] = (keys[index].presses, keys[index].adaptive.lastShort)
      }
      return
    }
    var wasAdaptive = if case .adaptive = present { true } else { false }
    if index < keysBeforePause.count, let before = keysBeforePause[index] {
      // The presses of the pause prove nothing, neither for the switch nor against it, nor for a machine that types.
      keys[index].adaptive.evidence.extend(by: keys[index].presses - before.presses)
      keys[index].adaptive.lastShort = before.lastShort
      keysBeforePause[index] = nil
      wasAdaptive = true
    }
    if wasAdaptive, !isAdaptive(KeyCode(index)) {
      forgetHabits(of: index)
      keys[index].adaptive = AdaptiveKey()
    }
  }

  /// Whether the key is up and nothing of it waits.
  private func isIdle(_ code: KeyCode) -> Bool {
    let key = keys[Int(code)]
    return !key.raw && !key.clean && !deadlines.contains(code)
  }
}

// MARK: - Reports

/// Each decision is counted and reported in one place.
extension Debouncer {
  /// Counts what became of an edge, and reports it to whoever listens. The edge came at `edge`; `nil` for the key's last one.
  @inline(__always)
  mutating func report(
    _ kind: Outcome.Kind, of index: Int, isPress: Bool, edge: Microseconds? = nil
  ) {
    count(kind, of: index, isPress: isPress)
    send(kind, of: index, isPress: isPress, edge: edge)
  }

  @inline(__always)
  mutating func send(
    _ kind: Outcome.Kind, of index: Int, isPress: Bool, edge: Microseconds? = nil
  ) {
    guard reportsOutcomes else { return }
    let edge = edge ?? (isPress ? keys[index].start : keys[index].edge)
    outcomes.append(
      Outcome(
        key: KeyCode(index), isPress: isPress, edge: clock.inputTime(of: edge),
        time: clock.inputTime(of: now), kind: kind))
  }
}

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

  var keys = ContiguousArray((0..<KeyCode(EventType.keyCount)).map { KeyState($0) })
  var strategies: ContiguousArray<Strategy> = []
  /// For each of them, the gap below which a press that passes is a near miss.
  var nearMissGaps: ContiguousArray<Microseconds> = []
  var groups: [Group] = []
  var locks: ContiguousArray<Lock> = []
  var flush = Flush.modifiers
  var deadlines = DeadlineQueue()
  /// What `adaptive` remembers of the device.
  var device = AdaptiveDevice()
  var swallowed = SwallowedStrokes()
  /// The counts of each key that was pressed, in the order in which they were first counted: `KeyState.row` is the index.
  var keyCounts: ContiguousArray<KeyCounts> = []
  var clock = EventClock()
  var wheels = Wheels()
  /// What strokes mean, where they mean more than their key.
  var meanings = MeaningStates()
  /// Whether any key has, or has had, meanings.
  var hasMeanings = false
  /// The rules that hold while the engine is not paused.
  var adopted: Rules
  /// Whether everything passes as it is, from when each key is idle: see ``pause()``.
  public internal(set) var isPaused = false
  /// While the engine is paused, what each key was when it began to pass; none for a key that does not yet.
  var keysBeforePause: ContiguousArray<KeyBeforePause?> = []
  /// When the stroke is decided that is not yet; never if there is none.
  var meaningDeadline = Microseconds.max

  /// An engine for a device of which no key is down.
  public init(_ rules: Rules = Rules()) {
    adopted = rules
    // Room for all keys, so that no event has to ask for more. The kernel gives memory only to what is used.
    keyCounts.reserveCapacity(EventType.keyCount)
    adopt(rules)
  }

  /// When ``advance(to:into:)`` must be called next if no frame comes before; `nil` for never.
  ///
  /// Stored: to work it out whenever somebody asks would copy the engine, half a kilobyte.
  public private(set) var deadline: Microseconds?

  /// Whether no key is down, neither the device's nor the clone's, and no stroke waits to be emitted.
  public var isAtRest: Bool { held.isEmpty && rawHeld.isEmpty && !hasUndecidedStroke }

  /// The keys that are down according to what was emitted.
  public var held: KeySet {
    KeySet(
      keys.indices.lazy.filter { hasMeanings ? meanings.holders[$0] > 0 : keys[$0].isHeld }
        .map { KeyCode($0) })
  }

  /// The keys that are down according to the raw events.
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
    guard !raw.movesKeys, !raw.isEmpty, nothingWaits else { return false }
    if wheels.codes != 0, wheels.areTurned(by: raw) { return false }
    passed(frameAt: raw.time)
    return true
  }

  /// Receives that a frame of that time was passed on as it is, because there is nothing to decide in it.
  @inline(__always)
  public mutating func passed(frameAt time: Microseconds) {
    _ = clock.advance(toFrameAt: time)
  }

  /// The relative axes (`REL_*`), a bit each, of which there is nothing to decide if a frame moves them and nothing else: all
  /// but those of a wheel that is watched, and none while anything waits for its time.
  @inline(__always)
  public var freeAxes: UInt16 {
    nothingWaits ? ~wheels.codes : 0
  }

  private var nothingWaits: Bool {
    deadlines.isEmpty && meaningDeadline == .max && wheels.deadline == .max
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

  /// Takes the given state for the truth, after events were lost: what was due before is emitted, later deadlines are dropped,
  /// and what was emitted otherwise is corrected at once, in one frame.
  ///
  /// - Parameters:
  ///   - held: The keys that are down.
  ///   - others: Events that are not keys and belong to the same moment; they pass. Its time is the
  ///     moment. Keys among them, and scan codes, are left out: `held` has it all.
  ///   - output: The corrections are added here.
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
  /// What was due before is emitted, later deadlines are dropped: what had not been emitted never will be.
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
    if !deadlines.isEmpty || meaningDeadline < time || wheels.deadline < time {
      fireAll(before: time, into: &output, &outcomes)
    }

    let taken =
      wheels.codes == 0
      ? 0 : wheels.turn(raw, at: time, into: &output, leftOut: &counters.reversals)
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
      if event.isScan || event.isReport { continue }
      if taken != 0, event.type == EventType.relative, taken & 1 << event.code != 0 { continue }
      output.append(event)
    }
    if let scan { output.append(.scan(scan)) }
    output.endFrame(at: raw.time)
    renewDeadline()
  }

  private mutating func advance(
    to time: Microseconds, into output: inout FrameQueue, _ outcomes: inout some OutcomeReceiver
  ) {
    guard !nothingWaits else { return }
    fireAll(before: clock.engineTime(of: time) + 1, into: &output, &outcomes)
    renewDeadline()
  }

  private mutating func resynchronise(
    held: KeySet, others: borrowing Frame, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) {
    let time = clock.advance(toFrameAt: others.time)
    // What was due before has lasted: a loop that wakes late decides nothing else.
    fireAll(before: time, into: &output, &outcomes)
    wheels.forget(&counters.reversals)
    if hasMeanings { settleMeanings(held, at: time, into: &output, &outcomes) }
    // Edges that were waiting are the older ones: they go first.
    while let waiting = deadlines.first(where: { _ in true }) {
      deadlines.remove(waiting)
      correct(waiting, down: held.contains(waiting), at: time, into: &output, &outcomes)
    }
    for index in keys.indices { keys[index].forgetWaiting() }
    // In what order the others moved is not known. Releases first, and modifiers around what they modify.
    for down in [false, true] {
      for isModifier in [down, !down] {
        for code in 0..<KeyCode(keys.count)
        where held.contains(code) == down && code.isModifier == isModifier {
          correct(code, down: down, at: time, into: &output, &outcomes)
        }
      }
    }
    meanings.isCorrecting = false
    let down = held.filter { Int($0) < keys.count && isAdaptive($0) && !$0.isModifier }.count
    device.machine.resynchronise(down: down, at: time)
    for event in others.events {
      // `held` has the keys, and with them their scan codes.
      guard event.type != EventType.key, !event.isScan, !event.isReport else { continue }
      output.append(event)
    }
    output.endFrame(at: others.time)
    renewDeadline()
  }

  /// To be called when keys may wait for another time than before.
  private mutating func renewDeadline() {
    let next = min(deadlines.first?.deadline ?? .max, meaningDeadline, wheels.deadline)
    deadline = next == .max ? nil : clock.inputTime(of: next)
  }
}

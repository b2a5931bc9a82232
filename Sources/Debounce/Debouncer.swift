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

  private var keys: ContiguousArray<KeyState>
  private let strategies: ContiguousArray<Strategy>
  private let flush: Flush
  private var deadlines = DeadlineQueue()
  private var clock = EventClock()

  /// The clean frame that is being built from the raw one in hand.
  private var frame = Frame(capacity: 64)

  /// An engine for a device of which no key is down.
  public init(_ rules: Rules = Rules()) {
    var strategies: ContiguousArray = [rules.strategy]
    var keys = ContiguousArray(repeating: KeyState(), count: EventType.keyCount)
    for (code, strategy) in rules.keys where Int(code) < keys.count {
      if let known = strategies.firstIndex(of: strategy) {
        keys[Int(code)].strategy = known
      } else {
        keys[Int(code)].strategy = strategies.count
        strategies.append(strategy)
      }
    }
    self.keys = keys
    self.strategies = strategies
    flush = rules.flush
  }

  /// When ``advance(to:into:)`` must be called next if no frame comes before; `nil` for never.
  public var deadline: Microseconds? {
    deadlines.first.map { clock.inputTime(of: $0.deadline) }
  }

  /// The keys that are down as the clone has been told.
  public var held: KeySet {
    KeySet(keys.indices.lazy.filter { keys[$0].clean }.map { KeyCode($0) })
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
    for event in raw.events {
      if event.type == EventType.key {
        apply(event, scan: scan, at: time, into: &output)
        scan = nil
        continue
      }
      if let passing = scan {
        frame.append(.scan(passing))
        scan = nil
      }
      if event.isScan {
        scan = event.value
      } else if !event.isReport {
        frame.append(event)
      }
    }
    if let scan { frame.append(.scan(scan)) }
    finishFrame(at: time, into: &output)
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
  public mutating func resynchronise(
    held: KeySet, others: borrowing Frame, into output: inout FrameQueue
  ) {
    let time = clock.advance(toFrameAt: others.time)
    // Edges that were waiting are the older ones: they go first.
    while let waiting = deadlines.first(where: { _ in true }) {
      deadlines.remove(waiting)
      settle(waiting, down: held.contains(waiting), at: time)
    }
    for down in [false, true] {
      for code in 0..<KeyCode(keys.count) where held.contains(code) == down {
        settle(code, down: down, at: time)
      }
    }
    for event in others.events {
      // Keys, and the scan codes that belong to them, are told by `held`.
      guard event.type != EventType.key, !event.isScan, !event.isReport else { continue }
      frame.append(event)
    }
    finishFrame(at: time, into: &output)
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
      if let scan { frame.append(.scan(scan)) }
      frame.append(event)
      return
    }
    let down = event.value != 0
    guard keys[index].raw != down else {
      counters.duplicates += 1
      return
    }
    keys[index].raw = down
    if down { counters.pressesIn += 1 }

    let strategy = strategies[keys[index].strategy]
    let verdict = strategy.judge(&keys[index], at: time, counting: &counters)
    keys[index].edge = time
    switch verdict {
    case .emit:
      if down { flushReleases(before: event.code, at: time, into: &output) }
      if let scan { frame.append(.scan(scan)) }
      frame.append(event)
      noteEmitted(event.code)
    case .decide(let deadline):
      keys[index].scan = scan
      deadlines.set(event.code, to: deadline)
    case .withdraw(let chatter):
      deadlines.remove(event.code)
      counters.count(chatter)
    }
  }

  /// Brings the key to the state that is known to be true.
  private mutating func settle(_ code: KeyCode, down: Bool, at time: Microseconds) {
    let index = Int(code)
    if keys[index].raw != down {
      keys[index].raw = down
      keys[index].edge = time
      if down { counters.pressesIn += 1 }
    }
    guard keys[index].clean != down else { return }
    frame.append(.key(code, down: down))
    noteEmitted(code)
  }

  /// Records that clean is now what raw is.
  private mutating func noteEmitted(_ code: KeyCode) {
    let index = Int(code)
    keys[index].clean = keys[index].raw
    if keys[index].clean {
      keys[index].pressed = keys[index].edge
      keys[index].presses &+= 1
      counters.pressesOut += 1
    } else {
      keys[index].released = keys[index].edge
    }
  }
}

// MARK: - What waits

extension Debouncer {
  private mutating func fireDeadlines(before time: Microseconds, into output: inout FrameQueue) {
    while let entry = deadlines.first, entry.deadline < time {
      clock.advance(toDeadline: entry.deadline)
      let index = Int(entry.key)
      deadlines.remove(entry.key)
      strategies[keys[index].strategy].lasted(&keys[index], counting: &counters)
      if keys[index].raw {
        flushReleases(before: entry.key, at: entry.deadline, into: &output)
      }
      emitWaiting(entry.key, at: entry.deadline, into: &output)
    }
  }

  /// Emits the edge that waited, as a frame of its own.
  private mutating func emitWaiting(
    _ code: KeyCode, at time: Microseconds, into output: inout FrameQueue
  ) {
    let key = keys[Int(code)]
    output.append(.key(code, down: key.raw), scan: key.scan, at: time)
    noteEmitted(code)
  }

  /// Emits the waiting releases that must not be overtaken by a press of `pressed`.
  private mutating func flushReleases(
    before pressed: KeyCode, at time: Microseconds, into output: inout FrameQueue
  ) {
    guard !deadlines.entries.isEmpty else { return }
    while let code = deadlines.first(where: {
      $0 != pressed && flush.includes($0) && !keys[Int($0)].raw
    }) {
      // The frame in hand goes out after this one, but not if it holds the press of this very key.
      if frame.events.contains(where: { $0.type == EventType.key && $0.code == code }) {
        finishFrame(at: time, into: &output)
      }
      deadlines.remove(code)
      emitWaiting(code, at: time, into: &output)
    }
  }

  private mutating func finishFrame(at time: Microseconds, into output: inout FrameQueue) {
    output.append(frame, at: time)
    frame.removeAll()
  }
}

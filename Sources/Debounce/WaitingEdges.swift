/// What becomes of edges that waited.
extension Debouncer {
  mutating func fireDeadlines(
    before time: Microseconds, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) {
    while let entry = deadlines.first, entry.deadline < time {
      if meaningDeadline < entry.deadline { fireMeaning(into: &output, &outcomes) }
      clock.advance(toDeadline: entry.deadline)
      deadlines.remove(entry.key)
      let index = Int(entry.key)
      if case .adaptive(let rule) = strategies[Int(keys[index].strategy)] {
        fire(entry, by: rule, into: &output, &outcomes)
      } else if keys[index].raw == keys[index].clean {
        deliverStroke(entry, into: &output, &outcomes)
      } else if !queueAgain(entry, &outcomes) {
        emitWaiting(
          index, setBefore: entry.serial, at: entry.deadline, into: &output, &outcomes)
      }
      if keys[index].nextStrategy != .none { adoptIfIdle(entry.key) }
    }
    if meaningDeadline < time { fireMeaning(into: &output, &outcomes) }
  }

  /// Has a press that has waited long enough for its own sake wait for earlier ones.
  private mutating func queueAgain(
    _ entry: DeadlineQueue.Entry, _ outcomes: inout some OutcomeReceiver
  ) -> Bool {
    let index = Int(entry.key)
    guard keys[index].raw, !keys[index].isQueued else { return false }
    let latest = latestPressWaiting(before: keys[index].edge, setBefore: entry.serial)
    guard latest > entry.deadline else { return false }
    keys[index].isQueued = true
    keys[index].waitsInOrder = true
    deadlines.postpone(entry, to: latest)
    send(
      .postponed(until: clock.inputTime(of: latest)), of: index, isPress: true, edge: nil,
      at: entry.deadline, &outcomes)
    return true
  }

  /// Emits the edge that waited, as a frame of its own.
  ///
  /// - Parameters:
  ///   - serial: That of its deadline, where releases of the same moment that were set later must not go out before it.
  ///   - presses: Presses of the same time came before it if they were set to wait before this; that serial, unless there is
  ///     another.
  @inline(never)
  mutating func emitWaiting(
    _ index: Int, setBefore serial: UInt64 = .max, pressesSetBefore presses: UInt64? = nil,
    at time: Microseconds, into output: inout FrameQueue, _ outcomes: inout some OutcomeReceiver
  ) {
    let down = keys[index].raw
    if down {
      applyLock(to: index)
      emitEarlier(
        than: index, setBefore: serial, pressesSetBefore: presses ?? (serial == .max ? 0 : serial),
        at: time, into: &output, &outcomes)
    }
    guard emit(index, at: time, as: .emitted, &outcomes) else { return }
    let moment = clock.inputTime(of: time)
    // What the frame in hand already holds came before. An edge that waited is a frame of its own.
    output.endFrame(at: moment)
    put(
      .key(KeyCode(index), down: down), scan: keys[index].scan, raw: keys[index].edge, at: time,
      into: &output, &outcomes)
    output.endFrame(at: moment)
  }

  /// Emits the stroke that `throttle` put off, its press, and its release if it has come; or has it wait for earlier presses.
  private mutating func deliverStroke(
    _ entry: DeadlineQueue.Entry, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) {
    let index = Int(entry.key)
    let isDown = keys[index].raw
    let latest = latestPressWaiting(before: keys[index].start, setBefore: entry.serial)
    guard latest <= entry.deadline else {
      deadlines.postpone(entry, to: latest)
      return send(
        .postponed(until: clock.inputTime(of: latest)), of: index, isPress: true, edge: nil,
        at: entry.deadline, &outcomes)
    }
    report(
      .restored(.throttled), of: index, isPress: true, edge: keys[index].start, at: entry.deadline,
      &outcomes)
    keys[index].taken = nil
    keys[index].raw = true
    emitWaiting(index, setBefore: entry.serial, at: entry.deadline, into: &output, &outcomes)
    guard !isDown else { return }
    keys[index].raw = false
    keys[index].scan = keys[index].releaseScan
    emitWaiting(index, at: entry.deadline, into: &output, &outcomes)
  }

  /// Emits the waiting releases that must not be overtaken by a press that is emitted next.
  ///
  /// - Parameters:
  ///   - start: When the press came: what was let go after it must not go out before it.
  ///   - serial: That of the press's own deadline, where it waited.
  mutating func flushReleases(
    upTo start: Microseconds, setBefore serial: UInt64, at time: Microseconds,
    into output: inout FrameQueue, _ outcomes: inout some OutcomeReceiver
  ) {
    while let code = deadlines.first(where: {
      let key = keys[Int($0.key)]
      return key.edge <= start && $0.serial < serial && flush.includes($0.key) && key.isHeld
        && !key.raw
    }) {
      deadlines.remove(code)
      emitWaiting(Int(code), at: time, into: &output, &outcomes)
      // It is idle now, although its deadline has not come.
      if keys[Int(code)].nextStrategy != .none { adoptIfIdle(code) }
    }
  }
}

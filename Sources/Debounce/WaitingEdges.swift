/// What becomes of edges that waited.
extension Debouncer {
  mutating func fireDeadlines(
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
  mutating func emitWaiting(
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
  mutating func deliverStroke(
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
  mutating func flushReleases(
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

/// The order of the switches: while a press of `adaptive` waits, no later press of the device goes out before it.
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
  ///   - edge: Of those that came before this time.
  ///   - serial: Also of those of that very time that were set to wait before this: they came earlier in the same frame.
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

  /// Holds back what waits, and the press that comes now, behind strokes of other keys that may be several; but nothing for
  /// longer than an edge of theirs would wait, however long they go on.
  ///
  /// - Returns: Until when the press of this key must wait at least; `nil` if there is no such stroke.
  @inline(never)
  mutating func holdBack(
    pressOf index: Int, at time: Microseconds, _ outcomes: inout some OutcomeReceiver
  ) -> Microseconds? {
    var (deadline, edge) = (KeyState.never, KeyState.never)
    var open: Int?
    for place in deadlines.entries.indices {
      let entry = deadlines.entries[place]
      guard Int(entry.key) != index else { continue }
      let key = Int(entry.key)
      guard keys[key].activity == .releaseWaits, keys[key].adaptive.stroke.mayBeSeveral else {
        continue
      }
      deadline = max(deadline, entry.deadline)
      edge = max(edge, keys[key].edge)
      open = key
    }
    guard let open, case .adaptive(let rule) = strategies[Int(keys[open].strategy)] else {
      return nil
    }
    let hold = rule.hold(at: time, deadline: deadline, edge: edge)
    let longest = rule.longestWait
    reportPostponed(until: hold, noLongerThan: longest, at: time, &outcomes)
    // Copies, as the queue is changed meanwhile; nothing is copied but references.
    let (keys, strategies) = (keys, strategies)
    deadlines.raise {
      let key = keys[Int($0.key)]
      let isAdaptive =
        if case .adaptive = strategies[Int(key.strategy)] { true } else { false }
      return isAdaptive || key.waitsInOrder ? min(hold, key.edge + longest) : $0.deadline
    }
    return hold
  }

  /// Reports which edges wait on until `deadline`, or for as long as an edge waits at most.
  private mutating func reportPostponed<Receiver: OutcomeReceiver>(
    until deadline: Microseconds, noLongerThan longest: Microseconds, at time: Microseconds,
    _ outcomes: inout Receiver
  ) {
    guard Receiver.isListening else { return }
    for place in deadlines.entries.indices {
      let entry = deadlines.entries[place]
      let key = keys[Int(entry.key)]
      let deadline = min(deadline, key.edge + longest)
      guard entry.deadline < deadline, key.waitsInOrder || isAdaptive(entry.key) else { continue }
      send(
        .postponed(until: clock.inputTime(of: deadline)), of: Int(entry.key), isPress: key.raw,
        edge: nil, at: time, &outcomes)
    }
  }

  /// Emits the press of a key that waits for the sake of others, as the key is let go now.
  ///
  /// - Returns: Whether it did; if not, the press waits for its own sake.
  @inline(never)
  mutating func emitQueuedPress(
    of index: Int, at time: Microseconds, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) -> Bool {
    guard keys[index].isQueued || time > keys[index].due else { return false }
    let serial = deadlines.serial(of: KeyCode(index))
    deadlines.remove(KeyCode(index))
    emitWaiting(index, pressesSetBefore: serial, at: time, into: &output, &outcomes)
    return true
  }

  /// Emits the presses that wait for others only, if no other waits any more.
  mutating func emitQueuedPresses(
    at time: Microseconds, into output: inout FrameQueue, _ outcomes: inout some OutcomeReceiver
  ) {
    for place in deadlines.entries.indices {
      let entry = deadlines.entries[place]
      let key = keys[Int(entry.key)]
      if key.waitsInOrder, !key.isQueued { return }
    }
    while let code = deadlines.first(
      by: { keys[Int($0)].edge }, where: { keys[Int($0.key)].waitsInOrder })
    {
      deadlines.remove(code)
      emitWaiting(Int(code), at: time, into: &output, &outcomes)
    }
  }

  /// Emits what waits and must go out before the key's press: presses that came before it, and releases as ``flush`` says.
  ///
  /// - Parameter presses: Presses of the same time came before it if they were set to wait before this: one frame may bring
  ///   several.
  @inline(never)
  mutating func emitEarlier(
    than index: Int, setBefore serial: UInt64 = .max, pressesSetBefore presses: UInt64 = 0,
    at time: Microseconds, into output: inout FrameQueue, _ outcomes: inout some OutcomeReceiver
  ) {
    guard !deadlines.isEmpty else { return }
    let start = keys[index].start
    while let code = deadlines.first(
      by: { keys[Int($0)].edge },
      where: { entry in
        let key = keys[Int(entry.key)]
        return key.waitsInOrder
          && (key.edge < start || key.edge == start && entry.serial < presses)
      })
    {
      deadlines.remove(code)
      emitWaiting(Int(code), at: time, into: &output, &outcomes)
    }
    if keys[index].taken == nil {
      flushReleases(upTo: start, setBefore: serial, at: time, into: &output, &outcomes)
    }
  }
}

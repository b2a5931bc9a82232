/// The engine's part of ``Adaptive``: its keys are decided on together, as one key's press may have to wait for another's.
extension Debouncer {
  /// Processes an edge of a key with the strategy `adaptive` that changes something.
  @inline(__always)
  mutating func process(
    _ event: Event, scan: Int32?, by rule: Adaptive, at time: Microseconds,
    into output: inout FrameQueue, _ outcomes: inout some OutcomeReceiver
  ) {
    let index = Int(event.code)
    let down = event.value != 0
    let isModifier = keys[index].isModifier
    device.machine.move(at: time, pause: rule.pause)
    var hold = KeyState.never
    if !deadlines.isEmpty, down || isModifier {
      hold = holdBack(pressOf: index, at: time, &outcomes)
    }
    if isModifier {
      device.machine.moveModifier(at: time)
    } else if down {
      device.machine.press()
    }
    var change: LearningChange = []
    if down {
      press(event, scan: scan, by: rule, at: time, hold: hold, &change, into: &output, &outcomes)
    } else {
      release(event, scan: scan, by: rule, at: time, hold: hold, &change, into: &output, &outcomes)
    }
    if device.machine.isTyping, !deadlines.isEmpty {
      emitAllWaiting(at: time, into: &output, &outcomes)
    }
    if !change.isEmpty { report(change, of: index, at: time, &outcomes) }
  }

  // MARK: Presses

  @inline(never)
  private mutating func press(
    _ event: Event, scan: Int32?, by rule: Adaptive, at time: Microseconds, hold: Microseconds,
    _ change: inout LearningChange, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) {
    let index = Int(event.code)
    guard !keys[index].clean else {
      return goOn(event, scan: scan, by: rule, at: time, &change, into: &output, &outcomes)
    }
    keys[index].move(down: true, at: time)
    if device.machine.isTyping {
      return pass(event, scan: scan, at: time, into: &output, &outcomes)
    }
    expireEvidence(of: index, &change)
    let due = rule.deadline(ofPressOf: keys[index], device.usual)
    guard due > time || !deadlines.isEmpty else {
      return pass(event, scan: scan, at: time, into: &output, &outcomes)
    }
    let own = max(due, hold)
    let deadline = max(own, latestPressWaiting())
    guard deadline > time else {
      return pass(event, scan: scan, at: time, into: &output, &outcomes)
    }
    keys[index].due = due
    keys[index].isQueued = deadline > own
    waitInOrder(index, scan: scan, until: deadline, at: time, &outcomes)
  }

  /// The stroke whose release waits goes on with this press: its release and this press were no finger's, or are taken for it.
  @inline(never)
  private mutating func goOn(
    _ event: Event, scan: Int32?, by rule: Adaptive, at time: Microseconds,
    _ change: inout LearningChange, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) {
    let index = Int(event.code)
    let release = keys[index].edge
    let contact = release - keys[index].start
    let isShort = keys[index].adaptive.merged.isShort && contact < rule.shortContact
    if isShort, !keys[index].isModifier, device.machine.lastModifier >= release {
      // A modifier moved between two short strokes: no switch does that.
      device.machine.begin()
      emitAllWaiting(at: time, into: &output, &outcomes)
      keys[index].move(down: true, at: time)
      return pass(event, scan: scan, at: time, into: &output, &outcomes)
    }
    deadlines.remove(event.code)
    let isVeryShort = keys[index].adaptive.isVeryShort
    let isTooShort = rule.isTooShort(time - keys[index].pressed)
    let releaseScan = keys[index].scan
    keys[index].move(down: true, at: time)
    let removal = withdraw(
      index, with: release, as: isVeryShort ? .pressBounce : .dropOut,
      after: keys[index].released, &outcomes)

    if isShort {
      keys[index].adaptive.merged.merge(contact: contact, gap: time - release)
      remember(
        SwallowedStrokes.Pair(
          release: release, press: time, releaseScan: releaseScan, pressScan: scan,
          removal: removal), of: index)
    } else {
      keys[index].adaptive.merged.forget()
    }

    if isVeryShort {
      // Evidence (a), once it is known to be one stroke.
      if isTooShort, contact < rule.shortContact { keys[index].adaptive.merged.isHint = true }
      if isTooShort, contact >= rule.shortContact { noteEvidence(of: index, rule, &change) }
    } else if keys[index].adaptive.isDoubted {
      noteEvidence(of: index, rule, &change)  // (d)
    } else {
      keys[index].adaptive.evidence.renew(afterPress: keys[index].presses, within: rule.within)
    }

    if rule.isManyStrokes(keys[index].adaptive.merged) {
      restore(index, at: time, into: &output, &outcomes)
      keys[index].released = release
      device.machine.begin()
    }
  }

  // MARK: Releases

  @inline(never)
  private mutating func release(
    _ event: Event, scan: Int32?, by rule: Adaptive, at time: Microseconds, hold: Microseconds,
    _ change: inout LearningChange, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) {
    let index = Int(event.code)
    let contact = time - keys[index].start
    let isModifier = keys[index].isModifier
    if !isModifier,
      device.machine.release(event.code, isShort: contact < rule.shortContact)
    {
      emitAllWaiting(at: time, into: &output, &outcomes)
    }
    if isModifier, !keys[index].clean, contact < rule.shortContact,
      hold != KeyState.never || rule.isSecondStroke(contact, of: keys[index], device.machine)
    {
      // No finger holds a modifier so shortly: a machine says it in one report with what it is for.
      device.machine.begin()
      emitAllWaiting(at: time, into: &output, &outcomes)
    }
    if !keys[index].clean {
      guard emitQueuedPress(of: index, at: time, into: &output, &outcomes) else {
        return letGo(event, scan: scan, by: rule, at: time, &change, into: &output, &outcomes)
      }
    }
    if device.machine.isTyping {
      keys[index].move(down: false, at: time)
      return pass(event, scan: scan, at: time, into: &output, &outcomes)
    }
    if keys[index].adaptive.merged.isHint, contact >= rule.shortContact {
      keys[index].adaptive.merged.isHint = false
      noteEvidence(of: index, rule, &change)  // (a)
    }
    expireEvidence(of: index, &change)
    let ending = rule.end(
      &keys[index], at: time, &device.usual, besideBad: device.badKeys > 0)
    var deadline = ending.deadline
    var pressWaits = false
    if isModifier, !deadlines.isEmpty {
      let latest = latestPressWaiting()
      pressWaits = latest >= time
      deadline = max(deadline, hold, latest)
    }
    // A press whose deadline is now has not gone out yet: it goes first.
    guard deadline > time || pressWaits else {
      return pass(event, scan: scan, at: time, into: &output, &outcomes)
    }
    keys[index].adaptive.isVeryShort = ending.isVeryShort
    keys[index].adaptive.isDoubted = ending.isDoubted
    wait(index, scan: scan, until: deadline, at: time, &outcomes)
  }

  /// The key is let go while its press waits for its own sake: both vanish, unless a machine typed them.
  @inline(never)
  private mutating func letGo(
    _ event: Event, scan: Int32?, by rule: Adaptive, at time: Microseconds,
    _ change: inout LearningChange, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) {
    let index = Int(event.code)
    deadlines.remove(event.code)
    let press = keys[index].edge
    if rule.isSecondStroke(time - keys[index].start, of: keys[index], device.machine) {
      emitWaiting(index, at: time, into: &output, &outcomes)
      keys[index].move(down: false, at: time)
      return pass(event, scan: scan, at: time, into: &output, &outcomes)
    }
    let released = keys[index].released
    let isEvidence =
      rule.isTooShort(time - released)
      && (keys[index].adaptive.lastShort.map { $0 >= rule.shortContact } ?? true)
    keys[index].move(down: false, at: time)
    keys[index].waitsInOrder = false
    _ = withdraw(index, with: press, as: .releaseBounce, after: released, &outcomes)
    if isEvidence { noteEvidence(of: index, rule, &change) }  // (b)
    keys[index].released = time
    emitQueuedPresses(at: time, into: &output, &outcomes)
  }

  // MARK: Deadlines

  /// The edge that waited has lasted.
  mutating func fire(
    _ entry: DeadlineQueue.Entry, by rule: Adaptive, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) {
    let index = Int(entry.key)
    var change: LearningChange = []
    if keys[index].raw {
      if !keys[index].isQueued, !device.machine.isTyping, rule.isEvidence(lasting: keys[index]) {
        noteEvidence(of: index, rule, &change)  // (c)
      }
    } else if rule.isSeveral(keys[index], device.machine) {
      restore(index, at: entry.deadline, into: &output, &outcomes)
    } else if keys[index].adaptive.merged.isHint {
      keys[index].adaptive.merged.isHint = false
      noteEvidence(of: index, rule, &change)  // (a)
    }
    emitWaiting(index, at: entry.deadline, into: &output, &outcomes)
    if !change.isEmpty { report(change, of: index, at: entry.deadline, &outcomes) }
  }

  // MARK: Evidence

  @inline(__always)
  private mutating func expireEvidence(of index: Int, _ change: inout LearningChange) {
    // Looked at before it is changed: an access that may change something costs more.
    guard keys[index].adaptive.evidence.hasEnded(afterPress: keys[index].presses) else { return }
    keys[index].adaptive.evidence.forget()
    device.badKeys -= 1
    change.insert(.forgot)
  }

  @inline(never)
  private mutating func noteEvidence(
    of index: Int, _ rule: Adaptive, _ change: inout LearningChange
  ) {
    expireEvidence(of: index, &change)
    let presses = keys[index].presses
    guard keys[index].adaptive.evidence.note(afterPress: presses, within: rule.within) else {
      return
    }
    device.badKeys += 1
    change.insert(.learned)
  }

  /// Forgets what was learned of the key, and what it may still deliver.
  mutating func forgetLearning(of index: Int) {
    if keys[index].adaptive.evidence.isBad { device.badKeys -= 1 }
    keys[index].adaptive = AdaptiveKey()
  }
}

// MARK: - What was swallowed

extension Debouncer {
  private mutating func remember(_ pair: SwallowedStrokes.Pair, of index: Int) {
    if keys[index].swallowedRow < 0 { keys[index].swallowedRow = swallowed.addRow() }
    swallowed[keys[index].swallowedRow, keys[index].adaptive.merged.count - 1] = pair
  }

  /// Notes that what the key's last press was taken for was something else.
  mutating func reclassifySwallowed(
    of index: Int, pressedAt time: Microseconds, as removal: Removal
  ) {
    let count = keys[index].adaptive.merged.count
    guard count > 0 else { return }
    let row = keys[index].swallowedRow
    if swallowed[row, count - 1].press == time { swallowed[row, count - 1].removal = removal }
  }

  /// Delivers the strokes that were merged into the key's stroke, which goes on.
  private mutating func restore(
    _ index: Int, at time: Microseconds, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) {
    let code = KeyCode(index)
    let row = keys[index].swallowedRow
    let count = keys[index].adaptive.merged.count
    keys[index].adaptive.merged.restore()
    keys[index].wasDropOut = false
    keys[index].isBouncing = false
    let isTold = keys[index].taken == nil
    var pressed = keys[index].pressed
    if isTold {
      for pair in 0..<count {
        let pair = swallowed[row, pair]
        takeBackIntervals(ofChatterOf: index, gap: pair.press - pair.release)
        report(
          .restored(pair.removal), of: index, isPress: true, edge: pair.press, at: time, &outcomes)
      }
    }
    for pair in 0..<count {
      let pair = swallowed[row, pair]
      if isTold {
        emit(
          CleanEdge(isPress: false, taken: nil, time: pair.release, before: pressed), of: code,
          scan: pair.releaseScan, at: time, into: &output, &outcomes)
      }
      emitEarlier(than: index, at: time, into: &output, &outcomes)
      if isTold {
        emit(
          CleanEdge(isPress: true, taken: nil, time: pair.press, before: pair.release), of: code,
          scan: pair.pressScan, at: time, into: &output, &outcomes)
      }
      pressed = pair.press
      keys[index].presses += 1
    }
    keys[index].before = keys[index].pressed
    keys[index].pressed = keys[index].start
  }

  /// Emits an edge that had been swallowed.
  private mutating func emit(
    _ edge: CleanEdge, of code: KeyCode, scan: Int32?, at time: Microseconds,
    into output: inout FrameQueue, _ outcomes: inout some OutcomeReceiver
  ) {
    countEmission(of: Int(code), edge)
    send(.emitted, of: Int(code), isPress: edge.isPress, edge: edge.time, at: time, &outcomes)
    let moment = clock.inputTime(of: time)
    output.endFrame(at: moment)
    output.append(.key(code, down: edge.isPress), scan: scan)
    output.endFrame(at: moment)
  }

  /// Emits all that waits, in the order in which it came: a machine is typing.
  @inline(never)
  private mutating func emitAllWaiting(
    at time: Microseconds, into output: inout FrameQueue, _ outcomes: inout some OutcomeReceiver
  ) {
    while let code = deadlines.first(
      by: { keys[Int($0)].edge },
      where: {
        keys[Int($0.key)].waitsInOrder || isAdaptive($0.key)
      })
    {
      deadlines.remove(code)
      if !keys[Int(code)].raw, keys[Int(code)].adaptive.merged.mayBeSeveral {
        restore(Int(code), at: time, into: &output, &outcomes)
      }
      keys[Int(code)].adaptive.merged.isHint = false
      emitWaiting(Int(code), at: time, into: &output, &outcomes)
    }
  }
}

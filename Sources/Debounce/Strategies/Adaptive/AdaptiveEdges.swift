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
      device.machine.type()
      return pass(event, scan: scan, at: time, into: &output, &outcomes)
    }
    expireEvidence(of: index, &change)
    var due = rule.deadline(ofPressOf: keys[index], device.usual)
    if due > time, keys[index].adaptive.evidence.isBeyondDoubt {
      keys[index].adaptive.trustedUntil = due
      due = time
    }
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
      // No finger holds a modifier so briefly: a machine sends it in one report with the key that it modifies.
      device.machine.begin()
      emitAllWaiting(at: time, into: &output, &outcomes)
    }
    if !keys[index].clean {
      guard emitQueuedPress(of: index, at: time, into: &output, &outcomes) else {
        return letGo(event, scan: scan, by: rule, at: time, &change, into: &output, &outcomes)
      }
    }
    if keys[index].adaptive.trustedUntil > KeyState.never {
      judgeTrustedPress(of: index, at: time, rule, &change)
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
    let serial = deadlines.serial(of: event.code)
    deadlines.remove(event.code)
    let press = keys[index].edge
    if rule.isSecondStroke(time - keys[index].start, of: keys[index], device.machine) {
      emitWaiting(index, pressesSetBefore: serial, at: time, into: &output, &outcomes)
      keys[index].move(down: false, at: time)
      return pass(event, scan: scan, at: time, into: &output, &outcomes)
    }
    let released = keys[index].released
    let isEvidence = rule.isEvidence(lettingGo: keys[index], at: time)
    keys[index].move(down: false, at: time)
    keys[index].waitsInOrder = false
    _ = withdraw(index, with: press, as: .releaseBounce, after: released, &outcomes)
    keys[index].adaptive.evidence.vanish()
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
      if !keys[index].isQueued, !device.machine.isTyping {
        let key = keys[index]
        if rule.isEvidence(gap: key.edge - key.released, interval: key.edge - key.pressed) {
          noteEvidence(of: index, rule, &change)  // (c)
        } else if key.due > key.edge {
          keys[index].adaptive.evidence.last()
        }
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

  /// The key is let go whose press passed although it was suspicious: what would have become of it?
  @inline(never)
  private mutating func judgeTrustedPress(
    of index: Int, at time: Microseconds, _ rule: Adaptive, _ change: inout LearningChange
  ) {
    let key = keys[index]
    keys[index].adaptive.trustedUntil = KeyState.never
    guard !device.machine.isTyping,
      !rule.isSecondStroke(time - key.start, of: key, device.machine)
    else { return }
    if time <= key.adaptive.trustedUntil {
      keys[index].adaptive.evidence.vanish()
      if rule.isEvidence(lettingGo: key, at: time) {
        noteEvidence(of: index, rule, &change)  // (b)
      }
    } else if rule.isEvidence(gap: key.pressed - key.released, interval: key.pressed - key.before) {
      noteEvidence(of: index, rule, &change)  // (c)
    }
  }

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

/// What becomes of a raw edge: the strategy decides, and here it is done.
extension Debouncer {
  @inline(__always)
  mutating func process(
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
    guard keys[index].raw != down else {
      return report(.duplicate, of: index, isPress: down, edge: time, at: time, &outcomes)
    }
    if down {
      counters.pressesIn += 1
    } else if keys[index].wasDropOut {
      reclassify(index, at: time, &outcomes)
    }
    if case .adaptive(let rule) = strategies[Int(keys[index].strategy)] {
      process(event, scan: scan, by: rule, at: time, into: &output, &outcomes)
    } else {
      decide(event, scan: scan, at: time, into: &output, &outcomes)
    }
    if keys[index].nextStrategy != .none { adoptIfIdle(event.code) }
  }

  /// Does with an edge what the key's strategy decides, by that key alone.
  @inline(never)
  private mutating func decide(
    _ event: Event, scan: Int32?, at time: Microseconds, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) {
    let index = Int(event.code)
    let down = event.value != 0
    if !down, keys[index].waitsInOrder || keys[index].isQueued {
      _ = emitQueuedPress(of: index, at: time, into: &output, &outcomes)
    }
    let (edge, released) = (keys[index].edge, keys[index].released)
    keys[index].raw = down
    let decision = strategies[Int(keys[index].strategy)].decide(&keys[index], at: time)
    keys[index].move(down: down, at: time)
    let hold =
      (down && !deadlines.isEmpty ? holdBack(pressOf: index, at: time, &outcomes) : nil)
      ?? KeyState.never

    switch decision {
    case .emit:
      if down, !deadlines.isEmpty {
        // It takes the place of a stroke that `throttle` put off, which is due now, or was, and waits for earlier presses.
        deadlines.remove(event.code)
        let deadline = max(hold, latestPressWaiting())
        if deadline > time {
          keys[index].due = time
          keys[index].isQueued = true
          return waitInOrder(index, scan: scan, until: deadline, at: time, &outcomes)
        }
      }
      if !down, keys[index].taken != nil { keys[index].releaseScan = scan }
      pass(event, scan: scan, at: time, into: &output, &outcomes)
    case .wait(let deadline):
      guard down else { return wait(index, scan: scan, until: deadline, at: time, &outcomes) }
      keys[index].due = deadline
      wait(index, scan: scan, until: max(deadline, hold), at: time, &outcomes)
    case .withdraw(let chatter):
      deadlines.remove(event.code)
      _ = withdraw(index, with: edge, as: chatter, after: released, &outcomes)
    case .ignore(let removal):
      deadlines.remove(event.code)
      report(
        .withdrawn(removal, with: clock.inputTime(of: edge)), of: index, isPress: false, at: time,
        &outcomes)
    case .take(let removal, let delivery):
      keys[index].clean = true
      keys[index].taken = removal
      if let delivery {
        keys[index].scan = scan
        deadlines.set(event.code, to: delivery)
      }
      report(
        .taken(removal, deliveredAt: delivery.map { clock.inputTime(of: $0) }), of: index,
        isPress: true, at: time, &outcomes)
    }
  }

  /// Passes an edge on in the frame in hand.
  @inline(__always)
  mutating func pass(
    _ event: Event, scan: Int32?, at time: Microseconds, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) {
    let index = Int(event.code)
    if event.value != 0 {
      if keys[index].lock != .none { applyLock(to: index) }
      if !deadlines.isEmpty { emitEarlier(than: index, at: time, into: &output, &outcomes) }
    }
    if emit(index, at: time, as: .passed, &outcomes) {
      put(event, scan: scan, raw: time, at: time, into: &output, &outcomes)
    }
  }

  /// Has an edge wait, unless the key's next one withdraws it.
  @inline(never)
  mutating func wait(
    _ index: Int, scan: Int32?, until deadline: Microseconds, at time: Microseconds,
    _ outcomes: inout some OutcomeReceiver
  ) {
    let isPress = keys[index].raw
    keys[index].scan = scan
    deadlines.set(KeyCode(index), to: deadline)
    if !isPress, let taken = keys[index].taken {
      report(.taken(taken, deliveredAt: nil), of: index, isPress: false, at: time, &outcomes)
    } else {
      report(
        .waits(until: clock.inputTime(of: deadline)), of: index, isPress: isPress, at: time,
        &outcomes)
    }
  }

  /// Has a press wait that holds back those that come later.
  mutating func waitInOrder(
    _ index: Int, scan: Int32?, until deadline: Microseconds, at time: Microseconds,
    _ outcomes: inout some OutcomeReceiver
  ) {
    keys[index].waitsInOrder = true
    wait(index, scan: scan, until: deadline, at: time, &outcomes)
  }

  /// The press that was withdrawn as a drop-out has ended: a short hold shows a release bounce.
  @inline(never)
  private mutating func reclassify(
    _ index: Int, at time: Microseconds, _ outcomes: inout some OutcomeReceiver
  ) {
    keys[index].wasDropOut = false
    let press = keys[index].edge
    guard time - press < Chatter.shortHold else { return }
    keys[index].isBouncing = true
    reclassifySwallowed(of: index, pressedAt: press, as: .releaseBounce)
    report(
      .reclassified(.releaseBounce), of: index, isPress: true, edge: press, at: time, &outcomes)
  }

  /// Takes the stroke that is about to begin, if another key of its group has locked it out.
  mutating func applyLock(to index: Int) {
    guard let lock = keys[index].lock.position,
      locks[lock].excludes(KeyCode(index), from: keys[index].edge)
    else { return }
    keys[index].taken = .lockedOut
  }

  /// Makes clean what raw is.
  ///
  /// - Parameter outcome: What to report if the edge goes to the clone.
  /// - Returns: Whether the edge goes to the clone: that of a stroke that is taken does not.
  @inline(__always)
  mutating func emit(
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
    if edge.isPress, let lock = keys[index].lock.position {
      locks[lock].begin(by: KeyCode(index), at: time)
    }
    return true
  }

  /// Withdraws the edge that came now, and the one of the time `edge` that had waited.
  ///
  /// - Parameter released: From when the gap counts of a stroke that vanishes.
  /// - Returns: What the press of the two counts as.
  mutating func withdraw(
    _ index: Int, with edge: Microseconds, as chatter: Chatter, after released: Microseconds,
    _ outcomes: inout some OutcomeReceiver
  ) -> Removal {
    var removal = Removal(chatter)
    if keys[index].raw, chatter == .dropOut {
      if keys[index].isBouncing { removal = .releaseBounce } else { keys[index].wasDropOut = true }
    }
    countIntervals(ofChatterOf: index, at: keys[index].edge, since: edge, after: released)
    report(
      .withdrawn(removal, with: clock.inputTime(of: edge)), of: index, isPress: keys[index].raw,
      at: keys[index].edge, &outcomes)
    return removal
  }

  /// Brings the key, and the clone, to the state that is known to be true.
  mutating func correct(
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
      if emit(index, at: time, as: outcome, &outcomes) {
        put(.key(code, down: down), scan: nil, raw: time, at: time, into: &output, &outcomes)
      }
    }
    if keys[index].nextStrategy != .none { adoptIfIdle(code) }
  }
}

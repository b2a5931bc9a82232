/// Passes each edge at once unless it is suspicious; what is suspicious waits until it is known what it is.
///
/// Three things decide what is suspicious: what a finger usually does on this key (`UsualHold`), what the key has shown of
/// its switch (`Evidence`), and who types (`MachineTyping`).
///
/// A key is idle, or down, or its press waits, or its release waits (`KeyState.pressWaits`, `releaseWaits`). While its release
/// waits, and while the contact is closed again after that, its stroke may be several (`Contacts`).
///
/// ```
///          P─────────────────R            P─────────────────R
///   raw  ──┘                 └────      ──┘                 └───    a stroke: both edges at once
///
///          P──R P────────────R            the stroke is very short: R waits until `settle` after the
///   raw  ──┘  └─┘            └────        press. P comes first: a press bounce (A), both vanish.
///  clean ──┌─────────────────┐────
///
///          P────────────R P──R            gap < suspect: P waits for `confirm`.
///   raw  ──┘            └─┘  └────        R comes first: a release bounce (B), both vanish,
///  clean ──┌────────────┐─────────        and the next gap counts from that R.
///
///          P────────────R P─────|───R     gap < suspect, but it lasts: a fast double.
///   raw  ──┘            └─┘     |   └─    P is emitted `confirm` after it came.
///  clean ──┌────────────┐───────┌───┐─
///
///          P────────R P──────────R · |    of a bad key every R waits for `dropout`, longer if it is early.
///   raw  ──┘        └─┘          └───|    P comes first: a drop-out (C), both vanish.
///  clean ──┌─────────────────────────┐
/// ```
///
/// Nothing overtakes a press that waits; see the engine's “order of the switches”. No press is suspicious 150 ms or more after
/// the key's last release that went out: what vanishes renews no lock-out.
///
/// Figures in milliseconds were found by simulation on people's typing with known chatter, on fast taps and machine typing.
public struct Adaptive: Equatable, Sendable {
  /// How cautious bad keys are. Their wider windows are multiples of it.
  public var threshold: Microseconds
  /// How long a suspicious press must last to be taken for real.
  public var confirm: Microseconds
  /// How long every release of a bad key waits for the press that would show it was a drop-out; half as long again if it is
  /// early.
  public var dropout: Microseconds
  /// How soon after a bad key's release a press is suspicious; `nil` for what follows from the threshold. If it is given,
  /// neither it nor ``confirm`` scales with how the key is held, and late bounces do not widen it.
  public var suspect: Microseconds?
  /// Whether the settings name the key: it is bad from the start, and stays so.
  public var isNamed: Bool
  /// For how many presses of a key the evidence against its switch holds.
  public var within: Int32

  public init(
    threshold: Microseconds = Strategy.packagedThreshold, confirm: Microseconds = 25_000,
    dropout: Microseconds? = nil, suspect: Microseconds? = nil, within: Int32 = 1000,
    isNamed: Bool = false
  ) {
    self.threshold = threshold
    self.confirm = confirm
    self.dropout = dropout ?? threshold
    self.suspect = suspect
    self.within = within
    self.isNamed = isNamed
  }
}

extension Adaptive: StrategyRule {
  public init(threshold: Microseconds) { self.init(threshold: threshold, within: 1000) }

  package static let times: [Time] = [\.threshold, \.confirm, \.dropout]
  /// For how many presses evidence may hold.
  package static let withinLimits: ClosedRange<Int32> = 1...1_000_000
  package var strategy: Strategy { .adaptive(self) }
  package var window: Microseconds { dropout > 0 ? dropout : confirm }

  package mutating func limit() {
    for time in Self.times { self[keyPath: time] = self[keyPath: time].limited }
    suspect = suspect?.limited
    within = within.limited(to: Self.withinLimits)
  }
}

// MARK: - Figures

extension Adaptive {
  /// The windows and waits of a bad key, before they are scaled by how the key is held.
  public struct Windows: Equatable, Sendable, Codable {
    /// A press that comes so soon after the key's release is suspicious.
    public var suspect: Microseconds
    /// How long such a press must last.
    public var confirm: Microseconds
    /// The release of a very short stroke waits until so long after its press.
    public var settle: Microseconds
    /// How long a release waits.
    public var dropout: Microseconds
    /// How long a release waits that comes early.
    public var earlyDropout: Microseconds
    /// Whether ``Adaptive/suspect`` was given, so that it does not scale; `nil` if it was not.
    public var suspectIsGiven: Bool?
  }

  package var ofBadKeys: Windows {
    Windows(
      suspect: suspect?.limited ?? suspectOfBadKeys, confirm: confirm.limited,
      settle: settle(isBad: true), dropout: dropout.limited, earlyDropout: earlyDropout,
      suspectIsGiven: suspect == nil ? nil : true)
  }

  /// After a smaller gap a press of a healthy key is suspicious.
  package var healthySuspect: Microseconds { 40_000 }

  /// After a smaller gap a press of a bad key is suspicious, unless ``suspect`` is given.
  private var suspectOfBadKeys: Microseconds { max(healthySuspect, threshold.limited * 12 / 5) }

  /// How long an early release of a bad key waits.
  private var earlyDropout: Microseconds { dropout.limited * 3 / 2 }

  /// How long after its press a very short stroke's release waits.
  private func settle(isBad: Bool) -> Microseconds {
    isBad ? max(55_000, threshold.limited * 14 / 5) : 55_000
  }

  /// How late an edge is passed on at most, for its own sake or for that of others.
  package var longestWait: Microseconds {
    let bad = ofBadKeys
    return max(bad.confirm, bad.settle, bad.earlyDropout, pause + 2 * shortContact, borderline)
  }

  /// A stroke is not very short if it is longer than this, however long the key is usually held.
  private var longestBrief: Microseconds { 45_000 }
  /// How long an early release of a healthy key waits beside a bad one. A smaller gap is a finger's hardly ever.
  package var borderline: Microseconds { 15_000 }
  /// A shorter stroke says nothing about what is usual.
  private var shortestUsual: Microseconds { 20_000 }
  /// No finger is faster from press to press, or holds and lets go in less.
  fileprivate var finger: Microseconds { 60_000 }
  /// A contact shorter than `blip`, within `blipReach` after the key's release, is no finger's.
  package var blip: Microseconds { 12_000 }
  package var blipReach: Microseconds { 130_000 }
  /// As ``Windows/suspect``, of a key that has bounced so late: after up to ``blipReach``.
  private func suspect(after reach: Microseconds) -> Microseconds { reach * 5 / 4 }
  /// So long after a release that went out, no press is suspicious any more.
  package var recent: Microseconds { 150_000 }
  /// A hold after which a gap below `borderline` is late in it.
  fileprivate var longHold: Microseconds { 150_000 }
  /// A hold after which a gap below `fingerGap` is late in it.
  fileprivate var longerHold: Microseconds { 300_000 }
  /// A gap this long is a finger's if the press after it lasts.
  fileprivate var fingerGap: Microseconds { 25_000 }

  /// A shorter contact may be a machine's stroke.
  @inline(__always)
  package var shortContact: Microseconds { 33_000 }
  /// On a key that is surely bad, a contact this long is a finger's, although it may be a machine's by its length.
  fileprivate var fingerContact: Microseconds { 24_000 }
  /// A pause this long ends a machine's typing. A stroke of short contacts waits this long for its end, or less if the key is
  /// tapped fast. A key that rested this long begins a lone stroke.
  @inline(__always)
  var pause: Microseconds { 40_000 }
  /// A pause this long ends a slow machine's typing.
  package var slowPause: Microseconds { 150_000 }

  /// By how much a machine's contacts, or gaps, may differ if the shortest is `least`.
  func evenness(from least: Microseconds) -> Microseconds {
    least >= pollingEvenness ? pollingEvenness : pollingEvenness / 2
  }
  /// By how much a machine's contacts differ if they are polled.
  package var pollingEvenness: Microseconds { 8_000 }
  /// A machine's contacts are no shorter.
  var shortestMachine: Microseconds { 3_000 }
  /// On a bad key, a machine is no faster from press to press.
  package var fastestMachine: Microseconds { 45_000 }
  /// A stroke that goes on is delivered as several if it has so many even contacts, and has gone on for so long.
  fileprivate var contactsOfMachine: Int { 5 }
  fileprivate var earliestMachine: Microseconds { 100_000 }
  /// A stroke of short contacts is decided on when it has gone on for so long.
  fileprivate var longestChain: Microseconds { 1_000_000 }
  /// So many contacts that are not even are one stroke.
  fileprivate var contactsOfOneStroke: Int { 8 }

  /// The contacts of a key that a machine drives; see `EvenRun`.
  package var drivenContacts: Int32 { 8 }
  var shortestDriven: Microseconds { 4_000 }
  var driverRest: Microseconds { 5_500 }
  var driverLasts: Microseconds { 300_000 }
  var driverPeriod: Microseconds { 25_000 }
}

/// The memory of ``Adaptive`` of a device.
struct AdaptiveDevice: Sendable {
  var usual = UsualHold()
  /// How many keys are bad: by evidence, and by name.
  var badKeys = 0
  var machine = MachineTyping()
  /// Whether the edge in hand has shown that its key's evidence has run out, and whether it brought new evidence.
  var (hasForgotten, hasLearned) = (false, false)
}

/// The findings of `adaptive`, for those who ask.
extension Debouncer {
  /// Whether `adaptive` takes the key for bad: there is evidence, or the settings name it.
  public func isBad(_ key: KeyCode) -> Bool {
    guard Int(key) < keys.count else { return false }
    let key = keys[Int(key)]
    return key.adaptive.evidence.isBad || strategies[Int(key.strategy)].isNamed
  }

  /// Whether a machine has typed on the device, as `adaptive` judges: a bar code scanner, a macro, an expander of text.
  public var hasTypedLikeAMachine: Bool { device.machine.isCertain }

  /// Whether a machine makes the key's strokes now, as `adaptive` judges: a knob drives the key, or a scanner or a macro types
  /// on the device.
  public func isDriven(_ key: KeyCode) -> Bool {
    device.machine.isTyping
      || Int(key) < keys.count && keys[Int(key)].adaptive.run.isDriven
  }
}

// MARK: - Edges

/// The engine decides on the keys of ``Adaptive`` together: one key's press may have to wait for another's.
extension Debouncer {
  /// Processes an edge of a key with the strategy `adaptive` that changes something.
  @inline(__always)
  mutating func process(_ index: Int, down: Bool, scan: Int32?, by rule: Adaptive) {
    let isModifier = keys[index].isModifier
    device.machine.move(at: now, rule)
    let hold =
      !deadlines.isEmpty && (down || isModifier) ? holdBack(pressOf: index) : KeyState.never
    if isModifier {
      device.machine.lastModifier = now
    } else if down {
      if !withdrawn.keys.isEmpty { uniteOpenContacts(except: index) }
      device.machine.press()
    }
    if down {
      press(index, scan: scan, by: rule, hold: hold)
    } else {
      release(index, scan: scan, by: rule, hold: hold)
    }
    if device.machine.isTyping, !deadlines.isEmpty { emitAllWaiting() }
    if device.hasForgotten || device.hasLearned { reportChange(of: index) }
  }

  /// Takes each stroke for one in the middle of whose contact another key is pressed.
  @inline(never)
  private mutating func uniteOpenContacts(except pressed: Int) {
    for row in withdrawn.keys.indices {
      let index = Int(withdrawn.keys[row])
      let key = keys[index]
      if index != pressed, key.raw, key.clean, key.adaptive.stroke.count > 0 {
        keys[index].adaptive.stroke.unite()
      }
    }
  }

  // MARK: Presses

  // `hold`: until when the press waits for strokes of other keys that may be several.
  @inline(never)
  private mutating func press(_ index: Int, scan: Int32?, by rule: Adaptive, hold: Microseconds) {
    if keys[index].releaseWaits {
      guard now > keys[index].due else { return goOn(index, scan: scan, by: rule) }
      // The release waits for others' sake only: its stroke has ended, and this press begins another.
      deadlines.remove(KeyCode(index))
      endStroke(index, by: rule)
      emitWaiting(index)
    }
    keys[index].begin(at: now)
    if device.machine.isTyping {
      device.machine.type()
      return pass(index, scan: scan)
    }
    if keys[index].adaptive.run.isDriven, hold == KeyState.never, deadlines.isEmpty {
      return pass(index, scan: scan)
    }
    let isBad = isBad(index, rule)
    let due = rule.due(pressOf: keys[index], isBad: isBad, device.usual)
    guard due > now || !deadlines.isEmpty else { return pass(index, scan: scan) }
    let own = max(due, hold)
    let deadline = max(own, latestPressWaiting())
    guard deadline > now else { return pass(index, scan: scan) }
    keys[index].due = due
    keys[index].isQueued = deadline > own
    keys[index].waitsInOrder = true
    wait(index, scan: scan, until: deadline)
  }

  /// Continues the stroke whose release waits. No finger made that release and this press, as far as can be told.
  @inline(never)
  private mutating func goOn(_ index: Int, scan: Int32?, by rule: Adaptive) {
    let release = keys[index].edge
    let contact = release - keys[index].start
    let gap = now - release
    let isShort = keys[index].adaptive.stroke.isShort && contact < rule.shortContact
    if isShort, !keys[index].isModifier, device.machine.lastModifier >= release,
      !isBad(index, rule)
    {
      // A modifier moved between two short strokes: no switch does that.
      device.machine.begin()
      emitAllWaiting()
      keys[index].begin(at: now)
      return pass(index, scan: scan)
    }
    let ending = keys[index].adaptive.ending
    deadlines.remove(KeyCode(index))
    let releaseScan = keys[index].scan
    keys[index].adaptive.rest = gap
    keys[index].move(down: true, at: now)
    let removal = withdraw(
      index, with: release, as: ending == .veryShort ? .pressBounce : .dropOut,
      after: keys[index].released)

    if isShort {
      keys[index].adaptive.stroke.merge(contact, gap: gap)
      if let row = rowOfWithdrawn(index) {
        withdrawn[row, keys[index].adaptive.stroke.count - 1] = WithdrawnStrokes.Pair(
          release: release, press: now, releaseScan: releaseScan, pressScan: scan, removal: removal)
      } else {
        keys[index].adaptive.stroke.unite()
      }
    } else {
      keys[index].adaptive.stroke.unite()
    }

    if ending == .veryShort {
      if now - keys[index].pressed < rule.finger {
        if contact < rule.shortContact {
          keys[index].adaptive.stroke.isHint = true  // (a), once it is known to be one stroke
        } else {
          noteEvidence(of: index, rule)
        }
      }
    } else if ending == .borderline {
      noteEvidence(of: index, rule)  // (d)
    } else if contact >= rule.finger, gap >= rule.borderline, isBad(index, rule),
      !keys[index].adaptive.evidence.hasLateDropOuts
    {
      // A finger may have made both: then it was no drop-out.
      keys[index].adaptive.evidence.forgive(times: 2)
    }

    judgeContacts(of: index, since: release, by: rule)
  }

  /// Decides on a stroke of short contacts that goes on, if there are so many that it can be told whether it is several.
  private mutating func judgeContacts(of index: Int, since release: Microseconds, by rule: Adaptive)
  {
    let stroke = keys[index].adaptive.stroke
    let isBad = isBad(index, rule)
    let isEven = stroke.areEven(isBad: isBad, rule)
    let duration = now - keys[index].pressed
    // No more contacts are remembered, and no stroke waits longer: what was seen so far decides on it.
    let isFull = stroke.count == WithdrawnStrokes.most || duration >= rule.longestChain
    let isMachine =
      isFull
      ? device.machine.wasTyping || isEven && stroke.count >= 2
      : isEven && !isBad && stroke.count >= rule.contactsOfMachine
        && duration >= rule.earliestMachine
    if isMachine {
      restore(index)
      keys[index].released = release
      device.machine.begin()
    } else if isFull
      || !isEven && stroke.count >= rule.contactsOfOneStroke && !device.machine.wasTyping
    {
      keys[index].adaptive.stroke.unite()
    }
  }

  // MARK: Releases

  @inline(never)
  private mutating func release(
    _ index: Int, scan: Int32?, by rule: Adaptive, hold: Microseconds
  ) {
    let contact = now - keys[index].start
    let isShort = contact < rule.shortContact
    let isModifier = keys[index].isModifier
    if !isModifier {
      let rest = keys[index].adaptive.rest
      if device.machine.release(isShort: isShort),
        showsMachine(index, contact: contact, isLone: rest >= rule.pause, by: rule)
      {
        emitAllWaiting()
      }
      // The run is read before it is changed: an access that may change something costs more.
      if isShort || keys[index].adaptive.run.hasBegun {
        keys[index].adaptive.run.receive(contact, after: rest, at: now, rule)
      }
    }
    if keys[index].pressWaits, !emitQueuedPress(of: index) {
      return letGo(index, scan: scan, by: rule)
    }
    let isDriven = keys[index].adaptive.run.isDriven
    if device.machine.isTyping || isDriven {
      if isDriven, keys[index].adaptive.stroke.mayBeSeveral { restore(index) }
      keys[index].move(down: false, at: now)
      return pass(index, scan: scan)
    }
    if !isShort {
      if keys[index].adaptive.stroke.isHint {
        keys[index].adaptive.stroke.isHint = false
        noteEvidence(of: index, rule)  // (a)
      }
    } else if rule.isBlip(contact, of: keys[index]), !isModifier {
      noteEvidence(of: index, rule)  // (e)
      keys[index].adaptive.evidence.reach = max(
        keys[index].adaptive.evidence.reach, keys[index].adaptive.gap)
    }
    let isBad = isBad(index, rule) || keys[index].adaptive.stroke.isHint
    var deadline = rule.end(
      &keys[index], at: now, &device.usual, wasMachine: device.machine.wasTyping, isBad: isBad,
      besideBad: device.badKeys > 0)
    var pressWaits = false
    if isModifier, !deadlines.isEmpty {
      let latest = latestPressWaiting()
      pressWaits = latest >= now
      deadline = max(deadline, hold, latest)
    }
    // A press whose deadline is now has not gone out yet: it goes first.
    guard deadline > now || pressWaits else { return pass(index, scan: scan) }
    keys[index].due = deadline
    wait(index, scan: scan, until: deadline)
  }

  /// Whether a short contact that has ended while no other key was down shows that a machine types. Where the taps in a row are
  /// of fewer than three keys and one of these is surely bad, they may be bad contacts; unless a machine has typed before.
  @inline(never)
  private mutating func showsMachine(
    _ index: Int, contact: Microseconds, isLone: Bool, by rule: Adaptive
  ) -> Bool {
    if contact >= rule.fingerContact, !device.machine.wasTyping, isSurelyBad(KeyCode(index)) {
      device.machine.forgetTaps()
      return false
    }
    guard isLone else { return false }
    device.machine.tap(KeyCode(index))
    let isFast = areOfMachine(device.machine.fastTaps)
    if isFast { device.machine.begin() }
    let isSlow = device.machine.mayBeSlow && areOfMachine(device.machine.slowTaps)
    if isSlow { device.machine.begin(slowly: true) }
    return isFast || isSlow
  }

  private mutating func areOfMachine(_ taps: TappedKeys) -> Bool {
    guard taps.areOfSeveral, !taps.areOfThree, !device.machine.wasTyping else {
      return taps.areOfSeveral
    }
    return !taps.contains { isSurelyBad($0) }
  }

  /// Lets the key go while its press waits for its own sake: both edges vanish, unless a machine typed them.
  @inline(never)
  private mutating func letGo(_ index: Int, scan: Int32?, by rule: Adaptive) {
    let serial = deadlines.remove(KeyCode(index))
    let press = keys[index].edge
    if rule.isSecondStroke(now - press, of: keys[index], device.machine) {
      emitWaiting(index, pressesSetBefore: serial)
      keys[index].move(down: false, at: now)
      return pass(index, scan: scan)
    }
    let released = keys[index].released
    let isEvidence = now - released < rule.finger && rule.wasFingers(keys[index])
    keys[index].move(down: false, at: now)
    keys[index].waitsInOrder = false
    _ = withdraw(index, with: press, as: .releaseBounce, after: released)
    keys[index].adaptive.evidence.lasted = 0
    if isEvidence { noteEvidence(of: index, rule) }  // (b)
    keys[index].released = now
    emitQueuedPresses()
  }

  // MARK: Deadlines

  /// Emits the edge that waited and has lasted.
  mutating func fire(_ index: Int, by rule: Adaptive) {
    if !keys[index].raw {
      endStroke(index, by: rule)
    } else if !keys[index].isQueued, !device.machine.isTyping {
      judgeLastingPress(of: index, by: rule)
    }
    emitWaiting(index)
    if device.hasForgotten || device.hasLearned { reportChange(of: index) }
  }

  /// A press that waited has lasted: what does that say of the switch?
  private mutating func judgeLastingPress(of index: Int, by rule: Adaptive) {
    let gap = keys[index].edge - keys[index].released
    let hold = keys[index].released - keys[index].pressed
    if gap < rule.borderline, hold + gap < rule.finger {
      noteEvidence(of: index, rule)  // (c)
    } else if hold >= (gap < rule.borderline ? rule.longHold : rule.longerHold),
      gap < rule.fingerGap
    {
      if keys[index].adaptive.evidence.noteLateDropOut() {
        noteEvidence(of: index, rule)  // (f)
      }
    } else if gap >= rule.borderline {
      // The gap is not the switch's, as far as can be told.
      keys[index].adaptive.evidence.last()
      if gap >= rule.fingerGap { keys[index].adaptive.evidence.takeOffLateDropOut() }
      if gap >= rule.fingerGap || hold < rule.longHold, isBad(index, rule) {
        keys[index].adaptive.evidence.forgive()
      }
    }
  }

  /// The release that waited has lasted: its stroke is one, or is delivered as several.
  private mutating func endStroke(_ index: Int, by rule: Adaptive) {
    let stroke = keys[index].adaptive.stroke
    if stroke.mayBeSeveral,
      device.machine.wasTyping
        || stroke.count >= 2
          && stroke.areEven(
            with: keys[index].edge - keys[index].start, isBad: isBad(index, rule), rule)
    {
      restore(index)
    } else if stroke.isHint {
      keys[index].adaptive.stroke.isHint = false
      noteEvidence(of: index, rule)  // (a)
    }
  }

  // MARK: Evidence

  /// Whether the key is bad: the settings name it, or there is evidence. Evidence that has run out is forgotten here.
  @inline(__always)
  private mutating func isBad(_ index: Int, _ rule: Adaptive) -> Bool {
    if rule.isNamed { return true }
    guard keys[index].adaptive.evidence.isBad else { return false }
    guard keys[index].adaptive.evidence.end < keys[index].presses else {
      return true
    }
    keys[index].adaptive.evidence.forget()
    device.badKeys -= 1
    device.hasForgotten = true
    return false
  }

  /// Whether the key is bad without a doubt: the settings name it, or it has shown enough evidence.
  private mutating func isSurelyBad(_ code: KeyCode) -> Bool {
    let index = Int(code)
    guard case .adaptive(let rule) = strategies[Int(keys[index].strategy)] else { return false }
    // This is mostly another key than the one in hand: if its evidence has run out, that is reported of this one.
    let hadForgotten = device.hasForgotten
    device.hasForgotten = false
    let isBad = isBad(index, rule)
    if device.hasForgotten { report(.forgot, of: index, isPress: keys[index].raw) }
    device.hasForgotten = hadForgotten
    return isBad && (rule.isNamed || keys[index].adaptive.evidence.isSure)
  }

  @inline(never)
  private mutating func noteEvidence(of index: Int, _ rule: Adaptive) {
    _ = isBad(index, rule)
    let isNew = keys[index].adaptive.evidence.note(
      afterPress: keys[index].presses, within: Int64(rule.within), isNamed: rule.isNamed)
    guard isNew else { return }
    device.badKeys += 1
    device.hasLearned = true
  }

  @inline(never)
  private mutating func reportChange(of index: Int) {
    let isPress = keys[index].raw
    if device.hasForgotten { report(.forgot, of: index, isPress: isPress) }
    if device.hasLearned { report(.learned, of: index, isPress: isPress) }
    (device.hasForgotten, device.hasLearned) = (false, false)
  }

  // MARK: What may prove meant

  /// The row for what the key withdraws: its own, a new one, or one that is needed no more; `nil` if all are needed.
  private mutating func rowOfWithdrawn(_ index: Int) -> Int? {
    if let row = keys[index].withdrawnRow.position, withdrawn.keys[row] == index { return row }
    let free =
      withdrawn.keys.count < WithdrawnStrokes.mostKeys
      ? withdrawn.keys.count
      : withdrawn.keys.firstIndex { keys[Int($0)].adaptive.stroke.count == 0 }
    guard let free else { return nil }
    withdrawn.give(row: free, to: KeyCode(index))
    keys[index].withdrawnRow = UInt16(free)
    return free
  }

  /// Has the key's last press that was withdrawn, if it came at that time, count as this.
  mutating func reclassifyWithdrawn(
    of index: Int, pressedAt time: Microseconds, as removal: Removal
  ) {
    let count = keys[index].adaptive.stroke.count
    guard count > 0, let row = keys[index].withdrawnRow.position else { return }
    if withdrawn[row, count - 1].press == time { withdrawn[row, count - 1].removal = removal }
  }

  /// Delivers the strokes that were merged into the key's stroke, which goes on.
  private mutating func restore(_ index: Int) {
    guard let row = keys[index].withdrawnRow.position else { return }
    let count = keys[index].adaptive.stroke.count
    keys[index].adaptive.stroke.end()
    keys[index].adaptive.stroke.isHint = false
    keys[index].wasDropOut = false
    keys[index].isBouncing = false
    let isPassedOn = keys[index].suppressed == nil
    if isPassedOn {
      for pair in 0..<count {
        let pair = withdrawn[row, pair]
        keyCounts[self.row(of: index)].removedGaps.uncount(pair.press - pair.release)
        report(.restored(pair.removal), of: index, isPress: true, edge: pair.press)
      }
    }
    var pressed = keys[index].pressed
    for pair in 0..<count {
      let pair = withdrawn[row, pair]
      if isPassedOn {
        emit(isPress: false, of: index, pair.release, since: pressed, scan: pair.releaseScan)
      }
      emitEarlier(than: index)
      if isPassedOn {
        emit(isPress: true, of: index, pair.press, since: pair.release, scan: pair.pressScan)
      }
      pressed = pair.press
      keys[index].presses += 1
    }
    keys[index].before = keys[index].pressed
    keys[index].pressed = keys[index].start
  }

  /// Emits an edge that had been withdrawn.
  private mutating func emit(
    isPress: Bool, of index: Int, _ edge: Microseconds, since before: Microseconds, scan: Int32?
  ) {
    countEmission(
      of: index, CleanEdge(isPress: isPress, suppressed: nil, time: edge, before: before))
    send(.emitted, of: index, isPress: isPress, edge: edge)
    putAlone(.key(KeyCode(index), down: isPress), scan: scan, raw: edge)
  }

  /// Emits all that waits, in the order in which it came: a machine is typing.
  @inline(never)
  private mutating func emitAllWaiting() {
    while let code = deadlines.first(
      by: { keys[Int($0)].edge }, where: { keys[Int($0.key)].waitsInOrder || isAdaptive($0.key) })
    {
      deadlines.remove(code)
      let index = Int(code)
      if !keys[index].raw, keys[index].adaptive.stroke.mayBeSeveral { restore(index) }
      keys[index].adaptive.stroke.isHint = false
      emitWaiting(index)
      adoptIfIdle(code)
    }
  }
}

// MARK: - Judgements

extension Adaptive {
  /// The end of the wait of a press that comes now, for its own sake; now if none.
  @inline(__always)
  fileprivate func due(pressOf key: KeyState, isBad: Bool, _ usual: UsualHold) -> Microseconds {
    // No press is suspicious later than that: most presses need no closer look.
    guard key.edge - key.adaptive.settled < recent else { return key.edge }
    return recentDue(pressOf: key, isBad: isBad, usual)
  }

  @inline(never)
  private func recentDue(pressOf key: KeyState, isBad: Bool, _ usual: UsualHold) -> Microseconds {
    let gap = key.adaptive.gap
    guard isNamed || !key.adaptive.evidence.isContactless else { return key.edge }
    if isBad, let suspect { return gap < suspect ? key.edge + confirm : key.edge }
    let window =
      isBad ? max(suspectOfBadKeys, suspect(after: key.adaptive.evidence.reach)) : healthySuspect
    guard gap < window else { return key.edge }
    let expectedHold = usual.expectedHold(of: key)
    return gap < usual.scaled(window, to: expectedHold)
      ? key.edge + usual.scaled(confirm, to: expectedHold) : key.edge
  }

  /// Receives that the key is let go at the time `time`, perhaps beside a bad one, and learns from it.
  ///
  /// - Returns: Until when its release waits; now if it does not.
  @inline(__always)
  fileprivate func end(
    _ key: inout KeyState, at time: Microseconds, _ usual: inout UsualHold,
    wasMachine: Bool, isBad: Bool, besideBad: Bool
  ) -> Microseconds {
    if time - key.start >= shortContact { key.adaptive.stroke.isShort = false }
    let stroke = time - key.pressed
    let expectedHold = usual.expectedHold(of: key)
    let isEarly = stroke < expectedHold * 27 / 50
    let mayBeSeveral = key.adaptive.stroke.mayBeSeveral
    var deadline = time
    key.adaptive.ending = .ordinary
    if isBad || isEarly || mayBeSeveral {
      deadline = suspiciousEnd(
        of: &key, at: time, usual, expectedHold, wasMachine: wasMachine, isBad: isBad,
        isEarly: isEarly, besideBad: besideBad)
    }
    if stroke >= shortestUsual, !mayBeSeveral { usual.learn(stroke, of: &key) }
    key.move(down: false, at: time)
    return deadline
  }

  @inline(never)
  private func suspiciousEnd(
    of key: inout KeyState, at time: Microseconds, _ usual: UsualHold, _ expectedHold: Microseconds,
    wasMachine: Bool, isBad: Bool, isEarly: Bool, besideBad: Bool
  ) -> Microseconds {
    var deadline = time
    if time - key.pressed < min(longestBrief, expectedHold * 2 / 5) {
      key.adaptive.ending = .veryShort
      deadline = max(deadline, key.pressed + settle(isBad: isBad))
    }
    if key.adaptive.stroke.mayBeSeveral {
      let mayGoOn = wasMachine || mayGoOn(key, after: time - key.start)
      let wait = mayGoOn ? pause : usual.scaled(pause, to: expectedHold)
      deadline = max(deadline, time + wait)
    }
    if isBad {
      let wait = isEarly ? earlyDropout : dropout
      deadline = max(deadline, time + usual.scaled(wait, to: expectedHold))
    } else if besideBad, isEarly, key.adaptive.ending != .veryShort, time + borderline > deadline {
      deadline = time + borderline
      key.adaptive.ending = .borderline
    }
    return deadline
  }

  /// Whether short contacts may follow the one that ends now, the last of several, however fast the key is tapped: all were
  /// even, as a machine's are, or this one was no finger's, as where a contact crackles.
  private func mayGoOn(_ key: KeyState, after contact: Microseconds) -> Bool {
    let isBad = isNamed || key.adaptive.evidence.isBad
    return key.adaptive.stroke.areEven(with: contact, isBad: isBad, self)
      || contact < blip && key.adaptive.stroke.count >= 2
  }

  /// Whether the key's last stroke was not a machine's.
  @inline(__always)
  fileprivate func wasFingers(_ key: KeyState) -> Bool {
    key.adaptive.lastShort.map { $0 >= shortContact } ?? true
  }

  /// Whether the contact that ends now, the first of its stroke, is shorter than a finger's and came soon after the key's last
  /// stroke, which was no machine's.
  @inline(__always)
  fileprivate func isBlip(_ contact: Microseconds, of key: KeyState) -> Bool {
    contact < blip && key.pressed == key.start && key.adaptive.gap < blipReach
      && wasFingers(key)
  }

  /// Whether the contact that ends now and the stroke before it are two strokes of a machine.
  fileprivate func isSecondStroke(
    _ contact: Microseconds, of key: KeyState, _ machine: MachineTyping
  ) -> Bool {
    guard contact < shortContact else { return false }
    if key.adaptive.run.isDriven { return true }
    guard let last = key.adaptive.lastShort.map(Microseconds.init), last < shortContact
    else { return false }
    return abs(last - contact) <= pollingEvenness || machine.wasTyping
  }
}

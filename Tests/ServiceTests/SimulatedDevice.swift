import Debounce
import Randomness

@testable import Service

/// What must hold of a lifecycle, whatever happens.
enum Invariant: String, CaseIterable {
  case grabNeedsClone =
    "the source is never grabbed without a clone that passes events on, or a store that keeps them, for a second at most"
  case closedIsFree = "nothing is closed with the grab held"
  case freeAtOnce =
    "after an unplugging, a failure of the clone or an order, the source is free at once"
  case freeInTime = "asked for, the source is free within 250 ms"
  case nothingStuck = "no key stays down on a clone that works"
  case wholeStrokes = "a key that is down is released for the grab only as configured"
  case closedIsFinal = "what is closed stays so"
  case lastEventsRead = "the clone outlives its last release by 50 ms"
  case politeTries =
    "a busy device is tried at most every 200 ms, unless a key has come up or a program has closed it"
  case reportedOnce = "a busy device is reported once"
  case sleeps = "once all that is due is done, the next deadline is later"
  case debouncesAgain = "when nothing stands in the way, the device is debounced within 10 s"
}

/// A device, its clone and all that surrounds them, around a ``LifecycleSubject``: does what that answers, and checks
/// that the invariants hold.
struct SimulatedDevice {
  /// The first invariant that did not hold, and when.
  private(set) var violation: Invariant?
  /// What has happened, for whoever looks for the reason; `nil` if nobody does.
  private(set) var history: [String]?

  private var subject: LifecycleSubject
  private var random: SeededRandom
  private var now = Instant(0)

  private var keyIsDown = false
  private var isHeldByOther = false
  private var cloneWorks = true
  private var cloneHoldsKey = false
  private var isGrabbed = false
  private var grabAfter: Microseconds?

  /// When the source must be free at the latest: it was asked for.
  private var freeBy = Instant.never
  /// Since when the lifecycle has tried to grab, and when it last did.
  private var triesSince: Instant?
  private var lastBusyTry: Instant?
  private var busyIsReported = false
  private var lastRelease: Instant?
  private var wasClosed = false
  private var hasRaced = false

  init(_ mutant: LifecycleMutant? = nil, seed: UInt64, recordsHistory: Bool = false) {
    history = recordsHistory ? [] : nil
    random = SeededRandom(seed: seed)
    grabAfter = random.chance(of: 2) ? nil : Microseconds(random.below(4)) * 700_000
    isGrabbed = random.chance(of: 3)
    subject = LifecycleSubject(
      Lifecycle(grabAfter: grabAfter, isGrabbed: isGrabbed, at: now), mutant)
  }

  /// Lets so many things happen at random, and then everything come to rest.
  mutating func walk(steps: Int) {
    for _ in 0..<steps where violation == nil { step() }
    if violation == nil { comeToRest() }
  }

  private mutating func step() {
    switch random.below(20) {
    case 0..<7: pass(time: random.duration())
    case 7..<11: pressOrRelease()
    case 11: if !isGrabbed { toggleOther() }
    case 12: receive(.cloneAnnounced)
    case 13: askToLeave()
    case 14: receive(.stay)
    case 15: changeSettings()
    case 16: receive(.cloneOpened)
    case 17: receive(.cloneClosed)
    case 18: receive(.storeIsFull)
    default: befall()
    }
    if violation == nil { reportKeys() }
  }

  private mutating func pressOrRelease() {
    keyIsDown.toggle()
    // Only as long as the source is grabbed does the clone get it; what is kept comes later.
    if isGrabbed, subject.lifecycle.forwards { cloneHoldsKey = keyIsDown }
  }

  /// Another program grabs the device, or lets go of it: by closing it, or without.
  private mutating func toggleOther() {
    isHeldByOther.toggle()
    // A program that had it open closes it: the one that has grabbed it, or one that only read along.
    guard random.chance(of: 2) else { return }
    receive(.sourceClosedByOther)
    lastBusyTry = nil
  }

  private mutating func askToLeave() {
    if isGrabbed { freeBy = min(freeBy, now + Lifecycle.Pause.leaving) }
    receive(.leave)
  }

  private mutating func changeSettings() {
    grabAfter = random.chance(of: 2) ? nil : Microseconds(random.below(4)) * 700_000
    receive(.grabAfter(grabAfter))
  }

  /// What happens once, and ends it all.
  private mutating func befall() {
    guard random.chance(of: 8) else { return }
    switch random.below(3) {
    case 0: receive(.unplugged)
    case 1: receive(.letGo)
    default:
      cloneWorks = false
      receive(.cloneFailed)
    }
    require(!isGrabbed, .freeAtOnce)
  }

  /// Frames tell when the last key has come up, if the device's frames can be read.
  private mutating func reportKeys() {
    guard subject.lifecycle.awaitsKeys, !keyIsDown, !isHeldByOther else { return }
    lastBusyTry = nil
    cloneHoldsKey = false
    receive(.keysAreUp)
  }

  /// Nothing more happens but time, and all that stands in the way is gone.
  private mutating func comeToRest() {
    keyIsDown = false
    if isGrabbed, subject.lifecycle.forwards { cloneHoldsKey = false }
    isHeldByOther = false
    receive(.stay)
    let end = now + 10_000_000
    while violation == nil, now < end {
      reportKeys()
      pass(time: 500_000)
    }
    require(isGrabbed || subject.lifecycle.isClosed, .debouncesAgain)
    if subject.lifecycle.isClosed { require(subject.hasEnded(at: now), .sleeps) }
  }
}

// MARK: - Time

extension SimulatedDevice {
  /// Lets time pass, with a wake-up at each deadline: some are late, and some are for others.
  private mutating func pass(time: Microseconds) {
    let end = now + time
    var wakeUpsAtOnce = 0
    while violation == nil, subject.deadline <= end, !subject.hasEnded(at: now) {
      let deadline = max(subject.deadline, now)
      wakeUpsAtOnce = deadline == now ? wakeUpsAtOnce + 1 : 0
      require(wakeUpsAtOnce < 4, .sleeps)
      now = random.chance(of: 8) ? min(deadline + 1000, max(end, deadline)) : deadline
      check(lateness: now - deadline)
      receive(.timePassed)
      check(lateness: now - deadline)
    }
    now = max(now, end)
    // A wake-up that is not for this device.
    receive(.timePassed)
    check(lateness: 0)
  }

  private mutating func check(lateness: Microseconds) {
    require(
      !subject.lifecycle.keeps || now <= Instant(0) + Lifecycle.Pause.keeping + lateness,
      .grabNeedsClone)
    require(!isGrabbed || freeBy == .never || now <= freeBy + lateness, .freeInTime)
    if let lastRelease, subject.hasEnded(at: now) {
      require(now >= lastRelease + Lifecycle.Pause.closing, .lastEventsRead)
    }
  }

  private mutating func require(_ holds: Bool, _ invariant: Invariant) {
    if !holds, violation == nil { violation = invariant }
  }
}

// MARK: - Happenings and actions

extension SimulatedDevice {
  private mutating func receive(_ happening: Happening) {
    guard violation == nil else { return }
    history?.append("\(now.microseconds): \(happening) in \(subject.lifecycle.state)")
    let kept = subject.lifecycle.keeps
    for action in subject.receive(happening, at: now) { carryOut(action) }
    if kept, subject.lifecycle.forwards { cloneHoldsKey = keyIsDown }
    if happening == .stay, subject.lifecycle.state == .forwarding { freeBy = .never }
    require(!isGrabbed || !subject.lifecycle.isClosed, .closedIsFree)
    let needsGrab = subject.lifecycle.forwards || subject.lifecycle.keeps
    require(!isGrabbed || cloneWorks && needsGrab, .grabNeedsClone)
    require(isGrabbed || !needsGrab, .grabNeedsClone)
    require(!wasClosed || subject.lifecycle.isClosed, .closedIsFinal)
    wasClosed = subject.lifecycle.isClosed
  }

  private mutating func carryOut(_ action: Lifecycle.Action) {
    history?.append("  \(action)")
    switch action {
    case .grab(let releasingKeys):
      require(!wasClosed, .closedIsFinal)
      let since = triesSince ?? now
      triesSince = since
      if releasingKeys {
        require(grabAfter.map { now >= since + $0 } ?? false, .wholeStrokes)
      }
      receive(.grabEnded(tryToGrab(releasingKeys: releasingKeys)))
    case .releaseKeysAndUngrab:
      // The clone may fail in the middle of it.
      if cloneWorks, random.chance(of: 50) {
        cloneWorks = false
        for action in subject.receive(.cloneFailed, at: now) { carryOut(action) }
      }
      cloneHoldsKey = false
      if cloneWorks { lastRelease = now }
      free()
    case .ungrab:
      require(!cloneWorks || !cloneHoldsKey, .nothingStuck)
      free()
    case .report(.busy):
      require(!busyIsReported, .reportedOnce)
      busyIsReported = true
    case .report: break
    }
  }

  private mutating func free() {
    isGrabbed = false
    freeBy = .never
    triesSince = nil
    lastBusyTry = nil
  }

  /// What the kernel would answer, and the clone.
  private mutating func tryToGrab(releasingKeys: Bool) -> Lifecycle.GrabOutcome {
    if !releasingKeys, keyIsDown { return .keyIsDown }
    if isHeldByOther {
      if let lastBusyTry {
        require(now >= lastBusyTry + Lifecycle.Pause.busy.lowerBound, .politeTries)
      }
      lastBusyTry = now
      return .busy
    }
    if random.chance(of: 60) { return .unplugged }
    if random.chance(of: 60) { return .failed }
    // A key may go down between its release and the grab.
    hasRaced = releasingKeys && !hasRaced && random.chance(of: 4)
    if hasRaced { return .keyIsDown }
    isGrabbed = true
    busyIsReported = false
    cloneHoldsKey = false
    return .grabbed
  }
}

extension SeededRandom {
  fileprivate mutating func below(_ bound: UInt64) -> UInt64 { next() % bound }

  /// Whether one of so many cases has come about.
  fileprivate mutating func chance(of count: UInt64) -> Bool { below(count) == 0 }

  /// From a tenth of a millisecond to a hundred seconds, the short ones as often as the long ones.
  fileprivate mutating func duration() -> Microseconds {
    let range: [UInt64] = [1000, 100_000, 1_000_000, 10_000_000, 100_000_000]
    return Microseconds(below(range[Int(below(5))])) + 100
  }
}

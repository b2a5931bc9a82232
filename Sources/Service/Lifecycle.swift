import Debounce

/// How far a device has come, from the making of its clone to its end: when it is grabbed and given back.
///
/// docs/ARCHITECTURE.md draws it.
///
/// The value does nothing itself: no I/O, no clock, no log. It receives what has happened, by a method for each event, and
/// returns the actions that its owner must carry out, in order. Whatever happens, the owner must call ``timePassed(to:)`` at
/// ``deadline``.
///
/// A device that was in use before is grabbed when its clone is ready: until `forwarding` it works as if the daemon
/// were not there. A device that was plugged in just now is grabbed at once, before another program does it, if udev is quick;
/// for at most ``Pause/keeping`` what is typed is kept for the clone. From `forwarding` on, the clone stands in for the device.
struct Lifecycle: Hashable {
  /// How far the device has come. Each case carries all that it knows.
  enum State: Hashable {
    /// The clone exists; programs cannot open it before udev has processed it. At `limit` it is no longer waited for, even if
    /// udev is busy; `nil` if that has not been seen yet.
    case awaitingClone(until: Instant, limit: Instant?)
    /// udev has announced the clone, which was made at `since`, and programs open it. They have done so at `settled`, or at
    /// `until` nobody will.
    case awaitingReaders(since: Instant, until: Instant, settled: Instant)
    /// Grabbed, before the clone is ready: what comes is kept. It is passed on when programs have opened the clone, at
    /// `settled`, or at `until` at the latest. If udev has not announced the clone by then, the grab ends.
    case keeping(until: Instant, settled: Instant)
    /// Everything is ready for the grab, but a key is down, or was a moment ago. One has been down since `since`;
    /// `isReported` once that has taken long.
    case awaitingKeys(since: Instant, isReported: Bool)
    /// Another program has grabbed the device. The next try is at `retryAt`, `pause` after the last one.
    ///
    /// If `keyDownSince` is not `nil`, a key has been down since then, and at every try: such a try does not show
    /// whether the other program still has the device.
    case busy(retryAt: Instant, pause: Microseconds, keyDownSince: Instant?)
    /// Grabbed: frames pass through the engine to the clone.
    case forwarding
    /// Grabbed, but to be given back as soon as all keys are up, and at `until` in any case.
    case leaving(until: Instant)
    /// Given back, or gone. The clone stays until then, so that its readers get their last events.
    case closed(until: Instant)
  }

  /// How long things may take. None of it delays a key, except ``keeping``: the real device works meanwhile.
  enum Pause {
    /// Longest wait for udev to announce the clone. udev may not be running.
    static let clone: Microseconds = 2_000_000
    /// Time between looks at udev's queue, if udev has not announced the clone by then.
    static let udev: Microseconds = 1_000_000
    /// Longest wait for a busy udev in all. One that has crashed looks busy for ever.
    static let busyUdev: Microseconds = 60_000_000
    /// Longest wait for programs to open the clone once udev has announced it. The console alone opens none: it reads inside the
    /// kernel.
    static let readers: Microseconds = 1_000_000
    /// Time that a program is given to begin to read once it has opened the clone. It asks for the device's state first, and
    /// the kernel then drops what was queued for it. Other programs open the clone in that time, too.
    static let settling: Microseconds = 100_000
    /// How long the keys of a grabbed device may be kept from everyone.
    static let keeping: Microseconds = 1_000_000
    /// Longest time that udev may take to announce a new device once its rules are applied, if what it sends is to be kept. A rule
    /// that runs a program for each device makes the clone wait for it twice: for the input device, and for its node.
    static let announcement = keeping / 2
    /// Wait until a key that is still down is reported.
    static let report: Microseconds = 5_000_000
    /// Pauses between tries to grab what another program holds: the first, and the longest.
    static let busy: ClosedRange<Microseconds> = 200_000...5_000_000
    /// Pause after a program has closed the device: the kernel reports that before it ends the program's grab.
    static let closed: Microseconds = 50_000
    /// Longest wait for keys to come up when the device is to be given back.
    static let leaving: Microseconds = 250_000
    /// Time for readers of the clone before it is destroyed: what they have not read by then is lost.
    static let closing: Microseconds = 50_000
  }

  var state: State

  /// Whether udev has announced the clone, or the wait for that is over. Until then no program can have opened the clone.
  private(set) var isAnnounced = false

  /// How many programs have the clone open, as far as is known: the kernel reports several that do the same in a row
  /// as one.
  private var readers = 0

  /// How long to wait for keys to come up before the device is grabbed all the same; `nil` for as long as it takes.
  var grabAfter: Microseconds?

  /// The lifecycle of a device whose clone has just been made.
  ///
  /// - Parameter isGrabbed: Whether the device is grabbed already, and what it sends is kept.
  init(grabAfter: Microseconds?, isGrabbed: Bool = false, at now: Instant) {
    self.grabAfter = grabAfter
    state =
      isGrabbed
      ? .keeping(until: now + Pause.keeping, settled: .never)
      : .awaitingClone(until: now + Pause.clone, limit: nil)
  }
}

// MARK: - When something is due

extension Lifecycle {
  /// When ``timePassed(to:)`` must be called at the latest.
  @inline(__always)
  var deadline: Instant {
    // The daemon asks for the deadline at each frame, and the state is mostly this one.
    if case .forwarding = state { .never } else { deadlineOfState }
  }

  private var deadlineOfState: Instant {
    switch state {
    case .awaitingClone(let until, _), .leaving(let until), .closed(let until): until
    case .awaitingReaders(_, let until, let settled), .keeping(let until, let settled):
      min(until, settled)
    case .awaitingKeys(let since, let isReported):
      min(isReported ? .never : since + Pause.report, grabTime(waitingSince: since))
    case .busy(let retryAt, _, _): retryAt
    case .forwarding: .never
    }
  }

  /// When the device is grabbed although a key is down.
  private func grabTime(waitingSince start: Instant) -> Instant {
    grabAfter.map { start + $0 } ?? .never
  }
}

// MARK: - Towards the grab

extension Lifecycle {
  mutating func cloneAnnounced(at now: Instant) {
    guard !isAnnounced else { return }
    isAnnounced = true
    if case .awaitingClone(let until, let limit) = state {
      awaitReaders(ofCloneAwaitedUntil: until, limit, at: now)
    } else {
      readersChanged(at: now)
    }
  }

  /// Receives that udev has devices in its queue that it has not processed, when ``timePassed(to:)`` is due.
  ///
  /// The clone is most likely among them, and programs that are told of it by udev do not read it before.
  mutating func udevIsBusy(at now: Instant) -> [Action] {
    guard case .awaitingClone(let until, let known) = state, until <= now else { return [] }
    let limit = known ?? now + Pause.busyUdev
    state = .awaitingClone(until: min(now + Pause.udev, limit), limit: limit)
    return known == nil ? [.report(.udevIsBusy)] : []
  }

  /// Receives that a program has opened the clone.
  ///
  /// udev itself opens the clone and closes it again before it announces it. So readers matter from the announcement on.
  mutating func cloneOpened(at now: Instant) {
    readers += 1
    readersChanged(at: now)
  }

  /// Receives that a program has closed the clone: some open a device only to see what it is.
  mutating func cloneClosed(at now: Instant) {
    readers = max(0, readers - 1)
    readersChanged(at: now)
  }

  private mutating func readersChanged(at now: Instant) {
    switch state {
    case .awaitingReaders(let start, let until, _):
      state = .awaitingReaders(
        since: start, until: until, settled: settled(since: start, at: now))
    case .keeping(let until, _) where isAnnounced:
      let start = until - Pause.keeping
      state = .keeping(until: until, settled: settled(since: start, at: now))
    default: break
    }
  }

  /// When the clone's readers will be ready if no more come. If udev and the readers took long to open the clone, the readers are
  /// taken to need as long again.
  private func settled(since start: Instant, at now: Instant) -> Instant {
    readers > 0 ? now + max(Pause.settling, now - start) : .never
  }

  private mutating func awaitReaders(
    ofCloneAwaitedUntil until: Instant, _ limit: Instant?, at now: Instant
  ) {
    // The ends of the wait for the clone tell when it was made.
    let start = (limit.map { $0 - Pause.busyUdev } ?? until) - Pause.clone
    state = .awaitingReaders(
      since: start, until: now + Pause.readers, settled: settled(since: start, at: now))
  }

  /// Receives that there is no room for more of what a grabbed device sends.
  mutating func storeIsFull(at now: Instant) -> [Action] {
    keeps ? endKeeping(at: now) : []
  }

  private mutating func endKeeping(at now: Instant) -> [Action] {
    guard isAnnounced else {
      state = .awaitingClone(until: now + (Pause.clone - Pause.keeping), limit: nil)
      return [.ungrab]
    }
    state = .forwarding
    return [.report(.forwarding)]
  }

  /// Receives that it is `now`, and does what is due.
  mutating func timePassed(to now: Instant) -> [Action] {
    guard deadline <= now else { return [] }
    switch state {
    case .awaitingClone(let until, let limit):
      isAnnounced = true
      awaitReaders(ofCloneAwaitedUntil: until, limit, at: now)
      return [.report(.cloneNotAnnounced)]
    case .keeping:
      return endKeeping(at: now)
    case .awaitingReaders:
      state = .awaitingKeys(since: now, isReported: false)
      return [.grab(releasingKeys: false)]
    case .awaitingKeys(let since, _) where grabTime(waitingSince: since) <= now:
      // Should a key go down again in between, the wait starts again.
      state = .awaitingKeys(since: now, isReported: false)
      return [.report(.grabbingWithKeysDown), .grab(releasingKeys: true)]
    case .awaitingKeys(let since, _):
      state = .awaitingKeys(since: since, isReported: true)
      // The report counts the keys, which takes their events out of the queue: if the last one has just come up, no
      // frame will say so.
      return [.report(.awaitingKeys), .grab(releasingKeys: false)]
    case .busy(_, _, let keyDownSince):
      let isLongDown = keyDownSince.map { grabTime(waitingSince: $0) <= now } ?? false
      return [.grab(releasingKeys: isLongDown)]
    case .leaving:
      return letGo(at: now)
    case .forwarding, .closed:
      return []
    }
  }

  /// Receives that no key is down, neither on the source nor, if that is grabbed, on the clone.
  mutating func keysAreUp(at now: Instant) -> [Action] {
    switch state {
    case .awaitingKeys:
      return [.grab(releasingKeys: false)]
    case .busy(let retryAt, let pause, .some):
      // A device whose frames arrive is not grabbed by others, and the key that was down at the last try is not stuck.
      state = .busy(retryAt: retryAt, pause: pause, keyDownSince: nil)
      return [.grab(releasingKeys: false)]
    case .leaving:
      return letGo(at: now)
    case .awaitingClone, .awaitingReaders, .keeping, .busy, .forwarding, .closed:
      return []
    }
  }

  /// Receives that no key is down, but was a moment ago, so that the device is not grabbed yet: no key is jammed.
  mutating func keysAreUpForNow(at now: Instant) {
    switch state {
    case .awaitingKeys(_, let isReported):
      state = .awaitingKeys(since: now, isReported: isReported)
    case .busy(let retryAt, let pause, .some):
      state = .busy(retryAt: retryAt, pause: pause, keyDownSince: now)
    default: break
    }
  }

  /// Receives that a program has closed the source: the one that had it grabbed, perhaps.
  mutating func sourceClosedByOther(at now: Instant) {
    guard case .busy(let retryAt, _, let keyDownSince) = state else { return }
    state = .busy(
      retryAt: min(retryAt, now + Pause.closed), pause: Pause.busy.lowerBound,
      keyDownSince: keyDownSince)
  }

  /// Receives what came of the last ``Action/grab(releasingKeys:)``.
  mutating func grabEnded(_ outcome: GrabOutcome, at now: Instant) -> [Action] {
    switch (state, outcome) {
    case (.awaitingKeys, .grabbed), (.busy, .grabbed):
      state = .forwarding
      return [.report(.forwarding)]
    case (.awaitingKeys, .keyIsDown):
      return []
    case (.awaitingKeys, .busy):
      state = .busy(
        retryAt: now + Pause.busy.lowerBound, pause: Pause.busy.lowerBound, keyDownSince: nil)
      // The next tries report nothing: a remapper that was started earlier holds the device for as long as it runs.
      return [.report(.busy)]
    case (.busy(_, let pause, let keyDownSince), .keyIsDown):
      // As far as is known, the other program still holds it.
      state = .busy(retryAt: now + pause, pause: pause, keyDownSince: keyDownSince ?? now)
      return []
    case (.busy(_, let pause, _), .busy):
      let pause = min(2 * pause, Pause.busy.upperBound)
      state = .busy(retryAt: now + pause, pause: pause, keyDownSince: nil)
      return []
    case (.awaitingKeys, .unplugged), (.busy, .unplugged):
      return letGo(at: now, .unplugged)
    case (.awaitingKeys, .failed), (.busy, .failed):
      return letGo(at: now, .cannotBeGrabbed)
    default:
      // No grab was asked for in these states. A device that was grabbed all the same is given back, so that nobody is locked
      // out.
      return outcome == .grabbed && !forwards && !keeps ? [.ungrab] : []
    }
  }
}

/// Questions about the state.
extension Lifecycle {
  /// Whether the source is grabbed, and what it sends is forwarded through the engine.
  @inline(__always)
  var forwards: Bool {
    switch state {
    case .forwarding, .leaving: true
    default: false
    }
  }

  /// Whether ``keysAreUp(at:)`` must be called as soon as no key is down, nor was a moment ago.
  @inline(__always)
  var awaitsKeys: Bool {
    switch state {
    case .awaitingKeys, .busy(_, _, .some), .leaving: true
    default: false
    }
  }

  /// Whether the source is grabbed, and what it sends is kept for the clone.
  var keeps: Bool {
    if case .keeping = state { true } else { false }
  }

  /// Whether the device is left to everybody until udev has announced the clone: see ``udevIsBusy(at:)``.
  var awaitsClone: Bool {
    if case .awaitingClone = state { true } else { false }
  }

  /// Whether the first try to grab the device is still to come, and no person needs to do anything for it.
  var isPreparing: Bool {
    switch state {
    case .awaitingClone, .awaitingReaders: true
    default: false
    }
  }

  /// Whether it is to be given back, and has not been yet.
  var isLeaving: Bool {
    if case .leaving = state { true } else { false }
  }

  /// Whether the source is done with.
  var isClosed: Bool {
    if case .closed = state { true } else { false }
  }

  /// Whether the clone's readers have had their time, and all of the device can go.
  func hasEnded(at now: Instant) -> Bool {
    if case .closed(let until) = state { until <= now } else { false }
  }
}

/// Values that pass between a ``Lifecycle`` and its owner.
extension Lifecycle {
  enum Action: Equatable {
    /// Try to grab the source, and report the outcome with ``grabEnded(_:at:)``.
    ///
    /// `releasingKeys`: whether keys that are down are released first, for those who saw them pressed. Without, a key
    /// that is down prevents the grab.
    case grab(releasingKeys: Bool)
    /// Pass on what is kept, release the keys that the clone holds, and then ungrab the source.
    case releaseKeysAndUngrab
    /// Ungrab the source; the clone takes no more events. What is kept is lost, and how much that is worth a line in the
    /// log.
    case ungrab
    case report(Report)
  }

  /// Something that is worth a line in the log.
  enum Report: Equatable {
    /// udev is busy, and has not announced the clone in time.
    case udevIsBusy
    case cloneNotAnnounced
    /// A key has been down for so long that the user may want to know.
    case awaitingKeys
    /// The configured time has passed: the device is grabbed although a key is down.
    case grabbingWithKeysDown
    case busy
    case forwarding
    case unplugged
    case cannotBeGrabbed
    /// The counts of the time for which the device was grabbed.
    case counts
  }

  /// The outcome of the action ``Action/grab(releasingKeys:)``.
  enum GrabOutcome {
    /// The source is grabbed, and the clone has its state.
    case grabbed
    /// The source is not grabbed, because a key is down, or was a moment ago.
    case keyIsDown
    case busy
    case unplugged
    /// The grab failed for another reason, and the source is not grabbed.
    case failed
  }
}

// MARK: - Towards the end

extension Lifecycle {
  /// Receives that the device is to be given back: as soon as all keys are up, so that no program sees half a stroke.
  mutating func leave(at now: Instant) -> [Action] {
    switch state {
    case .keeping where !isAnnounced:
      return letGo(at: now)
    case .forwarding, .keeping:
      state = .leaving(until: now + Pause.leaving)
    case .awaitingClone, .awaitingReaders, .awaitingKeys, .busy:
      state = .closed(until: now + Pause.closing)
    case .leaving, .closed:
      break
    }
    return []
  }

  /// Receives that the device is to be kept after all, if it has not been given back yet.
  mutating func stay() {
    guard case .leaving = state else { return }
    state = .forwarding
  }

  /// Receives that the clone takes no more events: the keyboard itself must work again at once.
  mutating func cloneFailed(at now: Instant) -> [Action] {
    guard !isClosed else { return [] }
    defer { state = .closed(until: now + Pause.closing) }
    return forwards || keeps ? [.ungrab] : []
  }

  /// Receives that the clone is on another seat. Those who have read it there see the releases; they get nothing that was kept.
  mutating func cloneIsElsewhere(at now: Instant) -> [Action] {
    forwards ? letGo(at: now) : cloneFailed(at: now)
  }

  /// Receives that the device is to be given back at once, whatever is down.
  mutating func letGo(at now: Instant, _ reason: Report? = nil) -> [Action] {
    guard !isClosed else { return [] }
    let reasons: [Action] = reason.map { [.report($0)] } ?? []
    defer { state = .closed(until: now + Pause.closing) }
    // Nobody can have opened the clone.
    if keeps, !isAnnounced { return [.ungrab] + reasons }
    guard forwards || keeps else { return reasons }
    return [.releaseKeysAndUngrab] + reasons + [.report(.counts)]
  }
}

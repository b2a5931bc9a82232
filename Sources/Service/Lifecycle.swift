import Debounce

/// How far a device has come, from the making of its clone to its end: when it is grabbed, lent and given back.
///
/// ```
///                       ┌──────────────────── lent ◀────────────────────┐
///                       ▼                                               │ all keys are up, or time is up
///  awaitingClone ─▶ awaitingReaders ─▶ awaitingKeys ─▶ forwarding ─▶ lending
///   udev announces   programs open it   all keys are     grabbed  ◀──────
///   the clone                           up: the grab        │
///                                          │ ▲              └─▶ leaving ─────▶ closed
///                                          ▼ │                   all keys are   readers get the last
///                                         busy                   up, or time    events, then the clone
///                                          another program's     is up          is destroyed
/// ```
///
/// A value that does nothing itself: no I/O, no clock, no log. It receives what has happened, one method for each,
/// and returns the actions that its owner must carry out, in order. Whatever happens, the owner must call
/// ``timePassed(to:)`` at ``deadline``.
///
/// Until `forwarding` the real device works as if the daemon were not there, so nothing is lost while the clone gets
/// ready; from `forwarding` on, the clone stands in for it.
struct Lifecycle: Equatable {
  /// How far the device has come. Each case carries all that it knows.
  enum State: Equatable {
    /// The clone exists; programs cannot open it before udev has processed it.
    case awaitingClone(until: Instant)
    /// udev has announced the clone, and programs open it.
    case awaitingReaders(until: Instant)
    /// Everything is ready for the grab, but a key is down; `isReported` once that has taken long.
    case awaitingKeys(since: Instant, isReported: Bool)
    /// Another program has grabbed the device. The next try is at `retryAt`, `pause` after the last one.
    ///
    /// If `keyDownSince` is not `nil`, a key has been down at every try since then: such a try does not show whether
    /// the other program still has the device.
    case busy(retryAt: Instant, pause: Microseconds, keyDownSince: Instant?)
    /// Grabbed: frames pass through the engine to the clone.
    case forwarding
    /// Grabbed, but to be lent as soon as all keys are up, and at `until` in any case. The loan ends at `limit`.
    case lending(until: Instant, limit: Instant)
    /// Another program reads the device, which works as if there were no daemon.
    case lent(until: Instant)
    /// Given back until ``resume(at:)``, because the daemon itself is about to be stopped (Ctrl-Z).
    case setAside
    /// Grabbed, but to be given back as soon as all keys are up, and at `until` in any case.
    case leaving(until: Instant)
    /// Given back, or gone. The clone stays until then, so that its readers get their last events.
    case closed(until: Instant)
  }

  /// How long things may take. None of it delays a key: the real device works meanwhile.
  enum Pause {
    /// For udev to announce the clone: it may not be running.
    static let clone: Microseconds = 2_000_000
    /// For programs to open the clone once udev has announced it.
    static let readers: Microseconds = 100_000
    /// Until it is reported that a key is still down.
    static let report: Microseconds = 5_000_000
    /// Between tries to grab what another program holds: the first, and the longest.
    static let busy: ClosedRange<Microseconds> = 200_000...5_000_000
    /// After a program has closed the device: the kernel reports it before it ends that program's grab.
    static let closed: Microseconds = 50_000
    /// For keys that are still down when the device is to be given back or lent.
    static let leaving: Microseconds = 250_000
    /// For readers of the clone: what they have not read when it is destroyed is lost. Also of a clone that is idle:
    /// it may have got its last events just before, when the device was lent.
    static let closing: Microseconds = 50_000
  }

  private(set) var state: State

  /// How long to wait for keys to come up before the device is grabbed all the same; `nil` for as long as it takes.
  var grabAfter: Microseconds?

  /// The lifecycle of a device whose clone has just been made.
  init(grabAfter: Microseconds?, at now: Instant) {
    self.grabAfter = grabAfter
    state = .awaitingClone(until: now + Pause.clone)
  }
}

// MARK: - When something is due

extension Lifecycle {
  /// When ``timePassed(to:)`` must be called at the latest.
  var deadline: Instant {
    switch state {
    case .awaitingClone(let until), .awaitingReaders(let until), .lending(let until, _),
      .lent(let until), .leaving(let until), .closed(let until):
      until
    case .awaitingKeys(let since, let isReported):
      min(isReported ? .never : since + Pause.report, grabTime(waitingSince: since))
    case .busy(let retryAt, _, _): retryAt
    case .forwarding, .setAside: .never
    }
  }

  /// When the device is grabbed although a key is down.
  private func grabTime(waitingSince start: Instant) -> Instant {
    grabAfter.map { start + $0 } ?? .never
  }
}

// MARK: - Towards the grab

extension Lifecycle {
  /// Receives that udev has announced the clone.
  mutating func cloneAnnounced(at now: Instant) {
    guard case .awaitingClone = state else { return }
    state = .awaitingReaders(until: now + Pause.readers)
  }

  /// Receives that it is `now`, and does what is due.
  mutating func timePassed(to now: Instant) -> [Action] {
    guard deadline <= now else { return [] }
    switch state {
    case .awaitingClone:
      state = .awaitingReaders(until: now + Pause.readers)
      return [.report(.cloneNotAnnounced)]
    case .awaitingReaders:
      state = .awaitingKeys(since: now, isReported: false)
      return [.grab(releasingKeys: false)]
    case .awaitingKeys(let since, _) where grabTime(waitingSince: since) <= now:
      // Should a key go down again in between, the wait starts again.
      state = .awaitingKeys(since: now, isReported: false)
      return [.report(.grabbingWithKeysDown), .grab(releasingKeys: true)]
    case .awaitingKeys(let since, _):
      state = .awaitingKeys(since: since, isReported: true)
      // To count the keys for the report takes their events out of the queue: if the last one has just come up, no
      // frame will say so.
      return [.report(.awaitingKeys), .grab(releasingKeys: false)]
    case .busy(_, _, let keyDownSince):
      let isLongDown = keyDownSince.map { grabTime(waitingSince: $0) <= now } ?? false
      return [.grab(releasingKeys: isLongDown)]
    case .lending(_, let limit):
      return handOver(until: limit)
    case .lent:
      state = .awaitingReaders(until: now + Pause.readers)
      return [.report(.loanEnded)]
    case .leaving:
      return close(at: now)
    case .forwarding, .setAside, .closed:
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
    case .lending(_, let limit):
      return handOver(until: limit)
    case .leaving:
      return close(at: now)
    case .awaitingClone, .awaitingReaders, .busy, .forwarding, .lent, .setAside, .closed:
      return []
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
      // Once: a remapper that was started earlier will hold the device for as long as it runs.
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
      return close(at: now, .unplugged)
    case (.awaitingKeys, .failed), (.busy, .failed):
      return close(at: now, .cannotBeGrabbed)
    // Impossible: in none of these states was a grab asked for. Nobody must be locked out for it: what is grabbed
    // without need is given back.
    case (.awaitingClone, .grabbed), (.awaitingReaders, .grabbed), (.lent, .grabbed),
      (.setAside, .grabbed), (.closed, .grabbed):
      return [.ungrab]
    case (.awaitingClone, _), (.awaitingReaders, _), (.forwarding, _), (.lending, _), (.lent, _),
      (.setAside, _), (.leaving, _), (.closed, _):
      return []
    }
  }
}

// MARK: - Loans

extension Lifecycle {
  /// Receives that another program asks for the device: it is lent as soon as all keys are up, so that no program sees
  /// half a stroke. If it is lent already, the limit is moved.
  ///
  /// - Parameter limit: When the loan ends at the latest.
  /// - Returns: Whether it can be lent: not when it is about to be given back.
  mutating func lend(until limit: Instant, at now: Instant) -> Bool {
    switch state {
    case .forwarding:
      state = .lending(until: now + Pause.leaving, limit: limit)
    case .lending(let until, _):
      state = .lending(until: until, limit: limit)
    case .awaitingClone, .awaitingReaders, .awaitingKeys, .busy, .lent, .setAside:
      state = .lent(until: limit)
    case .leaving, .closed:
      return false
    }
    return true
  }

  /// Receives that the borrower has returned the device, or is gone.
  mutating func takeBack(at now: Instant) {
    switch state {
    case .lending:
      state = .forwarding
    case .lent:
      state = .awaitingReaders(until: now + Pause.readers)
    case .awaitingClone, .awaitingReaders, .awaitingKeys, .busy, .forwarding, .setAside, .leaving,
      .closed:
      break
    }
  }

  private mutating func handOver(until limit: Instant) -> [Action] {
    state = .lent(until: limit)
    return [.releaseKeysAndUngrab, .report(.lent)]
  }
}

// MARK: - While the daemon is stopped

extension Lifecycle {
  /// Receives that the daemon is about to be stopped for a while: nothing may stay grabbed.
  mutating func setAside(at now: Instant) -> [Action] {
    switch state {
    case .forwarding:
      state = .setAside
      return [.releaseKeysAndUngrab]
    case .lending(_, let limit):
      return handOver(until: limit)
    case .leaving:
      return close(at: now)
    case .awaitingClone, .awaitingReaders, .awaitingKeys, .busy, .lent, .setAside, .closed:
      return []
    }
  }

  /// Receives that the daemon goes on.
  mutating func resume(at now: Instant) {
    guard case .setAside = state else { return }
    state = .awaitingReaders(until: now + Pause.readers)
  }
}

// MARK: - Towards the end

extension Lifecycle {
  /// Receives that the device is to be given back: as soon as all keys are up, so that no program sees half a stroke.
  mutating func leave(at now: Instant) {
    switch state {
    case .forwarding:
      state = .leaving(until: now + Pause.leaving)
    case .lending(let until, _):
      state = .leaving(until: until)
    case .awaitingClone, .awaitingReaders, .awaitingKeys, .busy, .lent, .setAside:
      state = .closed(until: now + Pause.closing)
    case .leaving, .closed:
      break
    }
  }

  /// Receives that the device is to be kept after all, if it has not been given back yet.
  mutating func stay() {
    guard case .leaving = state else { return }
    state = .forwarding
  }

  /// Receives that the device is to be given back at once, whatever is down.
  mutating func letGo(at now: Instant) -> [Action] {
    close(at: now)
  }

  /// Receives that the device is gone.
  mutating func unplugged(at now: Instant) -> [Action] {
    close(at: now, .unplugged)
  }

  /// Receives that the clone takes no more events: the keyboard itself must work again at once.
  mutating func cloneFailed(at now: Instant) -> [Action] {
    guard !isClosed else { return [] }
    let forwarded = forwards
    state = .closed(until: now + Pause.closing)
    return forwarded ? [.ungrab] : []
  }

  private mutating func close(at now: Instant, _ reason: Report? = nil) -> [Action] {
    guard !isClosed else { return [] }
    let forwarded = forwards
    state = .closed(until: now + Pause.closing)
    let reasons: [Action] = reason.map { [.report($0)] } ?? []
    return forwarded ? [.releaseKeysAndUngrab] + reasons + [.report(.counts)] : reasons
  }
}

import Debounce

// MARK: - Loans

extension Lifecycle {
  /// Receives that another program asks for the device: it is lent as soon as all keys are up, so that no program sees
  /// half a stroke. If it is lent already, the limit is moved.
  ///
  /// - Parameter limit: When the loan ends at the latest.
  /// - Returns: What is to be done; `nil` if it cannot be lent, because it is about to be given back.
  mutating func lend(until limit: Instant, at now: Instant) -> [Action]? {
    switch state {
    case .keeping(_, false, _):
      // Nobody can have opened the clone.
      state = .lent(until: limit)
      return [.ungrab, .report(.lent)]
    case .forwarding, .keeping:
      state = .lending(until: now + Pause.leaving, limit: limit)
    case .lending(let until, _):
      state = .lending(until: until, limit: limit)
    case .awaitingClone, .awaitingReaders, .awaitingKeys, .busy, .lent, .setAside:
      state = .lent(until: limit)
    case .leaving, .closed:
      return nil
    }
    return []
  }

  /// Receives that the borrower has returned the device, or is gone.
  mutating func takeBack(at now: Instant) {
    switch state {
    case .lending:
      state = .forwarding
    case .lent:
      takeAgain(at: now)
    case .awaitingClone, .awaitingReaders, .keeping, .awaitingKeys, .busy, .forwarding, .setAside,
      .leaving, .closed:
      break
    }
  }

  mutating func handOver(until limit: Instant) -> [Action] {
    state = .lent(until: limit)
    return [.releaseKeysAndUngrab, .report(.lent)]
  }
}

// MARK: - While the daemon is stopped

extension Lifecycle {
  /// Receives that the daemon is about to be stopped for a while: nothing may stay grabbed.
  mutating func setAside(at now: Instant) -> [Action] {
    switch state {
    case .keeping(_, false, _):
      state = .setAside
      return [.ungrab]
    case .forwarding, .keeping:
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
    takeAgain(at: now)
  }
}

// MARK: - Towards the end

extension Lifecycle {
  /// Receives that the device is to be given back: as soon as all keys are up, so that no program sees half a stroke.
  mutating func leave(at now: Instant) -> [Action] {
    switch state {
    case .keeping(_, false, _):
      return close(at: now)
    case .forwarding, .keeping:
      state = .leaving(until: now + Pause.leaving)
    case .lending(let until, _):
      state = .leaving(until: until)
    case .awaitingClone, .awaitingReaders, .awaitingKeys, .busy, .lent, .setAside:
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
    let wasGrabbed = forwards || keeps
    state = .closed(until: now + Pause.closing)
    return wasGrabbed ? [.ungrab] : []
  }

  mutating func close(at now: Instant, _ reason: Report? = nil) -> [Action] {
    guard !isClosed else { return [] }
    let before = state
    let forwarded = forwards
    state = .closed(until: now + Pause.closing)
    let reasons: [Action] = reason.map { [.report($0)] } ?? []
    switch before {
    // Nobody can have opened the clone.
    case .keeping(_, false, _): return [.ungrab] + reasons
    case .keeping: return [.releaseKeysAndUngrab] + reasons + [.report(.counts)]
    default: return forwarded ? [.releaseKeysAndUngrab] + reasons + [.report(.counts)] : reasons
    }
  }
}

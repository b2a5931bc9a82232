import Configuration
import EventDevices

/// What happens to a device, apart from what it sends.
extension Pipeline {
  /// Receives that udev has processed the clone's node.
  ///
  /// What is typed on one seat must not arrive on another: the device is given back at once if the clone is elsewhere, and what
  /// was kept is lost.
  ///
  /// - Returns: Whether the clone is where it belongs; `nil` if it is not needed any more.
  mutating func cloneAnnounced(_ clone: DeviceNode, now: Instant) -> Bool? {
    guard !isClosed else { return nil }
    guard clone.seat == seat else {
      carryOut(lifecycle.cloneFailed(at: now), now: now)
      return false
    }
    lifecycle.cloneAnnounced(at: now)
    return true
  }

  /// Receives that a program has opened or closed the clone.
  mutating func cloneUsed(_ change: NodeUsers.Change, now: Instant) {
    switch change {
    case .opened: lifecycle.cloneOpened(at: now)
    case .closed: lifecycle.cloneClosed(at: now)
    }
  }

  /// Receives that a program has closed the source.
  mutating func sourceClosedByOther(now: Instant) {
    lifecycle.sourceClosedByOther(at: now)
  }

  /// Receives that the source is gone.
  mutating func unplugged(now: Instant) {
    carryOut(lifecycle.unplugged(at: now), now: now)
    finishEvents(now: now)
  }

  /// Lends the device to a program that reads it itself (`monitor`, `record` or `calibrate`), as soon as no key is
  /// down. Lending what is lent moves the limit.
  ///
  /// - Parameter limit: When the loan ends at the latest.
  /// - Returns: Whether it can be lent: not when it is about to go.
  mutating func lend(until limit: Instant, now: Instant) -> Bool {
    defer { finishRequest(now: now) }
    guard let actions = lifecycle.lend(until: limit, at: now) else { return false }
    carryOut(actions, now: now)
    return true
  }

  /// Takes a device back that was lent.
  mutating func takeBack(now: Instant) {
    lifecycle.takeBack(at: now)
  }

  /// Gives the device back, because the daemon is about to be stopped for a while.
  mutating func setAside(now: Instant) {
    carryOut(lifecycle.setAside(at: now), now: now)
    finishEvents(now: now)
  }

  /// Starts again with a device that was set aside.
  mutating func resume(now: Instant) {
    lifecycle.resume(at: now)
  }

  /// Gives the device back as soon as no key is down.
  mutating func leave(now: Instant) {
    carryOut(lifecycle.leave(at: now), now: now)
    finishRequest(now: now)
  }

  /// Keeps a device that was to be given back and has not been yet.
  mutating func stay() {
    lifecycle.stay()
  }

  /// Gives the device back now, whatever is down.
  mutating func letGo(now: Instant) {
    carryOut(lifecycle.letGo(at: now), now: now)
    finishEvents(now: now)
  }

  /// Adopts new settings: for each key as soon as it is idle.
  mutating func adopt(_ settings: EffectiveSettings, now: Instant) {
    if settings.rules != self.settings.rules { path.adopt(settings.rules) }
    lifecycle.grabAfter = settings.grabAfter
    self.settings = settings
    if path.needsNewClone {
      outgrow(now: now)
      finishEvents(now: now)
    }
  }

  /// What waits for the keys to come up need not wait if none is down.
  private mutating func finishRequest(now: Instant) {
    if lifecycle.forwards, lifecycle.awaitsKeys { reportKeysIfUp(now: now, isAsked: true) }
    finishEvents(now: now)
  }
}

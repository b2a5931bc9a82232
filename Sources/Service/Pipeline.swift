import Debounce
import DeviceSelection
import EventDevices
import Logging
import Status

/// One device on its way through the daemon: carries out what its ``Lifecycle`` decides, along its ``EventPath``.
final class Pipeline {
  /// How many frames are taken from a device before others get their turn.
  private static let framesPerTurn = 128

  /// The source, as udev described it last.
  var node: DeviceNode
  /// The settings that hold for the device.
  private(set) var settings: EffectiveSettings
  private(set) var lifecycle: Lifecycle {
    didSet { if lifecycle.status != oldValue.status { hasNews = true } }
  }
  private(set) var path: EventPath

  /// Whether `status` would tell something else than when someone last looked.
  var hasNews = false
  /// Whether the panic chord was held: everything is to be let go, and the daemon to end.
  private(set) var hasPanicked = false
  /// What becomes of its counts.
  var counting = Counting.notKept

  /// How many keys had begun to drop out when that was last logged.
  private var learned: UInt64 = 0
  private let log: Logger

  /// Opens the device and makes its clone.
  ///
  /// - Parameter recording: Where to record what the device sends and what is passed on.
  init(
    node: DeviceNode, settings: EffectiveSettings, recording: String?, log: Logger,
    now: Microseconds
  ) throws {
    self.node = node
    self.settings = settings
    self.log = log
    path = try EventPath(
      of: node, rules: settings.rules, panicChord: settings.panicChord, recording: recording)
    lifecycle = Lifecycle(grabAfter: settings.grabAfter, at: now)
    if let recording {
      log.warning("\(title): recording what is typed to \(recording)")
    }
  }

  var title: String { "“\(node.name)” (\(node.path))" }

  /// Whether the source is done with: nothing listens to it any more.
  var isClosed: Bool { lifecycle.isClosed }

  /// Whether the node is this pipeline's own clone.
  func isClone(_ node: DeviceNode) -> Bool { path.clone.isNode(node) }

  /// When ``advance(to:)`` must be called at the latest.
  var deadline: Microseconds {
    lifecycle.forwards
      ? min(lifecycle.deadline, path.engine.deadline ?? .never) : lifecycle.deadline
  }
}

// MARK: - Events

extension Pipeline {
  /// Reads what the source has sent.
  ///
  /// - Returns: Whether there may be more. A device that floods must not keep others waiting.
  func readSource(now: Microseconds) -> Bool {
    defer { finishEvents(now: now) }
    for _ in 0..<Self.framesPerTurn {
      do {
        switch try path.step(forwarding: lifecycle.forwards) {
        case .frame:
          break
        case .resynchronisation:
          log.notice("\(title): events were lost; starting again from the keys' present state")
        case .panic:
          hasPanicked = true
          carryOut(lifecycle.letGo(at: now), now: now)
        case .end:
          return false
        case .gone:
          carryOut(lifecycle.unplugged(at: now), now: now)
        }
      } catch {
        cloneFailed(error, now: now)
      }
      if lifecycle.awaitsKeys { reportKeysIfUp(now: now) }
      if isClosed { return false }
    }
    path.pauseReading()
    return true
  }

  /// Passes on what applications told the clone, its LEDs above all.
  func readClone() {
    path.readFeedback()
  }

  /// Does what is due by now, with events and with the lifecycle.
  ///
  /// Frames that were sent before must have been read before: their time stamps are what counts.
  func advance(to now: Microseconds) {
    if lifecycle.forwards {
      do {
        try path.advance(to: now)
      } catch {
        cloneFailed(error, now: now)
      }
    }
    advanceLifecycle(to: now)
  }

  /// Does what is due by now with the lifecycle alone. What was sent before need not have been read: a device that floods can
  /// still be let go.
  func advanceLifecycle(to now: Microseconds) {
    carryOut(lifecycle.timePassed(to: now), now: now)
    finishEvents(now: now)
  }

  /// Receives that the machine was asleep: see ``EventPath/resynchroniseAfterSleep()``.
  func hasSlept(now: Microseconds) {
    guard lifecycle.forwards else { return }
    do {
      try path.resynchroniseAfterSleep()
    } catch {
      cloneFailed(error, now: now)
    }
    finishEvents(now: now)
  }

  private func finishEvents(now: Microseconds) {
    let learned = path.engine.counters.learned
    if learned != self.learned {
      self.learned = learned
      // Which key it is, is private.
      log.info("\(title): a key has begun to drop out while held; its releases wait from now on")
    }
    if path.isRecorded { flushRecording() }
  }

  private func flushRecording() {
    do {
      try path.flushRecording()
    } catch {
      log.error("\(title): the recording ends here: \(error)")
    }
  }

  private func reportKeysIfUp(now: Microseconds) {
    let areUp =
      lifecycle.forwards
      ? path.isAtRest
      // If they cannot be asked for, the grab fails, too, and says why.
      : (try? path.source.keysDown().isEmpty) != false
    if areUp { carryOut(lifecycle.keysAreUp(at: now), now: now) }
  }
}

// MARK: - Happenings

extension Pipeline {
  /// Receives that udev has processed the clone's node.
  func cloneAnnounced(now: Microseconds) {
    lifecycle.cloneAnnounced(at: now)
  }

  /// Receives that the source is gone.
  func unplugged(now: Microseconds) {
    carryOut(lifecycle.unplugged(at: now), now: now)
    finishEvents(now: now)
  }

  /// Lends the device to a program that reads it itself (`monitor`, `record` or `calibrate`), as soon as no key is down.
  /// Lending what is lent moves the limit.
  ///
  /// - Parameter limit: When the loan ends at the latest.
  /// - Returns: Whether it can be lent: not when it is about to go.
  func lend(until limit: Microseconds, now: Microseconds) -> Bool {
    defer { finishRequest(now: now) }
    return lifecycle.lend(until: limit, at: now)
  }

  /// Takes a device back that was lent.
  func takeBack(now: Microseconds) {
    lifecycle.takeBack(at: now)
  }

  /// Gives the device back, because the daemon is about to be stopped for a while.
  func setAside(now: Microseconds) {
    carryOut(lifecycle.setAside(at: now), now: now)
    finishEvents(now: now)
  }

  /// Begins anew with a device that was set aside.
  func resume(now: Microseconds) {
    lifecycle.resume(at: now)
  }

  /// Gives the device back as soon as no key is down.
  func leave(now: Microseconds) {
    lifecycle.leave(at: now)
    finishRequest(now: now)
  }

  /// Keeps a device that was to be given back and has not been yet.
  func stay() {
    lifecycle.stay()
  }

  /// Gives the device back now, whatever is down.
  func letGo(now: Microseconds) {
    carryOut(lifecycle.letGo(at: now), now: now)
    finishEvents(now: now)
  }

  /// Adopts new settings: for each key as soon as it is idle.
  func adopt(_ settings: EffectiveSettings) {
    if settings.rules != self.settings.rules { path.adopt(settings.rules) }
    path.adopt(panicChord: settings.panicChord)
    lifecycle.grabAfter = settings.grabAfter
    self.settings = settings
  }

  /// Adds what was counted of a key at earlier times.
  func add(_ counts: KeyCounts, of key: KeyCode) {
    path.add(counts, of: key)
  }

  /// What waits for the keys to come up need not wait if none is down.
  private func finishRequest(now: Microseconds) {
    if lifecycle.forwards, lifecycle.awaitsKeys { reportKeysIfUp(now: now) }
    finishEvents(now: now)
  }

  private func cloneFailed(_ error: DeviceError, now: Microseconds) {
    log.error("\(error)")
    carryOut(lifecycle.cloneFailed(at: now), now: now)
  }
}

// MARK: - Actions

extension Pipeline {
  private func carryOut(_ actions: [Lifecycle.Action], now: Microseconds) {
    for action in actions {
      switch action {
      case .grab(let releasingKeys):
        let outcome = tryToGrab(releasingKeys: releasingKeys, now: now)
        carryOut(lifecycle.grabEnded(outcome, at: now), now: now)
      case .releaseKeysAndUngrab:
        do {
          try path.releaseKeysAndUngrab(at: now)
        } catch {
          cloneFailed(error, now: now)
        }
      case .ungrab:
        path.ungrab()
      case .report(let report):
        self.report(report)
      }
    }
  }

  private func tryToGrab(releasingKeys: Bool, now: Microseconds) -> Lifecycle.GrabOutcome {
    do {
      return try path.grab(releasingKeys: releasingKeys, at: now) ? .grabbed : .keyIsDown
    } catch .busy {
      return .busy
    } catch .gone {
      return .unplugged
    } catch {
      log.error("\(error)")
      return .failed
    }
  }

  private func report(_ report: Lifecycle.Report) {
    switch report {
    case .cloneNotAnnounced:
      log.notice("\(title): udev has not announced the clone; going on without")
    case .awaitingKeys:
      log.notice(
        """
        \(title): still waiting for \(countOfKeysDown) key(s) to come up; not debounced until then
        """)
    case .grabbingWithKeysDown:
      log.notice(
        "\(title): \(countOfKeysDown) key(s) are still down; grabbing it now, as configured")
    case .busy:
      let reason = DeviceError.busy(path: node.path, holders: path.source.holders())
      log.error("\(reason). Trying again from time to time")
    case .forwarding:
      log.notice("\(title): debounced from now on; applications read \(path.clone.path)")
    case .lent:
      log.notice("\(title): lent to another program, and not debounced meanwhile")
    case .loanEnded:
      log.notice("\(title): the loan has lasted too long; taking it back")
    case .unplugged:
      log.notice("\(title): was unplugged")
    case .cannotBeGrabbed:
      log.notice("\(title): cannot be grabbed and stays as it is")
    case .counts:
      log.info("\(title): \(path.engine.counters.summary)")
    }
  }

  private var countOfKeysDown: Int { (try? path.source.keysDown().count) ?? 0 }
}

extension Lifecycle {
  /// The state as `status` shows it; `nil` for a device that is done with.
  var status: DeviceStatus.State? {
    switch state {
    case .awaitingClone, .awaitingReaders: .starting
    case .awaitingKeys: .waiting
    case .busy: .busy
    case .forwarding, .lending: .debounced
    case .lent, .setAside: .lent
    case .leaving: .leaving
    case .closed: nil
    }
  }
}

extension Counters {
  /// The counts in words.
  fileprivate var summary: String {
    """
    \(pressesOut) presses passed on, \(chatter) removed as chatter (\(pressBounces) press bounces, \
    \(releaseBounces) release bounces, \(dropOuts) drop-outs)
    """
  }
}

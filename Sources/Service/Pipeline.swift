import Configuration
import Control
import Debounce
import EventDevices
import Glibc
import Logging
import Status

/// One device on its way through the daemon: carries out what its ``Lifecycle`` decides, along its ``EventPath``.
struct Pipeline: ~Copyable {
  /// How many frames are taken from a device before others get their turn.
  private static let framesPerTurn = 128
  /// How many frames of those that were kept are passed on at once, and the pause after it: an application's buffer has
  /// room for 64 events.
  private static let portion = (frames: 16, pause: 10_000 as Microseconds)

  /// The source, as udev described it last.
  var node: DeviceNode
  /// The seat on which its clone belongs: that of the device when the clone was made.
  let seat: String
  var settings: EffectiveSettings
  var path: EventPath

  // The daemon tells others of the device at two times. If the device `hasNews`, root's `status` and systemd change at once. If it
  // `hasUnpublished`, counts are stored and members see its state at the next whole minute. Both stay true until the daemon
  // has dealt with them.

  var lifecycle: Lifecycle {
    didSet {
      hasUnpublished = true
      if lifecycle.status != oldValue.status { hasNews = true }
    }
  }
  /// Whether root's `status` would show something else than when the daemon last dealt with news, or a line of the log waits for
  /// the minute. Counts, which change with each key, are no news.
  var hasNews = false
  /// Whether there may be something for ``publish(storingIn:)`` to publish or to store. Most devices have done nothing since the
  /// last time.
  var hasUnpublished = true
  /// The state that others than root may see: that of the last whole minute. Before the first one it says “debounced”, so that
  /// nobody learns when a key came up for which the grab waits.
  private(set) var publishedState = ControlledDevice.State.debounced
  /// Whether a key decides the moment of what is done with the device now: lines of the log about that wait.
  private var keyDecides: Bool
  private let delayedLines: DelayedLines

  /// Whether the panic chord was held: everything is to be let go, and the daemon to end.
  private(set) var hasPanicked = false
  var storage = CountsStorage.notKept
  /// Counts and habits that an earlier daemon stored.
  var history = DeviceHistory()

  /// Whether it is given back to be taken anew, because its clone lacks keys, or the device has left the clone's seat.
  private(set) var isToBeRecreated = false
  /// When the pause ends; never if there is none, or one without an end.
  private var pauseEnd = Instant.never
  /// When the next of the frames that were kept are passed on.
  private var nextPortion = Instant.longAgo
  /// When the keys will have been up for long enough to be grabbed; never if that is not awaited.
  private var restEnd = Instant.never
  /// Events that an earlier clone of the device did not take. They are written as soon as the device is grabbed.
  private var carriedOver: KeptEvents

  /// How many keys had begun to drop out when that was last logged.
  private var learned: UInt64 = 0
  let log: Logger
  private let udevIsBusy: () -> Bool

  /// Takes a device, which may be grabbed already, and keep what it sends: makes its clone.
  static func make(
    from source: consuming Source, _ node: DeviceNode, settings: EffectiveSettings,
    carriedOver: KeptEvents, recording: String?, log: Logger, _ delayedLines: DelayedLines,
    udevIsBusy: @escaping () -> Bool, now: Instant
  ) throws -> Pipeline {
    let clone: Clone
    do {
      clone = try Clone(
        of: source, name: settings.cloneName.name(forSource: node.name),
        adding: settings.rules.meantKeys,
        markedBy: CloneMark(
          for: node, claimsLinks: settings.claimsLinks, below: InstanceLock.folder))
    } catch {
      reportLoss(of: source.dropKept(), from: node, to: log)
      source.ungrab()
      throw error
    }
    if let error = clone.markFailure {
      log.about(.device).info(
        "\(node.title): no links to its clone: cannot write below \(InstanceLock.folder): \(error)")
    }
    let recorder: Recorder? =
      if let recording { try Recorder(path: recording, of: source) } else { nil }
    if let recording {
      log.about(.device).warning("\(node.title): recording what is typed to \(recording)")
    }
    return Pipeline(
      along: EventPath(from: source, to: clone, recorder, settings), of: node, settings: settings,
      carriedOver, log: log, delayedLines, udevIsBusy: udevIsBusy, now: now)
  }

  private init(
    along path: consuming EventPath, of node: DeviceNode, settings: EffectiveSettings,
    _ carriedOver: KeptEvents, log: Logger, _ delayedLines: DelayedLines,
    udevIsBusy: @escaping () -> Bool, now: Instant
  ) {
    let keeps = path.keeps
    self.path = path
    (self.node, self.settings, self.log) = (node, settings, log.about(.device))
    (seat, self.carriedOver, self.delayedLines) = (node.seat, carriedOver, delayedLines)
    // The moment at which the clone is ready tells when a key came that the earlier clone did not have.
    keyDecides = !carriedOver.frames.isEmpty
    self.udevIsBusy = udevIsBusy
    // To make the clone may have taken long.
    lifecycle = Lifecycle(
      grabAfter: settings.grabAfter, isGrabbed: keeps, at: keeps ? .now : now)
  }

  var title: String { node.title }

  var isClosed: Bool { lifecycle.isClosed }

  /// The means to take the device anew, if it was closed for that.
  var recreation: DeviceTable.Recreation? {
    isToBeRecreated ? (node: node, kept: path.writer.kept) : nil
  }

  func holds(_ node: DeviceNode.ID) -> Bool { self.node.id == node && !isClosed }

  /// When ``takeTurn(now:)`` must be called at the latest.
  ///
  /// Inlined, or else each of the calls in a turn would copy the whole pipeline, a kilobyte.
  @inline(__always)
  var deadline: Instant {
    guard lifecycle.forwards else {
      return isClosed ? lifecycle.deadline : min(lifecycle.deadline, restEnd, pauseEnd)
    }
    let due = path.keeps ? nextPortion : path.engine.deadline.map { Instant($0) } ?? .never
    return min(lifecycle.deadline, due, pauseEnd)
  }
}

// MARK: - Events

extension Pipeline {
  /// Reads what the source has sent, and does what is due by now.
  ///
  /// - Returns: Whether there may be more to read. A device that floods must not keep others waiting.
  mutating func takeTurn(now: Instant) -> Bool {
    guard !isClosed else { return false }
    hasUnpublished = true
    if pauseEnd <= now { setPause(until: nil) }
    if path.keeps {
      takeTurnKeeping(now: now)
      // Events that were read behind the last kept frame must not wait until the device sends something more.
      guard !path.keeps, !isClosed else { return false }
    }
    guard readSource(now: now) else {
      if deadline <= now { advance(to: now) }
      return false
    }
    // While frames are unread, no time passes for the engine, because their time stamps count. It passes for the lifecycle: a
    // device that floods can be let go.
    advanceLifecycle(to: now)
    return true
  }

  @inline(__always)
  mutating func passMotion() -> MotionTurn {
    guard lifecycle.forwards, !lifecycle.awaitsKeys else { return .other }
    hasUnpublished = true
    do {
      return try path.passMotion()
    } catch {
      cloneFailed(error, now: .now)
      return .other
    }
  }

  private mutating func readSource(now: Instant) -> Bool {
    for _ in 0..<Self.framesPerTurn {
      if !takeStep(now: now) || path.takeEnd() { return false }
    }
    write(now: now) { try $0.pauseReading() }
    return !isClosed
  }

  /// - Returns: Whether there may be another.
  @inline(__always)
  private mutating func takeStep(now: Instant) -> Bool {
    do {
      switch try path.step(forwarding: lifecycle.forwards) {
      case .frame: break
      case .end: return false
      case let step: followUp(step, now: now)
      }
    } catch {
      cloneFailed(error, now: now)
    }
    if lifecycle.awaitsKeys { reportKeysIfUp(now: now) }
    if path.needsNewClone { recreate(now: now) }
    return !isClosed
  }

  /// Does what follows from a step that was no frame. Not inlined, like all that is seldom done: the rest of a frame's way
  /// would be longer for it.
  @inline(never)
  private mutating func followUp(_ step: EventPath.Step, now: Instant) {
    switch step {
    case .frame, .end: break
    case .resynchronisation(let panics):
      // Events are lost while somebody types or moves a mouse: the line waits for the minute.
      delayedLines.add(
        "\(title): events were lost; starting again from the keys' present state", at: .notice,
        to: log)
      if panics { panic(now: now) }
    case .panic: panic(now: now)
    case .gone: letGo(.unplugged, now: now)
    }
  }

  /// Keeps what the source has sent, behind what is kept already, and passes that on if it is time.
  private mutating func takeTurnKeeping(now: Instant) {
    var frames = Self.portion.frames
    switch path.keep() {
    case .all: break
    case .full:
      keyDecides = true
      carryOut(lifecycle.storeIsFull(at: now), now: now)
      frames = .max
    case .gone: letGo(.unplugged, now: now)
    }
    if lifecycle.deadline <= now { carryOut(lifecycle.timePassed(to: now), now: now) }
    guard lifecycle.forwards, path.keeps, nextPortion <= now || frames == .max else { return }
    nextPortion = now + Self.portion.pause
    while frames > 0, path.keeps, takeStep(now: now) { frames -= 1 }
  }

  private mutating func advance(to now: Instant) {
    if lifecycle.forwards {
      write(now: now) { try $0.advance(to: now) }
      // The last edge may have waited.
      if lifecycle.awaitsKeys { reportKeysIfUp(now: now) }
      if path.needsNewClone { recreate(now: now) }
    } else if restEnd <= now {
      restEnd = .never
      if lifecycle.awaitsKeys { reportKeysIfUp(now: now) }
    }
    advanceLifecycle(to: now)
  }

  private mutating func advanceLifecycle(to now: Instant) {
    // Mostly the engine had something due. udev is not asked then.
    guard lifecycle.deadline <= now else { return }
    if lifecycle.awaitsClone, udevIsBusy() {
      carryOut(lifecycle.udevIsBusy(at: now), now: now)
    }
    carryOut(lifecycle.timePassed(to: now), now: now)
  }

  mutating func hasSlept(now: Instant) {
    guard lifecycle.forwards else { return }
    write(now: now) { try $0.resynchroniseAfterSleep() }
  }

  /// Publishes what is done with the device, and has what was counted stored.
  ///
  /// - Returns: Whether more is to come without any further event.
  mutating func publish(storingIn background: Background) -> Bool {
    if let state = lifecycle.status { publishedState = ControlledDevice.State(showing: state) }
    // The disk may catch up while this looks: asked before.
    let isPutOff = background.isBehind
    storeCounts(in: background)
    let learned = path.engine.counters.learned
    if learned != self.learned {
      self.learned = learned
      // Which key it is, is private, and so is when it was pressed.
      log.info("\(title): a key has begun to drop out while held; its releases wait from now on")
    }
    hasUnpublished = path.engine.deadline != nil || isPutOff
    return hasUnpublished
  }

  @inline(__always)
  mutating func flushListeners() {
    if path.hasListeners { flushPresentListeners() }
  }

  @inline(never)
  private mutating func flushPresentListeners() {
    if isClosed { path.endWatching(at: .now) }
    do {
      try path.flushListeners()
    } catch {
      log.error("\(title): the recording ends here: \(error)")
    }
  }

  /// Closes the device, as soon as no key is down, so that it gets a clone with all its keys.
  @inline(never)
  private mutating func recreate(now: Instant, isAsked: Bool = false) {
    guard case .forwarding = lifecycle.state, path.isAtRest else { return }
    if !isAsked { keyDecides = true }
    let reason = path.source.hasNewKeys ? "has keys that it did not have before" : "emits new keys"
    say("\(title): \(reason); applications get a new device")
    isToBeRecreated = true
    letGo(now: now)
  }

  /// Gives the device back as soon as no key is down, and has it taken anew: its clone is on the seat that it has left.
  mutating func move(now: Instant) {
    guard !lifecycle.isLeaving else { return }
    log.notice("\(title): belongs to \(node.seat) now; applications get a new device there")
    isToBeRecreated = true
    leave(now: now)
  }

  private mutating func panic(now: Instant) {
    hasPanicked = true
    letGo(now: now)
  }
}

// MARK: - Pausing

extension Pipeline {
  /// Passes everything on as it is until then, or debounces again: for each key from when it is idle.
  mutating func setPause(until end: Instant?) {
    guard end != pausedUntil else { return }
    if (end == nil) == path.engine.isPaused {
      // Members may pause and resume without end: the line waits for the minute, and equal ones are one.
      delayedLines.add(
        "\(title): \(end == nil ? "debounced again after a pause" : "paused: everything passes as it is")",
        at: .notice, to: log)
      path.setPaused(end != nil)
    }
    pauseEnd = end ?? .never
    hasNews = true
  }

  /// The end of the pause; `nil` if the device is debounced.
  var pausedUntil: Instant? { path.engine.isPaused ? pauseEnd : nil }
}

// MARK: - Actions

extension Pipeline {
  private mutating func carryOut(_ actions: [Lifecycle.Action], now: Instant) {
    for action in actions {
      switch action {
      case .grab(let releasingKeys):
        let outcome = tryToGrab(releasingKeys: releasingKeys, now: now)
        carryOut(lifecycle.grabEnded(outcome, at: now), now: now)
        if path.needsNewClone { recreate(now: now) }
      case .releaseKeysAndUngrab:
        write(now: now) { try $0.releaseKeysAndUngrab(at: now) }
      case .ungrab:
        Self.reportLoss(of: path.ungrab(), from: node, to: log)
      case .report(let report):
        self.report(report)
      }
    }
  }

  /// Does something that writes to the clone.
  private mutating func write(now: Instant, _ body: (inout EventPath) throws -> Void) {
    do {
      try body(&path)
    } catch {
      cloneFailed(error, now: now)
    }
  }

  @inline(never)
  private mutating func cloneFailed(_ error: any Error, now: Instant) {
    log.about(.failedDevice).error("\(error)")
    carryOut(lifecycle.cloneFailed(at: now), now: now)
  }
}

/// When a device that was in use before is grabbed.
extension Pipeline {
  /// How long the keys must have been up before the device is grabbed. Otherwise a worn key's first bounce would be what
  /// lets it be grabbed, and the second would be a stroke: the first was sent past the daemon.
  private static let rest: Microseconds = 50_000

  private mutating func tryToGrab(releasingKeys: Bool, now: Instant) -> Lifecycle.GrabOutcome {
    do {
      guard releasingKeys || haveRested(now: now),
        try path.grab(releasingKeys: releasingKeys, at: now)
      else {
        // Perhaps no frame will say that the key is up. So the keys are looked at again after the rest.
        _ = haveRested(now: now)
        keyDecides = true
        return .keyIsDown
      }
      try path.write(carriedOver.frames, at: now)
      carriedOver = KeptEvents()
      return .grabbed
    } catch .busy {
      return .busy
    } catch .gone {
      return .unplugged
    } catch {
      log.about(.failedDevice).error("\(error)")
      return .failed
    }
  }

  /// Reports to the lifecycle that no key is down, if that is so.
  ///
  /// - Parameter isAsked: Whether that is looked at because somebody has asked for the device, and no key has moved.
  @inline(never)
  private mutating func reportKeysIfUp(now: Instant, isAsked: Bool = false) {
    let areUp =
      lifecycle.forwards
      // A press that was read already, and is not forwarded yet, would be lost.
      ? path.isAtRest && !path.source.hasMore
      // If they cannot be read, the grab fails, too, and reports why.
      : (try? path.source.keysDown().isEmpty) != false
    guard areUp else { return }
    if lifecycle.forwards || haveRested(now: now) {
      if !isAsked { keyDecides = true }
      carryOut(lifecycle.keysAreUp(at: now), now: now)
    } else {
      lifecycle.keysAreUpForNow(at: now)
    }
  }

  /// Whether no key has moved for ``rest``; if one has, ``takeTurn(now:)`` is called when that is over.
  private mutating func haveRested(now: Instant) -> Bool {
    let end = path.lastMovePassedBy + Self.rest
    restEnd = end <= now ? .never : end
    return end <= now
  }
}

/// Events in a device's life, apart from what it sends.
extension Pipeline {
  /// Receives that udev has processed the clone's node.
  ///
  /// Keys that are typed on one seat must not arrive on another. If the clone is elsewhere, the device is given back at once, and
  /// kept events are lost. Keys that the clone holds are released there, unless kept events would have to come before.
  ///
  /// - Returns: Whether the clone is where it belongs; `nil` if it is not needed any more.
  mutating func cloneAnnounced(_ clone: DeviceNode, now: Instant) -> Bool? {
    guard !isClosed else { return nil }
    guard clone.seat == seat else {
      carryOut(
        path.keeps ? lifecycle.cloneFailed(at: now) : lifecycle.cloneIsElsewhere(at: now), now: now)
      return false
    }
    lifecycle.cloneAnnounced(at: now)
    return true
  }

  /// Gives the device back as soon as no key is down.
  mutating func leave(now: Instant) {
    carryOut(lifecycle.leave(at: now), now: now)
    // If no key is down, no frame will say so.
    if lifecycle.forwards, lifecycle.awaitsKeys { reportKeysIfUp(now: now, isAsked: true) }
  }

  /// Gives the device back now, whatever is down.
  mutating func letGo(_ reason: Lifecycle.Report? = nil, now: Instant) {
    carryOut(lifecycle.letGo(at: now, reason), now: now)
  }

  /// Adopts new settings: for each key as soon as it is idle.
  mutating func adopt(_ settings: EffectiveSettings, now: Instant) {
    if settings.rules != self.settings.rules { path.adopt(settings.rules) }
    lifecycle.grabAfter = settings.grabAfter
    self.settings = settings
    hasNews = true
    if path.needsNewClone { recreate(now: now, isAsked: true) }
  }
}

extension Pipeline {
  /// Writes a line about the device to the log; at the next whole minute if a key has decided when.
  private mutating func say(
    _ text: String, at level: Logger.Level = .notice, about subject: LogSubject = .device
  ) {
    let log = log.about(subject)
    guard keyDecides else { return log.log(level: level, "\(text)") }
    delayedLines.add(text, at: level, to: log)
    hasNews = true
  }

  private mutating func report(_ report: Lifecycle.Report) {
    switch report {
    case .udevIsBusy:
      log.notice(
        "\(title): waiting for udev, which is busy, to announce the clone; not debounced until then"
      )
    case .cloneNotAnnounced:
      log.notice("\(title): udev has not announced the clone; going on without")
    case .awaitingKeys:
      say(
        """
        \(title): still waiting for \(countOfKeysDown) key(s) to come up; not debounced until then
        """)
    case .grabbingWithKeysDown:
      say(
        "\(title): \(countOfKeysDown) key(s) are still down; grabbing it now, as configured")
    case .busy where initialDiskIsHandingOver:
      log.notice(
        "\(title): the keydebounce of the initial RAM disk has it, and is about to let it go")
    case .busy:
      let reason = DeviceError.busy(path: node.path, holders: DeviceHolder.all(of: node.path))
      say("\(reason). Trying again from time to time", at: .error, about: .failedDevice)
    case .forwarding:
      say("\(title): debounced from now on; applications read \(path.writer.clone.path)")
      keyDecides = false
    case .unplugged:
      log.notice("\(title): was unplugged")
    case .cannotBeGrabbed:
      say("\(title): cannot be grabbed and stays as it is", about: .failedDevice)
    case .counts:
      let counters = path.engine.counters
      if log.logLevel <= .debug {
        log.debug("\(title): \(counters.summary)")
      } else if let summary = counters.roughSummary {
        say("\(title): \(summary)", at: .info)
      }
    }
  }

  private static func reportLoss(of presses: Int, from node: DeviceNode, to log: Logger) {
    guard presses > 0 else { return }
    log.about(.failedDevice).error(
      """
      \(node.title): its clone was not ready in time; \(presses) press(es) are lost that were made \
      meanwhile
      """)
  }

  private var countOfKeysDown: Int { (try? path.source.keysDown().count) ?? 0 }
}

/// Whether the daemon that was started in the initial RAM disk, before a passphrase was asked for, may still have the keyboards,
/// and is another. It goes on until the service has started, and is ended then: see `packaging/initramfs/keydebounce`.
private var initialDiskIsHandingOver: Bool {
  let folder = "/run/keydebounce-initramfs"
  return InstanceLock.folder != folder && access(folder, F_OK) == 0
}

extension Lifecycle {
  /// The state as `status` shows it; `nil` for a device that is done with.
  var status: DeviceStatus.State? {
    switch state {
    case .awaitingClone, .awaitingReaders, .keeping: .starting
    case .awaitingKeys: .waiting
    case .busy: .busy
    case .forwarding: .debounced
    case .leaving: .leaving
    case .closed: nil
    }
  }
}

extension Counters {
  /// The counts in words, for a log that others read: from how many presses there were between two moments somebody
  /// could tell how long a password is. `nil` where no key was pressed.
  var roughSummary: String? {
    guard pressesIn > 0 else { return nil }
    func roughly(_ count: UInt64) -> String {
      count < 100 ? "fewer than 100" : "more than \(count / 100 * 100 - 1)"
    }
    // On a keyboard whose every press bounces, the chatter would tell it, too.
    return
      "\(roughly(pressesOut)) presses passed on, \(roughly(chatter.total)) removed as chatter"
  }

  fileprivate var summary: String {
    """
    \(pressesOut) presses passed on, \(chatter.total) removed as chatter (\(chatter.pressBounces) press bounces, \
    \(chatter.releaseBounces) release bounces, \(chatter.dropOuts) drop-outs)
    """
  }
}

extension DeviceNode {
  var title: String { "“\(name)” (\(path))" }
}

import Debounce
import DeviceSelection
import EventDevices
import Logging
import SystemPackage

/// One device on its way through the daemon: read → decide → write.
///
/// ```
///  awaitingClone ──▶ settling ──▶ awaitingRelease ──▶ running ──▶ leaving ──▶ closed
///   udev is done      programs      no key is down     grabbed      no key is     the clone goes when
///   with the clone    open it       then: grab  ◀──┐     │          down, or      its readers have had
///                        ▲               └▶ busy ──┘     ▼          long enough   time to read it
///                        └──────────── lent ◀───────── lending
/// ```
///
/// Until `running` the real device works as if nothing were there, so that nothing is lost while the
/// clone gets ready; from `running` on, the clone stands in for it.
final class Pipeline {
  /// How many frames are taken from a device before others get their turn.
  private static let framesPerTurn = 128

  /// The source, as udev described it last.
  var node: DeviceNode

  var stage: Stage {
    didSet { if stage.state != oldValue.state { hasNews = true } }
  }
  /// Whether `status` would tell something else than when someone last looked.
  var hasNews = false
  /// The settings that hold for the device.
  var settings: EffectiveSettings
  var engine: Debouncer
  /// How long frames took from the kernel's time stamp, or their deadline, to their being written.
  private(set) var latency = LatencyHistogram()
  /// How often events were lost before they were read.
  private(set) var resynchronisations: UInt64 = 0

  /// What becomes of its counts.
  var counting = Counting.notKept

  /// Whether the keys' state is to be read again when the source has been read to its end.
  private var isInDoubt = false

  var source: Source
  var clone: Clone
  private var output = FrameQueue()
  private var recorder: Recorder?
  var panicChord: PanicChord
  private var learned: UInt64 = 0
  let log: Logger

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
    source = try Source(path: node.path)
    // The node's name may be another device's by now.
    guard source.isNode(node) else { throw DeviceError.gone(path: node.path) }
    clone = try Clone(of: source)
    engine = Debouncer(settings.rules)
    panicChord = PanicChord(keys: settings.panicChord)
    stage = .awaitingClone(until: now + Stage.Pause.clone)
    if let recording {
      recorder = try Recorder(path: recording, of: source)
      log.warning("\(title): recording what is typed to \(recording)")
    }
  }

  /// Whether the panic chord was held: everything is to be let go, and the daemon to end.
  private(set) var hasPanicked = false

  /// The source's descriptor, to listen to.
  var sourceDescriptor: CInt { source.descriptor }

  /// The clone's descriptor, to listen to.
  var cloneDescriptor: CInt { clone.descriptor }

  /// Whether the source is done with: nothing listens to it any more.
  var isClosed: Bool {
    if case .closed = stage { true } else { false }
  }

  /// When ``advance(to:)`` must be called at the latest; `.max` for never.
  var deadline: Microseconds {
    isForwarding ? min(stage.deadline, engine.deadline ?? .max) : stage.deadline
  }

  var title: String { "“\(node.name)” (\(node.path))" }
}

// MARK: - Events

extension Pipeline {
  /// Takes what the source has sent.
  ///
  /// - Returns: Whether there may be more. A device that floods must not keep others waiting.
  func readSource(now: Microseconds) -> Bool {
    for _ in 0..<Self.framesPerTurn {
      switch source.read() {
      case .frame:
        takeFrame(now: now)
      case .resynchronised(let held):
        resynchronise(held: held, now: now)
      case .nothing:
        if isInDoubt {
          isInDoubt = false
          if let held = source.resynchroniseIfDifferent() { resynchronise(held: held, now: now) }
        }
        flushRecording()
        return false
      case .gone:
        close(at: now, because: "was unplugged")
        return false
      }
      if isClosed { return false }
    }
    source.pauseReading()
    flushRecording()
    return true
  }

  /// Passes on what applications told the clone, its LEDs above all.
  func readClone() {
    // A source that has no such LED, or is just gone, is none the worse for it.
    if clone.readFeedback() { try? source.write(clone.feedback) }
  }

  /// Hears that udev is done with the clone's node.
  func cloneIsReady(_ node: DeviceNode, now: Microseconds) {
    guard case .awaitingClone = stage, clone.isNode(node) else { return }
    stage = .settling(until: now + Stage.Pause.settling)
  }

  /// Whether the node is this pipeline's own clone.
  func isClone(_ node: DeviceNode) -> Bool {
    clone.isNode(node)
  }

  /// Hears that the source is gone.
  func sourceIsGone(now: Microseconds) {
    close(at: now, because: "was unplugged")
  }

  /// Does what is due by now.
  ///
  /// Frames that were sent before must have been read before: their time stamps are what counts.
  func advance(to now: Microseconds) {
    if isForwarding {
      engine.advance(to: now, into: &output)
      writeOutput(now: now)
    }
    advanceStage(to: now)
  }

  /// Moves on to the next stage if it is time. Unlike for the engine, what was sent before need not have been read: a
  /// device that floods can still be let go.
  func advanceStage(to now: Microseconds) {
    switch stage {
    case .awaitingClone(let until) where until <= now:
      log.notice("\(title): udev has not announced the clone; going on without")
      stage = .settling(until: now + Stage.Pause.settling)
    case .settling(let until) where until <= now:
      awaitRelease(now: now)
      grab(now: now)
    case .awaitingRelease(_, _, let grabAt) where grabAt <= now:
      let count = (try? source.keysDown().count) ?? 0
      log.notice("\(title): \(count) key(s) are still down; grabbing it now, as configured")
      awaitRelease(now: now)
      grab(now: now, releasingKeys: true)
    case .awaitingRelease(let since, said: false, let grabAt)
    where since + Stage.Pause.notice <= now:
      let count = (try? source.keysDown().count) ?? 0
      log.notice("\(title): still waiting for \(count) key(s) to come up; not debounced until then")
      stage = .awaitingRelease(since: since, said: true, grabAt: grabAt)
      // The last one has just come up: by asking, news of it has been used up.
      if count == 0 { grab(now: now) }
    case .busy(let retryAt, _, let keyDownSince) where retryAt <= now:
      grab(now: now, releasingKeys: keyDownSince.map { grabTime(waitingSince: $0) <= now } ?? false)
    case .leaving(let until) where until <= now:
      close(at: now, because: nil)
    case .lending(let until, let limit) where until <= now:
      handOver(until: limit, now: now)
    case .lent(let until) where until <= now:
      log.notice("\(title): the loan has lasted too long; taking it back")
      takeBack(now: now)
    default:
      break
    }
    flushRecording()
  }

  /// Hears that the machine was asleep: the clock stood still, and keys may have moved unseen.
  ///
  /// What waits is decided now, as gaps and holds across the sleep mean nothing. What was sent since is read as ever,
  /// and then compared with the keys' state.
  func hasSlept(now: Microseconds) {
    guard isForwarding else { return }
    let frame = Frame(time: source.frame.time)
    recorder?.append(resynchronisedTo: engine.rawHeld, before: engine.rawHeld, others: frame)
    engine.resynchronise(held: engine.rawHeld, others: frame, into: &output)
    writeOutput(now: now)
    tellLEDs()
    isInDoubt = true
  }

  /// Lets go of the device now, whatever is down.
  func letGo(now: Microseconds) {
    close(at: now, because: nil)
  }

  /// Gives the device back: as soon as no key is down, so that nobody sees half a stroke.
  func leave(now: Microseconds) {
    switch stage {
    case .running, .lending:
      stage = .leaving(until: now + Stage.Pause.leaving)
      moveOnIfNoKeyIsDown(now: now)
    case .leaving, .closed:
      break
    case .awaitingClone, .settling, .awaitingRelease, .busy, .lent:
      stage = .closed(until: now)
    }
  }

  /// Takes back the word to leave, if it has not been kept yet.
  func stay() {
    if case .leaving = stage { stage = .running }
  }

  /// Adopts new settings: for each key as soon as it is idle.
  func adopt(_ settings: EffectiveSettings) {
    if settings.rules != self.settings.rules { engine.adopt(settings.rules) }
    if settings.panicChord != panicChord.keys {
      panicChord = PanicChord(keys: settings.panicChord, held: engine.rawHeld)
    }
    self.settings = settings
    if case .awaitingRelease(let since, let said, _) = stage {
      stage = .awaitingRelease(since: since, said: said, grabAt: grabTime(waitingSince: since))
    }
  }
}

// MARK: - Stages

extension Pipeline {
  /// Whether the device is grabbed, and what it sends is passed on through the engine.
  private var isForwarding: Bool {
    switch stage {
    case .running, .leaving, .lending: true
    case .awaitingClone, .settling, .awaitingRelease, .busy, .lent, .closed: false
    }
  }

  private func takeFrame(now: Microseconds) {
    switch stage {
    case .running, .leaving, .lending:
      recorder?.append(raw: source.frame)
      if source.frameIsKeyless, engine.letPass(keylessFrameAt: source.frame.time) {
        passOn(now: now)
      } else {
        engine.process(source.frame, into: &output)
        writeOutput(now: now)
        panicChord.hear(source.frame)
        if panicChord.isHeld { return panic(now: now) }
      }
      moveOnIfNoKeyIsDown(now: now)
    case .awaitingRelease:
      grab(now: now)
    case .busy(let retryAt, let pause, .some):
      // Who hears of a frame may have the device, and the key that was down at the last try was none that is jammed.
      guard (try? source.keysDown().isEmpty) == true else { break }
      stage = .busy(retryAt: retryAt, pause: pause, keyDownSince: nil)
      grab(now: now)
    case .awaitingClone, .settling, .busy, .lent, .closed:
      break
    }
  }

  private func resynchronise(held: KeySet, now: Microseconds) {
    guard isForwarding else { return takeFrame(now: now) }
    resynchronisations += 1
    log.notice("\(title): events were lost; starting again from the keys' present state")
    panicChord.resynchronise(held: held)
    recorder?.append(resynchronisedTo: held, before: engine.rawHeld, others: source.frame)
    engine.resynchronise(held: held, others: source.frame, into: &output)
    writeOutput(now: now)
    if panicChord.isHeld { panic(now: now) }
  }

  private func panic(now: Microseconds) {
    hasPanicked = true
    close(at: now, because: nil)
  }

  /// Leaves, or hands over, if that is to be done and no key is down.
  private func moveOnIfNoKeyIsDown(now: Microseconds) {
    switch stage {
    case .leaving where isAtRest: close(at: now, because: nil)
    case .lending(_, let limit) where isAtRest: handOver(until: limit, now: now)
    default: break
    }
  }

  /// Whether no key is down, neither the device's nor the clone's.
  var isAtRest: Bool { engine.held.isEmpty && engine.rawHeld.isEmpty }

  /// Lets go of everything: of the clone's keys first, then of the source.
  func close(at now: Microseconds, because reason: String?) {
    guard !isClosed else { return }
    let wasForwarding = isForwarding
    stage = .closed(until: now + (wasForwarding ? Stage.Pause.closing : 0))
    if wasForwarding { release(at: now) }
    flushRecording()
    if let reason { log.notice("\(title): \(reason)") }
    if wasForwarding { log.info("\(title): \(engine.counters.summary)") }
  }
}

// MARK: - Output

extension Pipeline {
  /// Lets the clone's keys go, and then the source.
  func release(at now: Microseconds) {
    // The frame in hand may be later than the moment at which the loop woke.
    let now = max(now, source.frame.time)
    // What was due before the end came before it, however late it is dealt with.
    engine.advance(to: now, into: &output)
    writeOutput(now: now)
    recorder?.appendClosing(at: now)
    engine.close(at: now, into: &output)
    writeOutput(now: now)
    source.ungrab()
  }

  /// Passes on the source's frame, of which there was nothing to decide.
  private func passOn(now: Microseconds) {
    do {
      try source.withFrame { (events, time) throws(DeviceError) in try write(events, at: time) }
    } catch {
      return giveUp(on: error, now: now)
    }
    if clone.hasEcho { readClone() }
  }

  private func writeOutput(now: Microseconds) {
    guard !output.isEmpty else { return }
    do {
      try output.drain { (events, time) throws(DeviceError) in try write(events, at: time) }
    } catch {
      return giveUp(on: error, now: now)
    }
    if clone.hasEcho { readClone() }
    if engine.counters.learned != learned { noticeLearning() }
  }

  private func write(
    _ events: UnsafeBufferPointer<Event>, at time: Microseconds
  ) throws(DeviceError) {
    try clone.write(events, at: time)
    latency.add(monotonicNow() - time)
    recorder?.append(clean: events, at: time)
  }

  /// The clone takes no more. The keyboard itself must work again at once.
  private func giveUp(on error: DeviceError, now: Microseconds) {
    log.error("\(error)")
    guard !isClosed else { return }
    stage = .closed(until: now)
    source.ungrab()
  }

  /// Tells when a key began to be treated as one that drops out. Which one is private.
  private func noticeLearning() {
    learned = engine.counters.learned
    log.info("\(title): a key has begun to drop out while held; its releases wait from now on")
  }

  private func flushRecording() {
    if recorder != nil { writeRecording() }
  }

  private func writeRecording() {
    do {
      try recorder?.flush()
    } catch {
      log.error("\(title): the recording ends here: \(error)")
      recorder = nil
    }
  }
}

extension Counters {
  /// The counts in words.
  var summary: String {
    """
    \(pressesOut) presses passed on, \(chatter) removed as chatter (\(pressBounces) press bounces, \
    \(releaseBounces) release bounces, \(dropOuts) drop-outs)
    """
  }
}

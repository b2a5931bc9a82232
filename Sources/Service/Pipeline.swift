import Debounce
import EventDevices
import Logging
import SystemPackage

/// One device on its way through the daemon: read → decide → write.
///
/// ```
///  awaitingClone ──▶ settling ──▶ awaitingRelease ──▶ running ──▶ leaving ──▶ closed
///   udev is done      programs      no key is down     grabbed      no key is     the clone goes when
///   with the clone    open it       then: grab  ◀──┐                down, or      its readers have had
///                                        └▶ busy ──┘                long enough   time to read it
/// ```
///
/// Until `running` the real device works as if nothing were there, so that nothing is lost while the
/// clone gets ready; from `running` on, the clone stands in for it.
final class Pipeline {
  enum Stage: Equatable {
    /// The clone exists; programs cannot open it before udev has dealt with it.
    case awaitingClone(until: Microseconds)
    /// Programs have heard of the clone and open it.
    case settling(until: Microseconds)
    /// Everything is ready for the grab, but a key is down.
    case awaitingRelease(since: Microseconds, said: Bool)
    /// Another program has grabbed the device.
    case busy(retryAt: Microseconds, pause: Microseconds)
    /// Grabbed: frames pass through the engine.
    case running
    /// To be given back as soon as no key is down, and then at the latest.
    case leaving(until: Microseconds)
    /// Given back or gone. The clone stays until then, so that its readers get their last events.
    case closed(until: Microseconds)
  }

  /// How long the pauses are. None of them delays a key: the real device works meanwhile.
  private enum Pause {
    /// For udev, which may not be running.
    static let clone: Microseconds = 2_000_000
    /// For programs to open the clone once udev has told them.
    static let settling: Microseconds = 100_000
    /// Until it is said that a key is still down.
    static let notice: Microseconds = 5_000_000
    /// Between tries to grab what another program holds: the first, and the longest.
    static let busy: ClosedRange<Microseconds> = 200_000...5_000_000
    /// For keys that are still down when the daemon is told to stop.
    static let leaving: Microseconds = 250_000
    /// For readers of the clone: what they have not read when it goes is lost.
    static let closing: Microseconds = 50_000
  }

  /// How many frames are taken from a device before others get their turn.
  private static let framesPerTurn = 128

  let node: DeviceNode

  private(set) var stage: Stage
  private var source: Source
  private var clone: Clone
  private var engine: Debouncer
  private var output = FrameQueue()
  private var recorder: Recorder?
  private var panicChord = PanicChord()
  private var learned: UInt64 = 0
  private let log: Logger

  /// Opens the device and makes its clone.
  ///
  /// - Parameter recording: Where to record what the device sends and what is passed on.
  init(
    node: DeviceNode, rules: Rules, recording: String?, log: Logger, now: Microseconds
  ) throws {
    self.node = node
    self.log = log
    source = try Source(path: node.path)
    clone = try Clone(of: source)
    engine = Debouncer(rules)
    stage = .awaitingClone(until: now + Pause.clone)
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

  /// What was counted so far.
  var counters: Counters { engine.counters }

  /// Whether the source is done with: nothing listens to it any more.
  var isClosed: Bool {
    if case .closed = stage { true } else { false }
  }

  /// When ``advance(to:)`` must be called at the latest; `.max` for never.
  var deadline: Microseconds {
    switch stage {
    case .awaitingClone(let until), .settling(let until), .closed(let until): until
    case .awaitingRelease(let since, let said): said ? .max : since + Pause.notice
    case .busy(let retryAt, _): retryAt
    case .running: engine.deadline ?? .max
    case .leaving(let until): min(until, engine.deadline ?? .max)
    }
  }

  private var title: String { "“\(node.name)” (\(node.path))" }
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
        flushRecording()
        return false
      case .gone:
        close(at: now, because: "was unplugged")
        return false
      }
      if isClosed { return false }
    }
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
    stage = .settling(until: now + Pause.settling)
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
    if stage == .running || isLeaving {
      engine.advance(to: now, into: &output)
      writeOutput(now: now)
    }
    switch stage {
    case .awaitingClone(let until) where until <= now:
      log.notice("\(title): udev has not announced the clone; going on without")
      stage = .settling(until: now + Pause.settling)
    case .settling(let until) where until <= now:
      stage = .awaitingRelease(since: now, said: false)
      grab(now: now)
    case .awaitingRelease(let since, said: false) where since + Pause.notice <= now:
      let count = (try? source.countKeysDown()) ?? 0
      log.notice("\(title): still waiting for \(count) key(s) to come up; not debounced until then")
      stage = .awaitingRelease(since: since, said: true)
    case .busy(let retryAt, _) where retryAt <= now:
      grab(now: now)
    case .leaving(let until) where until <= now:
      close(at: now, because: nil)
    default:
      break
    }
    flushRecording()
  }

  /// Lets go of the device now, whatever is down.
  func letGo(now: Microseconds) {
    close(at: now, because: nil)
  }

  /// Gives the device back: as soon as no key is down, so that nobody sees half a stroke.
  func leave(now: Microseconds) {
    switch stage {
    case .running:
      stage = .leaving(until: now + Pause.leaving)
      leaveIfNoKeyIsDown(now: now)
    case .leaving, .closed:
      break
    case .awaitingClone, .settling, .awaitingRelease, .busy:
      stage = .closed(until: now)
    }
  }
}

// MARK: - Stages

extension Pipeline {
  private var isLeaving: Bool {
    if case .leaving = stage { true } else { false }
  }

  private func takeFrame(now: Microseconds) {
    switch stage {
    case .running, .leaving:
      recorder?.append(raw: source.frame)
      engine.process(source.frame, into: &output)
      writeOutput(now: now)
      if panicChord.isHeld(after: source.frame) {
        hasPanicked = true
        return close(at: now, because: nil)
      }
      if isLeaving { leaveIfNoKeyIsDown(now: now) }
    case .awaitingRelease:
      grab(now: now)
    case .awaitingClone, .settling, .busy, .closed:
      break
    }
  }

  private func resynchronise(held: KeySet, now: Microseconds) {
    guard stage == .running || isLeaving else { return takeFrame(now: now) }
    log.notice("\(title): events were lost; starting again from the keys' present state")
    panicChord.resynchronise(held: held)
    recorder?.append(resynchronisedTo: held, before: engine.rawHeld, others: source.frame)
    engine.resynchronise(held: held, others: source.frame, into: &output)
    writeOutput(now: now)
  }

  private func grab(now: Microseconds) {
    do {
      guard try source.grabIfNoKeyIsDown() else {
        if case .awaitingRelease = stage { return }
        stage = .awaitingRelease(since: now, said: false)
        return
      }
      stage = .running
      log.notice("\(title): debounced from now on; applications read \(clone.path)")
    } catch .busy(let path, let holders) {
      // Said once: a remapper that started earlier will hold it for as long as it runs.
      guard case .busy(_, let pause) = stage else {
        log.error(
          "\(DeviceError.busy(path: path, holders: holders)). Trying again from time to time")
        stage = .busy(retryAt: now + Pause.busy.lowerBound, pause: Pause.busy.lowerBound)
        return
      }
      let longer = min(2 * pause, Pause.busy.upperBound)
      stage = .busy(retryAt: now + longer, pause: longer)
    } catch .gone {
      close(at: now, because: "was unplugged")
    } catch {
      log.error("\(error)")
      close(at: now, because: "cannot be grabbed and stays as it is")
    }
  }

  private func leaveIfNoKeyIsDown(now: Microseconds) {
    if engine.held.isEmpty, engine.rawHeld.isEmpty { close(at: now, because: nil) }
  }

  /// Lets go of everything: of the clone's keys first, then of the source.
  private func close(at now: Microseconds, because reason: String?) {
    guard !isClosed else { return }
    let wasForwarding = stage == .running || isLeaving
    stage = .closed(until: now + (wasForwarding ? Pause.closing : 0))
    if wasForwarding {
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
    flushRecording()
    if let reason { log.notice("\(title): \(reason)") }
    if wasForwarding { log.info("\(title): \(engine.counters.summary)") }
  }
}

// MARK: - Output

extension Pipeline {
  private func writeOutput(now: Microseconds) {
    guard !output.isEmpty else { return }
    defer { output.removeAll() }
    for index in 0..<output.count {
      let time = output.time(ofFrameAt: index)
      do {
        try output.withEvents(ofFrameAt: index) { events in
          try clone.write(events, at: time)
          recorder?.append(clean: events, at: time)
        }
      } catch {
        // The clone takes no more. The keyboard itself must work again at once.
        log.error("\(error)")
        if !isClosed {
          stage = .closed(until: now)
          source.ungrab()
        }
        return
      }
    }
    noticeLearning()
  }

  /// Tells when a key began to be treated as one that drops out. Which one is private.
  private func noticeLearning() {
    guard engine.counters.learned != learned else { return }
    learned = engine.counters.learned
    log.info("\(title): a key has begun to drop out while held; its releases wait from now on")
  }

  private func flushRecording() {
    guard recorder != nil else { return }
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

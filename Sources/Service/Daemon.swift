import Configuration
import Debounce
import EventDevices
import Glibc
import Logging
import SystemPackage

/// The daemon: finds devices, takes each through a ``Pipeline``, and lets go of them in the end.
///
/// One thread, one loop. Whatever one device does, the others go on.
public final class Daemon {
  /// What the daemon is told when it is started.
  public struct Options: Sendable {
    public var selection: Selection
    public var settings: Settings
    /// Where to record the raw and the clean frames. The first device taken is recorded there, others
    /// beside it.
    public var recording: String?

    public init(
      selection: Selection = .automatic, settings: Settings = .packaged, recording: String? = nil
    ) {
      self.selection = selection
      self.settings = settings
      self.recording = recording
    }
  }

  /// Why the daemon has ended.
  public enum End: Sendable {
    /// A signal said so.
    case signal
    /// The panic chord was held. Whoever held it wants no daemon: it is not to be started again.
    case panic
  }

  private let options: Options
  private let log: Logger
  private var loop: EventLoop
  private let monitor: Monitor

  /// The pipelines, each in a slot that stays its own.
  private var slots: [Pipeline?] = []
  /// How many pipelines each slot has had: news for an earlier one is stale.
  private var generations: [UInt32] = []
  /// Slots whose source has more to read than it was given time for.
  private var backlog: Set<Int> = []

  private var recordings = 0
  private var isStopping = false
  private var end = End.signal

  /// Begins to listen for devices and signals; takes none yet.
  public init(_ options: Options, log: Logger) throws {
    self.options = options
    self.log = log
    loop = try EventLoop(signals: [SIGINT, SIGTERM])
    monitor = try Monitor()
    try loop.add(monitor.descriptor, as: .monitor)
  }

  /// Runs until a signal or the panic chord says to stop.
  ///
  /// - Throws: `DeviceError` if no device can be taken, for lack of permission or of a kernel module;
  ///   ``StartError`` if a device that was named is not there; `Errno` if the loop itself fails.
  public func run() throws -> End {
    // A recording may end in a pipe that nobody reads any more.
    signal(SIGPIPE, SIG_IGN)
    try Clone.checkAccess()
    try takeDevicesPresent()
    while !(isStopping && slots.allSatisfy { $0 == nil }) {
      try turn()
    }
    return end
  }

  /// Waits for something to happen, and deals with it.
  private func turn() throws {
    let count = try loop.wait(backlog.isEmpty)
    // Taken before anything is read: what is read afterwards may be later than this, but all that
    // happened before it will have been read when deadlines are judged by it.
    let now = monotonicNow()
    var timerWentOff = false
    for index in 0..<count {
      switch loop.token(at: index) {
      case .source(let slot, let generation):
        guard let pipeline = pipeline(slot, generation) else { continue }
        readSource(of: pipeline, in: slot, now: now)
      case .clone(let slot, let generation):
        pipeline(slot, generation)?.readClone()
      case .monitor:
        while let change = monitor.next() { hear(change, now: now) }
      case .signal:
        while loop.nextSignal() != nil { stop(now: now) }
      case .timer:
        loop.timerWentOff()
        timerWentOff = true
      case nil:
        break
      }
    }
    for slot in backlog {
      if let pipeline = slots[slot] { readSource(of: pipeline, in: slot, now: now) }
    }
    if timerWentOff { advanceAll(to: now) }
  }
}

// MARK: - Pipelines

extension Daemon {
  private func pipeline(_ slot: Int, _ generation: UInt32) -> Pipeline? {
    generations[slot] == generation ? slots[slot] : nil
  }

  private func readSource(of pipeline: Pipeline, in slot: Int, now: Microseconds) {
    guard !pipeline.isClosed else { return }
    let hasMore = pipeline.readSource(now: now)
    if hasMore {
      backlog.insert(slot)
    } else {
      backlog.remove(slot)
      // With frames unread, time cannot be told to have passed.
      if pipeline.deadline <= now { pipeline.advance(to: now) }
    }
    settle(pipeline, in: slot)
  }

  /// Advances every pipeline that is due.
  private func advanceAll(to now: Microseconds) {
    for (slot, pipeline) in slots.enumerated() {
      guard let pipeline else { continue }
      if pipeline.deadline > now {
        loop.wake(at: pipeline.deadline)
      } else if pipeline.isClosed {
        remove(slot)
      } else {
        // What happened before the deadline may still wait to be read.
        readSource(of: pipeline, in: slot, now: now)
      }
    }
  }

  /// Follows up on what a pipeline has just done: listens to it no more if it has closed, and wakes in time
  /// for its next deadline.
  private func settle(_ pipeline: Pipeline, in slot: Int) {
    if pipeline.hasPanicked, end != .panic { panic() }
    if pipeline.isClosed {
      loop.remove(pipeline.sourceDescriptor)
      backlog.remove(slot)
    }
    loop.wake(at: pipeline.deadline)
  }

  private func add(_ pipeline: Pipeline) throws(Errno) {
    let slot = slots.firstIndex { $0 == nil } ?? slots.count
    if slot == slots.count {
      slots.append(nil)
      generations.append(0)
    }
    generations[slot] &+= 1
    let generation = generations[slot]
    try loop.add(pipeline.sourceDescriptor, as: .source(slot: slot, generation: generation))
    try loop.add(pipeline.cloneDescriptor, as: .clone(slot: slot, generation: generation))
    slots[slot] = pipeline
    settle(pipeline, in: slot)
  }

  private func remove(_ slot: Int) {
    slots[slot] = nil
    backlog.remove(slot)
  }
}

// MARK: - Devices

extension Daemon {
  private func takeDevicesPresent() throws {
    let nodes = monitor.nodes()
    if case .named(let paths) = options.selection {
      for path in paths where !nodes.contains(where: { options.selection.names(path, $0) }) {
        throw StartError.noSuchDevice(path)
      }
    }
    var refused: (any Error)?
    for node in nodes {
      do {
        try take(node, now: monotonicNow())
      } catch let error as DeviceError {
        log.error("\(error)")
        refused = error
      }
    }
    guard slots.contains(where: { $0 != nil }) else {
      // Not one of the devices that are there may be used: more of them will not help.
      if let refused { throw refused }
      log.notice("no keyboard found; waiting for one to be plugged in")
      return
    }
  }

  /// Takes the node if it is one to take.
  private func take(_ node: DeviceNode, now: Microseconds) throws {
    guard !isStopping,
      case .take(let assignment) = options.selection.judge(node, by: options.settings)
    else { return }
    guard !slots.contains(where: { $0?.node.id == node.id && $0?.isClosed == false }) else {
      return
    }
    let pipeline = try Pipeline(
      node: node, rules: assignment.rules, recording: nextRecording(), log: log, now: now)
    try add(pipeline)
  }

  private func hear(_ change: Monitor.Change, now: Microseconds) {
    switch change {
    case .present(let node):
      if let (slot, pipeline) = first(where: { $0.isClone(node) }) {
        pipeline.cloneIsReady(node, now: now)
        settle(pipeline, in: slot)
        return
      }
      do {
        try take(node, now: now)
      } catch DeviceError.gone {
        // Plugged in and out again, faster than udev tells. The removal is on its way.
      } catch {
        log.error("\(error)")
      }
    case .removed(let id):
      guard let (slot, pipeline) = first(where: { $0.node.id == id && !$0.isClosed }) else {
        return
      }
      pipeline.sourceIsGone(now: now)
      settle(pipeline, in: slot)
    case .overrun:
      lookAround(now: now)
    }
  }

  /// Compares what there is with what was known, after news was lost.
  private func lookAround(now: Microseconds) {
    let nodes = monitor.nodes()
    for (slot, pipeline) in slots.enumerated() {
      guard let pipeline, !nodes.contains(where: { $0.id == pipeline.node.id }) else { continue }
      pipeline.sourceIsGone(now: now)
      settle(pipeline, in: slot)
    }
    for node in nodes { hear(.present(node), now: now) }
  }

  private func first(where predicate: (Pipeline) -> Bool) -> (Int, Pipeline)? {
    for (slot, pipeline) in slots.enumerated() {
      if let pipeline, predicate(pipeline) { return (slot, pipeline) }
    }
    return nil
  }

  /// The file for the next device's recording: `FILE`, then `FILE.2`, `FILE.3` …
  private func nextRecording() -> String? {
    guard let path = options.recording else { return nil }
    recordings += 1
    return recordings == 1 ? path : "\(path).\(recordings)"
  }

  /// Lets go of every device at once.
  private func panic() {
    log.warning("the panic chord was held: letting go of every keyboard")
    end = .panic
    isStopping = true
    let now = monotonicNow()
    for (slot, pipeline) in slots.enumerated() {
      guard let pipeline else { continue }
      pipeline.letGo(now: now)
      settle(pipeline, in: slot)
    }
  }

  private func stop(now: Microseconds) {
    if !isStopping { log.notice("stopping") }
    isStopping = true
    for (slot, pipeline) in slots.enumerated() {
      guard let pipeline else { continue }
      pipeline.leave(now: now)
      settle(pipeline, in: slot)
    }
  }
}

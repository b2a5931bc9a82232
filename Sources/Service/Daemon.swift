import Configuration
import Debounce
import DeviceSelection
import EventDevices
import Glibc
import Logging
import SystemPackage

/// The daemon: finds devices, takes each through a ``Pipeline``, and lets go of them in the end.
///
/// One thread, one loop. Whatever one device does, the others go on; and whatever clients ask for, devices come first.
public final class Daemon {
  /// What the daemon is told when it is started.
  public struct Options: Sendable {
    public var selection: Selection
    /// Where the settings are read from, and read anew when it is told to reload.
    public var configuration: String
    /// Whether nothing need be there.
    public var configurationMayBeMissing: Bool
    /// Where counts are kept; `nil` to keep none.
    public var state: String?
    /// Where to record the raw and the clean frames. The first device taken is recorded there, others
    /// beside it.
    public var recording: String?

    public init(
      selection: Selection = .automatic, configuration: String,
      configurationMayBeMissing: Bool = false, state: String? = nil, recording: String? = nil
    ) {
      self.selection = selection
      self.configuration = configuration
      self.configurationMayBeMissing = configurationMayBeMissing
      self.state = state
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

  /// How many messages of the bus, or of udev, are dealt with before devices get their turn again.
  private static let messagesPerTurn = 4

  let options: Options
  let log: Logger
  let started = monotonicNow()
  var configuration: LiveConfiguration
  let statistics: Statistics
  let bus: Bus
  var loans = Loans()
  private let lock: InstanceLock
  private var serviceManager = ServiceManager()

  var loop: EventLoop
  let monitor: Monitor

  /// The pipelines, each in a slot that stays its own.
  var slots: [Pipeline?] = []
  /// How many pipelines each slot has had: news for an earlier one is stale.
  var generations: [UInt32] = []
  /// Slots whose source has more to read than it was given time for.
  var backlog: Set<Int> = []
  /// When a device last had something to read.
  private var lastEvent = Microseconds.min / 2
  /// Whether the bus may have more messages than it was given time for.
  private var busHasMore = false

  /// The devices of which it was said that they are left alone, and why.
  var leftAlone: [DeviceNode.ID: String] = [:]

  /// Devices that could not be taken yet.
  var retries = Retries()
  /// How long the machine had been asleep, since it was switched on, when the loop last turned.
  private var timeAsleep = EventDevices.timeAsleep()
  /// When that was looked at last.
  private var sleepLookedAt = Microseconds.min

  private var unusedMemory = UnusedMemory()

  /// Whether the configuration is to be read anew: once in a turn, however often that was asked for.
  var isToReload = false
  /// The calls that are answered when it has been.
  var reloadCalls: [BusCall] = []

  /// Whether a device has come, gone, or changed its stage since systemd was last told.
  var hasNews = false

  var recordings = 0
  var isStopping = false
  var end = End.signal

  /// Reads the settings and begins to listen for devices, clients and signals; takes no device yet.
  ///
  /// - Throws: `ConfigurationErrors` if the settings are broken; ``StartError/isRunning(_:)`` if another daemon runs.
  public init(_ options: Options, log: Logger) throws {
    self.options = options
    self.log = log
    configuration = try LiveConfiguration(
      readingFrom: options.configuration, mayBeMissing: options.configurationMayBeMissing, log: log)
    lock = try InstanceLock(log: log)
    statistics = try Statistics(folder: options.state, log: log)
    bus = Bus(log: log)
    loop = try EventLoop(signals: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP])
    monitor = try Monitor()
    try loop.add(monitor.descriptor, as: .monitor)
    try loop.add(statistics.descriptor, as: .statistics)
  }

  /// Runs until a signal or the panic chord says to stop.
  ///
  /// - Throws: `DeviceError` if no device can be taken, for lack of permission or of a kernel module;
  ///   `NoSuchDevice` if a device that was named is not there; `Errno` if the loop itself fails.
  public func run() throws -> End {
    Crash.endAtOnce()
    // A recording may end in a pipe that nobody reads any more.
    signal(SIGPIPE, SIG_IGN)
    // In the background of a terminal that lets nobody else write: the log is not worth a keyboard that stops.
    signal(SIGTTOU, SIG_IGN)
    try Clone.checkAccess()
    processBus(now: monotonicNow())
    try takeDevicesPresent()
    serviceManager.ready(summary)
    unusedMemory.appears(now: monotonicNow())
    do {
      while !(isStopping && slots.allSatisfy { $0 == nil }) {
        try turn()
      }
    } catch {
      letGo()
      statistics.finish()
      throw error
    }
    statistics.finish()
    return end
  }

  /// Waits for something to happen, and deals with it.
  private func turn() throws {
    loop.wake(at: min(serviceManager.deadline, unusedMemory.deadline))
    let count = try loop.wait(backlog.isEmpty && !busHasMore)
    // Taken before anything is read: what is read afterwards may be later than this, but all that
    // happened before it will have been read when deadlines are judged by it.
    let now = monotonicNow()
    // To fall asleep and to wake takes longer than this, by the monotonic clock, too: a fast mouse need not look each time.
    if now - 1000 >= sleepLookedAt { noticeSleep(now: now) }
    var timerWentOff = false
    var busHasNews = busHasMore
    for index in 0..<count {
      switch loop.token(at: index) {
      case .source(let slot, let generation):
        guard let pipeline = pipeline(slot, generation) else { continue }
        lastEvent = now
        readSource(of: pipeline, in: slot, now: now)
      case .clone(let slot, let generation):
        pipeline(slot, generation)?.readClone()
      case .monitor:
        for _ in 0..<Self.messagesPerTurn {
          guard let change = monitor.next() else { break }
          hear(change, now: now)
        }
      case .signal:
        while let signal = loop.nextSignal() { obey(signal, now: now) }
      case .timer:
        loop.timerWentOff()
        timerWentOff = true
      case .bus:
        busHasNews = true
      case .statistics:
        addEarlierCounts()
      case nil:
        break
      }
    }
    // Most of the time it is empty, and to find that out takes no hashing.
    if !backlog.isEmpty {
      for slot in backlog {
        if let pipeline = slots[slot] { readSource(of: pipeline, in: slot, now: now) }
      }
    }
    if timerWentOff {
      advanceAll(to: now)
      retry(now: now)
    }
    // Most of the time it is a key's deadline for which the timer went off.
    if busHasNews || timerWentOff && bus.deadline <= now {
      processBus(now: now)
    } else if timerWentOff {
      loop.wake(at: bus.deadline)
    }
    if isToReload {
      serviceManager.reloading(at: now)
      reload(now: now)
      serviceManager.ready(summary)
      unusedMemory.appears(now: now)
    }
    if statistics.isTimeToKeep(at: now) {
      keepAllCounts()
      unusedMemory.appearsNowAndThen(now: now)
    }
    if hasNews {
      hasNews = false
      if !isStopping { serviceManager.say(summary) }
      unusedMemory.appears(now: now)
    }
    if timerWentOff {
      serviceManager.giveSignOfLife(at: now)
      unusedMemory.giveBack(now: now, lastEvent: lastEvent)
    }
  }

  /// Deals with what the bus has, and with what clients ask for.
  private func processBus(now: Microseconds) {
    busHasMore = false
    for _ in 0..<Self.messagesPerTurn {
      busHasMore = bus.process(now: now)
      for request in bus.takeRequests() {
        serve(request, now: now)
        unusedMemory.appearsNowAndThen(now: now)
      }
      guard busHasMore else { break }
    }
    if let (descriptor, events) = bus.descriptor {
      loop.change(descriptor, as: .bus, for: UInt32(events))
    }
    loop.wake(at: bus.deadline)
  }

  private func obey(_ signal: EventLoop.Signal, now: Microseconds) {
    switch signal {
    case .reload: isToReload = true
    case .stop:
      if !isStopping { serviceManager.stopping() }
      stop(now: now)
    case .pause:
      pause(now: now)
    }
  }

  /// Stops, as the terminal asks (Ctrl-Z), with every device given back, and takes them again when it may go on.
  private func pause(now: Microseconds) {
    log.notice("stopped: nothing is debounced until it goes on")
    for (slot, pipeline) in pipelines {
      pipeline.setAside(now: now)
      settle(pipeline, in: slot)
    }
    kill(getpid(), SIGSTOP)
    log.notice("going on")
    for (slot, pipeline) in pipelines {
      pipeline.resume(now: monotonicNow())
      settle(pipeline, in: slot)
    }
  }

  /// Tells the pipelines if the machine has been asleep since the last turn.
  private func noticeSleep(now: Microseconds) {
    sleepLookedAt = now
    let asleep = EventDevices.timeAsleep()
    guard asleep - timeAsleep > 100_000 else { return }
    timeAsleep = asleep
    log.notice("the machine was asleep")
    for (slot, pipeline) in pipelines {
      pipeline.hasSlept(now: now)
      settle(pipeline, in: slot)
      // Its state is compared when all is read.
      if !pipeline.isClosed { backlog.insert(slot) }
    }
  }
}

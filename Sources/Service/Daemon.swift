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
  /// How the daemon is started.
  public struct Options: Sendable {
    public var selection: Selection
    /// Where the settings are read from, at the start and at each reload.
    public var configuration: ConfigurationPlaces
    /// Where counts are kept; `nil` to keep none.
    public var state: String?
    /// Where to record the raw and the clean frames. The first device taken is recorded there, others
    /// beside it.
    public var recording: String?

    public init(
      selection: Selection = .automatic, configuration: ConfigurationPlaces,
      state: String? = nil, recording: String? = nil
    ) {
      self.selection = selection
      self.configuration = configuration
      self.state = state
      self.recording = recording
    }
  }

  /// Why the daemon has ended.
  public enum End: Sendable {
    /// A signal asked for it.
    case signal
    /// The panic chord was held. The person who held it wants no daemon: it must not be restarted.
    case panic
  }

  /// How many messages of udev are dealt with before devices get their turn again.
  static let messagesPerTurn = 4

  let options: Options
  let log: Logger
  let started = Instant.now
  var configuration: LiveConfiguration
  let statistics: Statistics
  let bus: Bus
  private let lock: InstanceLock
  var serviceManager = ServiceManager()
  private var readiness = Readiness(at: .now)

  let loop: EventLoop
  let monitor: Monitor
  let devices: DeviceTable<Pipeline>
  /// `nil` where the kernel has no room for it: busy devices are tried again after pauses then, and clones are taken for
  /// opened after the longest time that this may take.
  let users = NodeUsers()

  /// When a device last had something to read, or a little earlier if that was motion.
  private var lastEvent = Instant.longAgo
  /// Whether clients ask for more than they were given time for.
  var busHasMore = false

  /// The devices that were logged as left alone, and why.
  var leftAlone: [DeviceNode.ID: String] = [:]

  /// Devices that could not be taken yet.
  var retries = Retries()
  /// How long the machine had been asleep, since it was switched on, when the loop last turned.
  private var timeAsleep = EventDevices.timeAsleep()
  /// When that was looked at last.
  private var sleepLookedAt = Instant.longAgo
  /// To fall asleep and to wake takes longer than this, by the monotonic clock, too: a fast mouse need not look each time.
  private static let shortestSleep: Microseconds = 1000
  /// A shorter sleep is as if there had been none: motion need not look more often.
  private static let sleepOfConsequence: Microseconds = 100_000

  var unusedMemory = UnusedMemory(now: .now)

  let delayedLines = DelayedLines()

  /// When what was counted is published.
  private var publication = PublicationClock()
  /// Whether the settings are to be read anew, and for whom.
  var reload = Reload()

  /// Which devices are paused.
  var pauses = Pauses<DeviceNode.ID>()

  var recordings = 0
  /// Whether a signal has asked the daemon to stop.
  var isAskedToStop = false

  /// Reads the settings and begins to listen for devices, clients and signals; takes no device yet.
  ///
  /// - Throws: `ConfigurationErrors` if the settings are broken; ``StartError/isRunning(_:)`` if another daemon runs.
  public init(_ options: Options, log: Logger) throws {
    self.options = options
    self.log = log
    configuration = try LiveConfiguration(readingFrom: options.configuration, log: log)
    lock = try InstanceLock(log: log)
    statistics = try Statistics(folder: options.state, log: log)
    bus = try Bus()
    loop = try EventLoop(signals: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP])
    monitor = try Monitor()
    devices = DeviceTable(loop: loop, statistics: statistics, log: log)
    try loop.add(monitor.descriptor, as: .monitor)
    try loop.add(statistics.descriptor, as: .statistics)
    try loop.add(bus.descriptor, as: .bus)
    if let users { try loop.add(users.descriptor, as: .users) }
  }

  /// Runs until a signal or the panic chord stops it.
  ///
  /// - Throws: `DeviceError` if no device can be taken, for lack of permission or of a kernel module;
  ///   `NoSuchDevice` if a device that was named is not there; `Errno` if the loop itself fails.
  public func run() throws -> End {
    Crash.endAtOnce()
    // A recording may be written to a pipe that has no reader any more.
    signal(SIGPIPE, SIG_IGN)
    // In the background, on a terminal that stops whoever writes: the log is not worth a keyboard that stops.
    signal(SIGTTOU, SIG_IGN)
    // What an earlier daemon left that was killed; and no clone is left when this one has ended.
    CloneMark.removeAll(below: InstanceLock.folder)
    defer { CloneMark.removeAll(below: InstanceLock.folder) }
    try Clone.checkAccess()
    bus.start(log: log)
    try takeDevicesPresent()
    loop.wake(at: readiness.deadline)
    setTimer()
    do {
      while !(isStopping && devices.isEmpty) { try turn() }
    } catch {
      letGo()
      delayedLines.write()
      statistics.finish()
      throw error
    }
    delayedLines.write()
    statistics.finish()
    serviceManager.closing(devices.countOfEnded)
    return devices.hasPanicked ? .panic : .signal
  }

  /// Whether every device is being given back, and the daemon ends then.
  var isStopping: Bool { isAskedToStop || devices.hasPanicked }

  /// Waits for something to happen, and deals with it: with devices first.
  private func turn() throws {
    let isDone = !devices.isBehind && !busHasMore
    var count = try loop.wait(isDone)
    if count == 1, isDone, !statistics.isReading, let id = loop.source(at: 0) {
      count = try devices.passMotion(of: id) { now in
        somethingWasSent(at: now)
        // No key depends on it: before the next one, it is looked at again.
        if now - sleepLookedAt >= Self.sleepOfConsequence { noticeSleep(now: now) }
        return !devices.isBehind
      }
    }
    // Taken before a device is read to its end: what is read afterwards may be later than this, but all that happened before it
    // will have been read when deadlines are judged by it.
    let now = Instant.now
    if now - sleepLookedAt >= Self.shortestSleep { noticeSleep(now: now) }
    // What was learned of a device comes before its frames, if it has come at all.
    if statistics.isReading { addEarlierCounts(now: now) }
    let countOfOthers = readSources(among: count, now: now)
    if devices.isBehind { devices.readBacklog(now: now) }
    // Most of the time devices have sent something, and that is all.
    guard countOfOthers > 0 || busHasMore || devices.haveErrands else { return }
    finishTurn(timerWentOff: countOfOthers > 0 && receiveOthers(among: count, now: now), now: now)
  }

  /// Does whatever a turn may bring besides events of devices.
  private func finishTurn(timerWentOff: Bool, now: Instant) {
    if timerWentOff {
      devices.advance(to: now)
      retry(now: now)
    }
    publishIfDue(now: now)
    if busHasMore { serveClients(now: now) }
    reloadIfAsked(now: now)
    for renewal in devices.takeRenewals() {
      tryToTake(renewal.node, inheriting: renewal.kept, now: now)
    }
    announceNews()
    if let borrowers = devices.loans.takeBorrowers() { bus.watch(borrowers) }
    watchNodes()
    reportNews(now: now)
    reportReadiness(now: now)
    if timerWentOff {
      serviceManager.giveSignOfLife(at: now)
      giveMemoryBackIfDue(now: now)
    }
    setTimer()
  }

  /// Reads the devices that have sent something.
  ///
  /// - Parameter count: How many things the loop has found.
  /// - Returns: How many of them are something else.
  private func readSources(among count: Int, now: Instant) -> Int {
    var countOfOthers = 0
    for index in 0..<count {
      guard let id = loop.source(at: index) else {
        countOfOthers += 1
        continue
      }
      somethingWasSent(at: now)
      devices.readSource(of: id, now: now)
    }
    return countOfOthers
  }

  /// Receives that a device has sent something.
  @inline(__always)
  private func somethingWasSent(at now: Instant) {
    lastEvent = now
    somethingHappened(at: now)
  }

  /// Receives that something has happened that the next publication is to show.
  @inline(__always)
  func somethingHappened(at now: Instant) {
    if publication.somethingHappened(at: now) { setTimer() }
  }

  /// Makes sure that the loop wakes for whatever is not a device's: to be called when any of these deadlines may be another.
  private func setTimer() {
    loop.wake(
      at: min(
        min(serviceManager.deadline, unusedMemory.deadline),
        min(publication.deadline, reload.deadline)))
  }

  /// Deals with what else the loop has found.
  ///
  /// - Returns: Whether the timer has gone off.
  private func receiveOthers(among count: Int, now: Instant) -> Bool {
    var timerWentOff = false
    for index in 0..<count {
      switch loop.token(at: index) {
      case .clone(let id):
        devices.readClone(of: id)
      case .monitor:
        for _ in 0..<Self.messagesPerTurn {
          guard let change = monitor.next() else { break }
          receive(change, now: now)
        }
      case .signal:
        while let signal = loop.nextSignal() { obey(signal, now: now) }
      case .timer:
        loop.timerWentOff()
        timerWentOff = true
      case .bus:
        bus.hasBeenWoken()
        busHasMore = true
      case .statistics:
        addEarlierCounts(now: now)
      case .users:
        users?.read { path, change in
          if let id = devices.first(where: { $0.path.writer.clone.path == path }) {
            devices.update(id) { $0.cloneUsed(change, now: now) }
          } else if change == .closed, let id = devices.first(where: { $0.node.path == path }) {
            devices.update(id) { $0.sourceClosedByOther(now: now) }
          }
        }
      case .source, nil:
        break
      }
    }
    return timerWentOff
  }
}

// MARK: - The parts of a turn

extension Daemon {
  /// Publishes what was counted, and stores it with what was learned: both at moments that no key decides. When a file
  /// was last written, and what systemd shows, others can see.
  private func publishIfDue(now: Instant) {
    guard publication.isDue(at: now) else { return }
    devices.updateAll { pipeline in
      guard pipeline.hasUnpublished else { return }
      if pipeline.publish() { somethingHappened(at: now) }
      pipeline.storeCounts(in: statistics)
    }
    delayedLines.write()
    reportToSystemd()
  }

  private func reportToSystemd() {
    if !isStopping, readiness.isReported { serviceManager.report(summary) }
  }

  /// Reports to systemd that every device present is held, or cannot be for now.
  private func reportReadiness(now: Instant) {
    guard !readiness.isReported else { return }
    if readiness.isReady(
      udevIsBusy: monitor.udevIsBusy, devicesAreSettled: devices.areSettled, at: now)
    {
      serviceManager.ready(summary)
    }
    loop.wake(at: readiness.deadline)
  }

  /// Reports to systemd what has become of the devices.
  private func reportNews(now: Instant) {
    guard devices.takeNews() else { return }
    sharePanicChords()
    somethingHappened(at: now)
    reportToSystemd()
    unusedMemory.appears(now: now)
  }

  private func giveMemoryBackIfDue(now: Instant) {
    guard unusedMemory.checkDue(now: now, lastEvent: lastEvent) else { return }
    devices.prepareRehearsal()
    unusedMemory.giveBack()
    devices.rehearse(now: now)
  }

  /// Lets go of every device because the daemon cannot go on.
  private func letGo() {
    let now = Instant.now
    devices.updateAll { $0.letGo(now: now) }
    // No loop keeps the clones any more until their readers have had the last releases.
    usleep(UInt32(Lifecycle.Pause.closing))
  }

  /// Passes on to the devices that the machine has been asleep since the last turn, if it has.
  private func noticeSleep(now: Instant) {
    sleepLookedAt = now
    guard timeAsleepAtMost(now.microseconds) - timeAsleep > Self.sleepOfConsequence else { return }
    let asleep = EventDevices.timeAsleep()
    guard asleep - timeAsleep > Self.sleepOfConsequence else { return }
    timeAsleep = asleep
    log.notice("the machine was asleep")
    devices.hasSlept(now: now)
  }
}

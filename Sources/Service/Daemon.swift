import CLinux
import Configuration
import Debounce
import Dispatch
import EventDevices
import Glibc
import Logging
import Status
import SystemPackage

/// The daemon: finds devices, takes each through a ``Pipeline``, and lets go of them in the end.
///
/// One thread, one loop. Whatever one device does, the others go on; and whatever clients ask for, devices come first.
public final class Daemon {
  public enum End: Sendable {
    case signal
    /// The panic chord was held. The person who held it wants no daemon: it must not be restarted.
    case panic
  }

  /// How many messages of udev are dealt with before devices get their turn again.
  private static let messagesPerTurn = 4
  /// How long counts may take to be stored after the panic chord. The last sign of life may be half of the
  /// watchdog's five seconds old.
  private static let storingAfterPanic = DispatchTimeInterval.milliseconds(1500)

  let selection: Selection
  private let recording: String?
  let log: Logger
  let started = Instant.now
  var configuration: LiveConfiguration
  let background: Background
  let control: ControlServer
  private let lock: InstanceLock
  var serviceManager = ServiceManager()
  private var readiness = Readiness(at: .now)

  let loop: EventLoop
  let monitor: Monitor
  let devices: DeviceTable
  /// `nil` where the kernel has no room for it. Busy devices are then tried again after pauses, and clones count as opened when
  /// the longest wait for it is over.
  let users = NodeUsers()

  /// Whether clients ask for more than they were given time for.
  var clientsHaveMore = false

  /// The devices that were logged as left alone, and why.
  private var leftAlone: [DeviceNode.ID: String] = [:]

  private var retries = Retries()
  /// How long the machine had been asleep, since it was switched on, when the loop last turned.
  private var timeAsleep = EventDevices.timeAsleep()
  private var sleepLookedAt = Instant.longAgo
  /// Pause between looks whether the machine was asleep. Falling asleep and waking take longer, also by the monotonic clock, so
  /// that a fast mouse need not look each time.
  private static let shortestSleep: Microseconds = 1000
  /// The shortest sleep that is noticed. While there is only motion, the pause between looks is as long.
  private static let sleepOfConsequence: Microseconds = 100_000

  let delayedLines = DelayedLines()

  private var publicationTimer = PublicationTimer()
  /// Whether the next reading of the settings is followed by a look at all devices, also if nothing in the files is new. Root wants
  /// that: something else may have been mended.
  var looksAtAllDevices = false

  var pauses = Pauses()
  var reloadCalls = PacedCalls(every: 1_000_000)
  var pauseCalls = PacedCalls(every: 100_000)

  private var recordings = 0

  /// Reads the settings and begins to listen for devices, clients and signals; takes no device yet.
  ///
  /// - Parameters:
  ///   - places: Where the settings are read from, at the start and at each reload.
  ///   - state: The folder in which counts are kept; `nil` to keep none.
  ///   - recording: Where to record the raw and the clean frames. The first device taken is recorded there, others
  ///     beside it.
  /// - Throws: `ConfigurationErrors` if the settings are broken; ``DaemonRunsAlready``.
  public init(
    selection: Selection, configuration places: ConfigurationPlaces, state: String?,
    recording: String?, log: Logger
  ) throws {
    (self.selection, self.recording, self.log) = (selection, recording, log)
    // One heap for all threads: the others allocate little.
    mallopt(M_ARENA_MAX, 1)
    // The room for a device's keys gets pages of its own: those that are never used take no memory.
    mallopt(M_MMAP_THRESHOLD, 64 * 1024)
    configuration = try LiveConfiguration(readingFrom: places, log: log)
    lock = try InstanceLock(log: log)
    // The unit makes this file when the watchdog has ended a daemon.
    if unlink(InstanceLock.folder + "/hung") == 0 {
      log.about(.watchdog).error("the daemon before this one gave no sign of life, and was ended")
    }
    // Before the threads of `Background`, which answer calls and do not see descriptors that are opened later.
    control = try ControlServer(in: InstanceLock.folder)
    background = try Background(folder: state, log: log)
    loop = try EventLoop(signals: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    monitor = try Monitor()
    devices = DeviceTable(loop: loop, background: background, log: log)
    try loop.add(monitor.descriptor, as: .monitor)
    try loop.add(background.descriptor, as: .background)
    try loop.add(control.requests.descriptor, as: .control)
    if let users { try loop.add(users.descriptor, as: .users) }
  }

  /// Runs until a signal or the panic chord stops it.
  ///
  /// - Throws: `DeviceError` if no device can be taken, for lack of permission or of a kernel module;
  ///   `NoSuchDevice` if a device that was named is not there; `Errno` if the loop itself fails.
  public func run() throws -> End {
    // A crash gives every keyboard back at once. The Swift runtime may be configured to print a backtrace, for seconds.
    for crash in [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV] { signal(crash, SIG_DFL) }
    // A recording may be written to a pipe that has no reader any more.
    signal(SIGPIPE, SIG_IGN)
    // A daemon that a terminal has stopped (Ctrl-Z, or its log in the background) would keep the keyboards.
    for stop in [SIGTSTP, SIGTTIN, SIGTTOU] { signal(stop, SIG_IGN) }
    // A daemon that was killed has left marks of its clones. This one leaves none.
    CloneMark.removeAll(below: InstanceLock.folder)
    defer { CloneMark.removeAll(below: InstanceLock.folder) }
    try Clone.checkAccess()
    // No other thread makes files yet. Making the socket changes the umask of the whole process for a moment.
    if lock.isHeld { control.start(log: log) }
    defer { control.end() }
    try takeDevicesPresent()
    setTimer()
    do {
      while !(isStopping && devices.isEmpty) { try turn() }
    } catch {
      devices.updateAll { $0.letGo(now: .now) }
      // The loop has ended, which keeps clones until their readers have had the last releases.
      usleep(UInt32(Lifecycle.Pause.closing))
      delayedLines.write()
      background.finish()
      throw error
    }
    delayedLines.write()
    // After the chord, a disk that hangs must not keep the daemon until the watchdog ends it, which would start it again.
    background.finish(by: devices.hasPanicked ? .now() + Self.storingAfterPanic : .distantFuture)
    serviceManager.closing(devices.countOfEnded)
    return devices.hasPanicked ? .panic : .signal
  }

  /// Whether every device is being given back, and the daemon ends then.
  var isStopping: Bool { devices.isEnding }

  /// Waits for something to happen, and deals with it: with devices first.
  private func turn() throws {
    let isDone = !devices.isBehind && !clientsHaveMore
    var count = try loop.wait(untilReady: isDone)
    if count == 1, isDone, !background.isReading, let id = loop.source(at: 0) {
      count = try devices.passMotion(of: id) { now in
        somethingHappened(at: now)
        // Motion does not depend on whether the machine was asleep, and the next key's turn looks again.
        if now - sleepLookedAt >= Self.sleepOfConsequence { noticeSleep(now: now) }
        return !devices.isBehind
      }
    }
    // The time is taken before a device is read to its end. What is read afterwards may be later, but all that happened before this
    // time will have been read when deadlines are judged by it.
    let now = Instant.now
    if now - sleepLookedAt >= Self.shortestSleep { noticeSleep(now: now) }
    // Stored habits that have been read are installed before the device's first frame.
    if background.isReading { takeFound(now: now) }
    let countOfOthers = readSources(among: count, now: now)
    if devices.isBehind { devices.readBacklog(now: now) }
    // Most of the time devices have sent something, and that is all.
    guard countOfOthers > 0 || clientsHaveMore || devices.havePendingWork else { return }
    finishTurn(timerWentOff: countOfOthers > 0 && receiveOthers(among: count, now: now), now: now)
  }

  /// Does whatever a turn may bring besides events of devices.
  private func finishTurn(timerWentOff: Bool, now: Instant) {
    if timerWentOff {
      devices.advance(to: now)
      for node in retries.takeDue(at: now) { tryToTake(node, now: now) }
    }
    publishIfDue(now: now)
    if clientsHaveMore { serveClients(now: now) }
    doPacedWork(now: now)
    for recreation in devices.takeRecreations() {
      tryToTake(recreation.node, carryingOver: recreation.kept, now: now)
    }
    reportNews(now: now)
    reportReadiness(now: now)
    if timerWentOff { serviceManager.giveSignOfLife(at: now) }
    setTimer()
  }

  /// Reads the devices among what the loop has found, and returns how many other things it has found.
  private func readSources(among count: Int, now: Instant) -> Int {
    var countOfOthers = 0
    for index in 0..<count {
      guard let id = loop.source(at: index) else {
        countOfOthers += 1
        continue
      }
      somethingHappened(at: now)
      devices.readSource(of: id, now: now)
    }
    return countOfOthers
  }

  @inline(__always)
  func somethingHappened(at now: Instant) {
    if publicationTimer.somethingHappened(at: now) { setTimer() }
  }

  /// Makes sure that the loop wakes for whatever is not a device's: to be called when one of these deadlines may have changed.
  func setTimer() {
    loop.wake(at: serviceManager.deadline)
    loop.wake(at: publicationTimer.deadline)
    loop.wake(at: reloadCalls.deadline)
    loop.wake(at: pauseCalls.deadline)
    loop.wake(at: retries.deadline)
    loop.wake(at: readiness.deadline)
  }

  /// - Returns: Whether the timer has gone off.
  private func receiveOthers(among count: Int, now: Instant) -> Bool {
    var timerWentOff = false
    for index in 0..<count {
      switch loop.token(at: index) {
      case .clone(let id):
        devices.update(id) { $0.path.readFeedback() }
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
      case .control:
        control.requests.hasBeenWoken()
        clientsHaveMore = true
      case .background:
        takeFound(now: now)
      case .users:
        users?.read { path, change in
          if let id = devices.first(where: { $0.path.writer.clone.path == path }) {
            devices.update(id) {
              switch change {
              case .opened: $0.lifecycle.cloneOpened(at: now)
              case .closed: $0.lifecycle.cloneClosed(at: now)
              }
            }
          } else if change == .closed, let id = devices.first(where: { $0.node.path == path }) {
            devices.update(id) { $0.lifecycle.sourceClosedByOther(at: now) }
          }
        }
      case .source:
        break
      }
    }
    return timerWentOff
  }
}

// MARK: - The parts of a turn

extension Daemon {
  /// Publishes what was counted, and stores it with what was learned: both at moments that no key decides. Others can see
  /// when a file was last written, and what systemd shows.
  private func publishIfDue(now: Instant) {
    guard publicationTimer.isDue(at: now) else { return }
    devices.updateAll { pipeline in
      guard pipeline.hasUnpublished else { return }
      if pipeline.publish(storingIn: background) { somethingHappened(at: now) }
    }
    delayedLines.write()
    reportToSystemd(now: now)
  }

  private func reportToSystemd(now: Instant) {
    if !isStopping, readiness.isReported { serviceManager.report(summary, at: now) }
  }

  /// Reports to systemd that every device present is held, or cannot be for now.
  private func reportReadiness(now: Instant) {
    let isReady = readiness.isReady(
      udevIsBusy: monitor.udevIsBusy, devicesAreSettled: devices.areSettled, at: now)
    guard isReady else { return }
    serviceManager.ready(summary)
    // To read settings and to make clones took memory that typing never needs.
    malloc_trim(0)
  }

  private func reportNews(now: Instant) {
    guard devices.hasNews else { return }
    devices.hasNews = false
    // The daemon waits for programs to open the clone of a device that starts, and to close a device that is busy.
    users?.watchAll(devices.first { $0.lifecycle.status == .starting } != nil)
    users?.watch(Set(devices.compactMap { $0.lifecycle.status == .busy ? $0.node.path : nil }))
    sharePanicChords()
    somethingHappened(at: now)
    reportToSystemd(now: now)
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

// MARK: - Signals

extension Daemon {
  private func obey(_ signal: EventLoop.Signal, now: Instant) {
    switch signal {
    case .reload:
      looksAtAllDevices = true
      reloadCalls.add(nil)
    case .stop:
      if !isStopping {
        serviceManager.stopping()
        log.notice("stopping")
      }
      devices.end()
      devices.updateAll { $0.leave(now: now) }
    }
  }
}

// MARK: - Devices that come and go

extension Daemon {
  private func takeDevicesPresent() throws {
    let nodes = try monitor.nodes()
    configuration.warn(of: nodes)
    if case .named(let paths) = selection {
      for path in paths where !nodes.contains(where: { $0.isNamed(by: path) }) {
        throw NoSuchDevice(path: path)
      }
    }
    var refused: (any Error)?
    for node in nodes {
      do {
        try take(node, now: .now)
      } catch let error as DeviceError {
        _ = retries.add(node, now: .now)
        // A device that is gone was unplugged just now, most likely. udev reports when it is back.
        if case .gone = error { continue }
        log.about(.failedDevice).error("\(error)")
        // Any other failure may be over in a moment, or be this device's alone.
        if case .permission = error { refused = error }
      }
    }
    guard devices.isEmpty else { return }
    // None of the devices may be opened. Waiting for more will not help.
    if let refused { throw refused }
    log.notice("no keyboard found; waiting for one to be plugged in")
  }

  /// Takes the node if it is one to take.
  ///
  /// - Parameter delay: How long ago udev applied its rules to a node that was plugged in just now. `nil` if programs may use it.
  private func take(
    _ node: DeviceNode, pluggedInAgo delay: Microseconds? = nil,
    carryingOver kept: KeptEvents = KeptEvents(), now: Instant
  ) throws {
    guard !isStopping, devices.first(where: { $0.holds(node.id) }) == nil else { return }
    let effective: EffectiveSettings
    switch selection.decide(on: node, by: configuration.settings) {
    case .take(let settings):
      effective = settings
      leftAlone[node.id] = nil
    case .leave(let reason):
      retries.forget(node.id)
      return reportLeftAlone(node, because: reason)
    }
    let delay = node.kinds.contains(.keyboard) ? delay : nil
    // Where udev is slow, the clone is ready only when frames may no longer be kept, and what was typed would be lost.
    let isKept = delay.map { $0 <= Lifecycle.Pause.announcement } ?? false
    // The source comes first, because other programs may be waiting for a new keyboard, too.
    let source = try Source(path: node.path, of: node, grab: isKept ? .atOnce : .later)
    if let delay, !isKept {
      log.about(.device).info(
        """
        \(node.title): announced \(delay / 1000) ms after udev had applied its rules; it is grabbed when its clone is ready
        """)
    }
    // The files are read while the clone is made, so that what was learned is there before the first frame.
    let storage = readEarlierCounts(of: node)
    // Programs may open the clone before the table has it.
    users?.watchAll(true)
    devices.hasNews = true
    var pipeline = try Pipeline.make(
      from: source, node, settings: effective, carriedOver: kept, recording: nextRecording,
      log: log, delayedLines, udevIsBusy: { [unowned self] in monitor.udevIsBusy }, now: now)
    pipeline.storage = storage
    pipeline.setPause(until: pauses.end(of: node.id, at: now))
    try devices.add(pipeline)
    recordings += 1
  }

  /// Receives that udev has processed a device's clone. A clone that is not on the device's seat is made anew: udev waits for its
  /// ``CloneMark``, but not for ever.
  private func cloneAnnounced(_ clone: DeviceNode, of pipeline: inout Pipeline, now: Instant) {
    guard let isInPlace = pipeline.cloneAnnounced(clone, now: now) else { return }
    let node = pipeline.node
    if isInPlace { return retries.forget(node.id) }
    if retries.add(node, now: now) {
      log.about(.failedDevice).notice(
        """
        \(node.title): not debounced: it belongs to \(node.seat), and udev has put its clone on \(clone.seat). \
        Trying again a few times; if that does not help, udev lacks the rules that come with keydebounce, or one of yours \
        says otherwise
        """)
    }
  }

  /// Takes the node if it is one to take; if it cannot be taken now, perhaps later.
  private func tryToTake(
    _ node: DeviceNode, pluggedInAgo delay: Microseconds? = nil,
    carryingOver kept: KeptEvents = KeptEvents(), now: Instant
  ) {
    do {
      try take(node, pluggedInAgo: delay, carryingOver: kept, now: now)
    } catch DeviceError.gone {
      // The device was plugged in and out again, faster than udev reports. The report of its removal is on its way.
      retries.forget(node.id)
    } catch {
      if retries.add(node, now: now) { log.about(.failedDevice).error("\(error)") }
    }
  }

  /// Logs why a device is left alone that one might expect to be taken. Each reason is logged once, because udev reports devices
  /// again and again.
  private func reportLeftAlone(_ node: DeviceNode, because reason: String) {
    guard selection.isExpected(toTake: node), leftAlone[node.id] != reason else { return }
    leftAlone[node.id] = reason
    log.about(.device).notice("\(node.title): left alone: \(reason)")
  }

  func receive(_ change: Monitor.Change, now: Instant) {
    switch change {
    case .present(let node, let delay):
      if let id = devices.first(where: { $0.path.writer.clone.isNode(node) }) {
        devices.update(id) { cloneAnnounced(node, of: &$0, now: now) }
        return
      }
      if let changed = devices.first(where: { $0.holds(node.id) && $0.node != node }) {
        // The device may have moved to another seat, or a rule may opt it out now.
        devices.update(changed) {
          $0.node = node
          judge(&$0, now: now)
        }
      }
      tryToTake(node, pluggedInAgo: delay, now: now)
    case .removed(let node):
      leftAlone[node] = nil
      retries.forget(node)
      pauses.forget(node)
      guard let id = devices.first(where: { $0.holds(node) }) else { return }
      devices.update(id) { $0.letGo(.unplugged, now: now) }
    case .overrun:
      log.notice("too many devices came and went at once to follow; looking at all of them again")
      lookAround(now: now)
    }
  }

  /// The nodes that are there; `nil` if that cannot be found out.
  func nodesIfKnown() -> [DeviceNode]? {
    do {
      return try monitor.nodes()
    } catch {
      log.error("\(error)")
      return nil
    }
  }

  /// Decides once more what is to be done with a device that is held: by the settings and by what udev knows by now.
  func judge(_ pipeline: inout Pipeline, now: Instant) {
    // Every device is on its way out when the daemon is.
    guard !pipeline.isClosed, !isStopping else { return }
    switch selection.decide(on: pipeline.node, by: configuration.settings) {
    case .take where pipeline.node.seat != pipeline.seat:
      pipeline.move(now: now)
    case .take(let settings):
      pipeline.adopt(settings, now: now)
      pipeline.lifecycle.stay()
    case .leave(let reason):
      guard !pipeline.lifecycle.isLeaving else { return }
      pipeline.log.notice("\(pipeline.title): given back: \(reason)")
      pipeline.leave(now: now)
    }
  }

  /// Has the nodes of each keyboard share their panic chords: its keys may be spread over them.
  private func sharePanicChords() {
    var keyboards: [DeviceIdentity: PanicKeyboard] = [:]
    devices.updateAll { pipeline in
      guard pipeline.lifecycle.forwards, let id = pipeline.node.identity.keyboard else { return }
      let keyboard = keyboards[id] ?? PanicKeyboard()
      keyboard.add(pipeline.node.keys)
      keyboards[id] = keyboard
    }
    devices.updateAll { pipeline in
      guard pipeline.lifecycle.forwards else { return }
      let shared = pipeline.node.identity.keyboard.flatMap { keyboards[$0] }
      let keyboard = shared ?? PanicKeyboard(with: pipeline.node.keys)
      pipeline.path.adopt(keyboard.join(pipeline.settings.panicChord))
    }
  }

  /// Compares what there is with what was known, after news was lost.
  private func lookAround(now: Instant) {
    guard let nodes = nodesIfKnown() else { return }
    let present = Set(nodes.map(\.id))
    for id in devices.compactMap({ $0.isClosed ? nil : $0.node.id }) where !present.contains(id) {
      receive(.removed(id), now: now)
    }
    for node in nodes { receive(.present(node), now: now) }
  }

  /// The file for the next device's recording: `FILE`, then `FILE.2`, `FILE.3` …
  private var nextRecording: String? {
    recording.map { recordings == 0 ? $0 : "\($0).\(recordings + 1)" }
  }
}

// MARK: - What other threads have found

extension Daemon {
  /// Asks for what was counted and learned when the device was last there.
  private func readEarlierCounts(of node: DeviceNode) -> CountsStorage {
    let device = CountedDevice(node.identity)
    // The second of two equal devices stores nothing, because the next time nobody could tell the two apart.
    let others = devices.first { !$0.isClosed && $0.storage.device == device }
    guard background.isKept, others == nil else { return .notKept }
    background.read(device)
    return .awaitingEarlier(device)
  }

  /// Adds stored counts that have been read to what was counted since, and has the devices go on from what was learned earlier.
  /// Adopts settings that have been read.
  func takeFound(now: Instant) {
    for found in background.takeFound() {
      switch found {
      case .settings(let new, let calls): adopt(new, for: calls, now: now)
      case .earlier(let device, let earlier):
        somethingHappened(at: now)
        guard let id = devices.first(where: { $0.storage == .awaitingEarlier(device) }) else {
          continue
        }
        devices.update(id) { pipeline in
          pipeline.addEarlier(earlier.counts, earlier.days)
          pipeline.storage = .kept(device)
        }
      }
    }
  }
}

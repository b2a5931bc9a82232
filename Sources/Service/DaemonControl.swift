import Bus
import Configuration
import Debounce
import EventDevices
import Glibc
import Logging
import Recording
import Status
import SystemPackage

/// What clients may ask of the daemon.
extension Daemon {
  /// Does what clients ask for, one thing in a turn: a client that floods must not keep keys waiting.
  func serveClients(now: Instant) {
    if let request = bus.requests.takeFirst() { serve(request.kind, request.call, now: now) }
    busHasMore = !bus.requests.isEmpty
  }

  private func serve(_ kind: BusRequest.Kind, _ call: BusCall, now: Instant) {
    switch kind {
    case .status(let level):
      bus.send(.status(status(for: level, now: now), level))
    case .history(let device, let isRoot):
      readHistory(of: device, call, isRoot: isRoot)
    case .reload:
      reload.add(call)
    case .handOver(let device, let seconds):
      handOver(device, for: min(seconds, Handovers.longest), call, now: now)
    case .reset(let device, let key):
      reset(device, key: key, call)
    case .watch(let device):
      watch(device, call, now: now)
    case .pause(let device, let seconds, let session):
      let end = seconds == 0 ? Instant.never : now + Microseconds(seconds) * 1_000_000
      changePauses(of: device, call, now: now) { $0.pause($1, until: end, session: session) }
    case .resume(let device):
      changePauses(of: device, call, now: now) { $0.resume($1) }
    case .sessionEnded(let session):
      pauses.sessionEnded(session)
      adoptPauses(now: now)
    case .giveBack(let device):
      takeBack(device, call, now: now)
    case .vanished:
      for id in devices.handovers.devices(of: call.sender) { takeBack(id, now: now) }
    }
  }

  /// How often something has changed that anybody may see at once.
  private var revision: UInt64 { devices.revision &+ UInt64(configuration.reloads) }

  /// Announces on the bus what has changed since the last time.
  func announceNews() {
    guard revision != announced else { return }
    announced = revision
    let present = devices.compactMap { pipeline in
      pipeline.lifecycle.status.map { _ in
        (node: pipeline.node.path, isPaused: pipeline.path.engine.isPaused)
      }
    }
    bus.send(
      .news(
        revision: revision,
        .init(
          devices: present.map(\.node).sorted { ($0.count, $0) < ($1.count, $1) },
          isPaused: !present.isEmpty && present.allSatisfy(\.isPaused))))
  }

  /// The device that a client names; `nil` if the call has been refused because the daemon does not hold it.
  private func device(named name: String, _ call: BusCall) -> DeviceID? {
    let id = devices.first { !$0.isClosed && $0.node.isNamed(by: name) }
    if id == nil {
      call.refuse(BusNames.Error.notHeld, "\(name.echoed) is not held by the daemon")
    }
    return id
  }

  /// Drops what was counted and learned of a device that is held, or of one of its keys.
  private func reset(_ device: String, key name: String, _ call: BusCall) {
    guard let id = self.device(named: device, call) else { return }
    var key: KeyCode?
    if !name.isEmpty {
      key = KeyNames.code(named: name) ?? KeyCode(name)
      let keys = devices.update(id) { $0.path.source.capabilities.codes[EventType.key] ?? [] }
      guard let key, keys?.contains(key) == true else {
        return call.refuse(BusNames.Error.noSuchKey, "\(device.echoed) has no such key")
      }
    }
    devices.countsWereReset()
    // Whoever has the answer is not to see it any more.
    announceNews()
    // Answered when it is done: so no more wait for the disk than calls may wait.
    devices.update(id) { $0.reset(key, in: statistics) { call.answer() } }
  }

  /// Has the device's days read for somebody who asks.
  private func readHistory(of device: String, _ call: BusCall, isRoot: Bool) {
    guard let id = self.device(named: device, call) else { return }
    let today = Day.today
    devices.update(id) { pipeline in
      var device: CountedDevice?
      if case .kept(let kept) = pipeline.storage { device = kept }
      let pending = pipeline.history.days.pending(
        KeyDays(isRoot ? pipeline.keys : pipeline.published.counts.keys), on: today)
      statistics.readDays(of: device, adding: pending, today: today) { call.answer(.text($0)) }
    }
  }
}

extension String {
  /// As much of it as an answer repeats of what a client has sent.
  fileprivate var echoed: String {
    count <= 200 ? self : "\(prefix(200))…"
  }
}

// MARK: - Reloading

/// The wish that the settings be read anew. At a signal they are at once; for clients, once a second at most.
struct Reload {
  /// Between the beginnings of two, for clients.
  private static let pause: Microseconds = 1_000_000

  var isOrdered = false
  private var begunAt = Instant.longAgo
  private var isReading = false
  /// The calls that wait for what is being read, and those that came later.
  private var (current, next): ([BusCall], [BusCall]) = ([], [])

  /// When ``begin(at:)`` must be called at the latest.
  var deadline: Instant {
    if isReading { return .never }
    return isOrdered ? .longAgo : next.isEmpty ? .never : begunAt + Self.pause
  }

  mutating func add(_ call: BusCall) {
    next.append(call)
  }

  /// Whether to begin now: once for each wish.
  mutating func begin(at now: Instant) -> Bool {
    guard deadline <= now else { return false }
    (isOrdered, isReading, begunAt) = (false, true, now)
    (current, next) = (next, [])
    return true
  }

  /// Receives that it is over.
  ///
  /// - Returns: Who waits for that.
  mutating func end() -> [BusCall] {
    isReading = false
    defer { current = [] }
    return current
  }
}

extension Daemon {
  /// Begins to read the settings anew if that was asked for.
  func reloadIfAsked(now: Instant) {
    guard reload.begin(at: now) else { return loop.wake(at: reload.deadline) }
    serviceManager.reloading(at: now)
    statistics.read(configuration.places)
  }

  /// Adopts settings that were read, and does what they say: takes devices, gives devices back, and adopts new rules for
  /// those that stay. A broken configuration changes nothing.
  func adopt(_ reading: LiveConfiguration.Reading, now: Instant) {
    if configuration.adopt(reading), !isStopping {
      let nodes = nodesIfKnown()
      for node in nodes ?? [] { renew(node) }
      devices.updateAll { judge(&$0, now: now) }
      sharePanicChords()
      if let nodes {
        configuration.warn(of: nodes)
        for node in nodes { receive(.present(node), now: now) }
      }
    }
    announceNews()
    for call in reload.end() { call.answer(.texts(configuration.problems)) }
    loop.wake(at: reload.deadline)
    serviceManager.ready(summary)
    unusedMemory.appears(now: now)
  }
}

// MARK: - Pausing

extension Daemon {
  /// Has a device pass as it is, or debounced again, or all and those that come meanwhile.
  ///
  /// - Parameter device: Its node or a link to it; empty for all.
  private func changePauses(
    of device: String, _ call: BusCall, now: Instant,
    _ change: (inout Pauses<DeviceNode.ID>, DeviceNode.ID?) -> Void
  ) {
    var node: DeviceNode.ID?
    if !device.isEmpty {
      guard let id = self.device(named: device, call) else { return }
      node = devices.update(id) { $0.node.id }
    }
    change(&pauses, node)
    adoptPauses(now: now)
    announceNews()
    call.answer()
  }

  /// Has each device do what is to be done with it now.
  private func adoptPauses(now: Instant) {
    devices.updateAll { pipeline in
      guard !pipeline.isClosed else { return }
      if let end = pauses.end(of: pipeline.node.id, at: now) {
        pipeline.pause(until: end)
      } else {
        pipeline.endPause()
      }
    }
  }
}

extension Pipeline {
  /// Passes everything on as it is: for each key from when it is idle.
  mutating func pause(until end: Instant) {
    guard !path.engine.isPaused || pauseEnd != end else { return }
    if !path.engine.isPaused { log.notice("\(title): paused: everything passes as it is") }
    pauseEnd = end
    path.setPaused(true)
    hasNews = true
  }

  /// Debounces again: each key from when it is idle.
  mutating func endPause() {
    guard path.engine.isPaused else { return }
    log.notice("\(title): debounced again after a pause")
    pauseEnd = .never
    path.setPaused(false)
    hasNews = true
  }

  /// The pause, as `status` shows it.
  ///
  /// - Parameter moment: When the status is of.
  func pause(at moment: Instant) -> DevicePause? {
    guard path.engine.isPaused else { return nil }
    guard pauseEnd < .never else { return DevicePause() }
    return DevicePause(remaining: Double(max(0, pauseEnd - moment)) / 1_000_000)
  }
}

// MARK: - Handovers

/// Which devices are handed over, and to whom.
struct Handovers {
  /// That a device is handed over, or about to be.
  private struct Handover {
    /// The client's name on the bus.
    let recipient: String
    /// The calls that are answered as soon as the recipient can read the device: it may ask again before that.
    var calls: [BusCall] = []
    var seconds: UInt32 = 0
  }

  /// How many seconds a device is handed over at most, unless the recipient asks again: one that hangs must not keep it.
  static let longest: UInt32 = 600

  private var handovers: [DeviceID: Handover] = [:]
  private var hasOtherRecipients = false

  var isEmpty: Bool { handovers.isEmpty }

  /// To whom something is handed over, if that may be others than when this was last called.
  mutating func takeRecipients() -> Set<String>? {
    guard hasOtherRecipients else { return nil }
    hasOtherRecipients = false
    return Set(handovers.values.map(\.recipient))
  }

  /// Notes that a device is to be handed over to the caller, before the device is ready for it, or for longer than before.
  ///
  /// - Returns: Whether it may be: not while somebody else has it.
  mutating func add(_ device: DeviceID, for seconds: UInt32, _ call: BusCall) -> Bool {
    hasOtherRecipients = true
    let handover = handovers[device] ?? Handover(recipient: call.sender)
    guard handover.recipient == call.sender else { return false }
    handovers[device] = handover
    handovers[device]?.calls.append(call)
    handovers[device]?.seconds = seconds
    return true
  }

  /// Ends the handover of a device. Whoever still waits for it is refused.
  mutating func end(_ device: DeviceID, because reason: String) {
    guard let handover = handovers.removeValue(forKey: device) else { return }
    hasOtherRecipients = true
    for call in handover.calls { call.refuse(BusNames.Error.busy, reason) }
  }

  func devices(of recipient: String) -> [DeviceID] {
    handovers.filter { $0.value.recipient == recipient }.map(\.key)
  }

  /// Receives the state of a device: answers a recipient for whom it is ready, and ends the handover if it is gone or has
  /// been taken back.
  mutating func update(_ device: DeviceID, _ state: Lifecycle.State) {
    guard let handover = handovers[device] else { return }
    switch state {
    case .handedOver:
      for call in handover.calls { call.answer(.number(handover.seconds)) }
      handovers[device]?.calls = []
    case .handingOver:
      break
    default:
      end(device, because: "the device has just gone")
    }
  }
}

extension Daemon {
  private func handOver(_ device: String, for seconds: UInt32, _ call: BusCall, now: Instant) {
    guard let id = self.device(named: device, call) else { return }
    guard devices.handovers.add(id, for: seconds, call) else {
      return call.refuse(
        BusNames.Error.handedOver, "\(device.echoed) is handed over to another program")
    }
    let limit = now + Microseconds(seconds) * 1_000_000
    devices.update(id) { pipeline in
      guard !pipeline.handOver(until: limit, now: now) else { return }
      devices.handovers.end(id, because: "\(device.echoed) is about to be given back")
    }
  }

  private func takeBack(_ device: String, _ call: BusCall, now: Instant) {
    let handedOver = devices.handovers.devices(of: call.sender)
    guard let id = devices.first(of: handedOver, where: { $0.node.isNamed(by: device) }) else {
      return call.refuse(
        BusNames.Error.notHeld, "\(device.echoed) is not handed over to the caller")
    }
    takeBack(id, now: now)
    call.answer()
  }

  private func takeBack(_ id: DeviceID, now: Instant) {
    devices.handovers.end(id, because: "it was returned before it was handed over")
    devices.update(id) { $0.lifecycle.takeBack(at: now) }
  }
}

// MARK: - Watching

extension Daemon {
  /// Gives root a pipe through which it reads what the device sends, what is decided of it, and what is passed on.
  private func watch(_ device: String, _ call: BusCall, now: Instant) {
    guard let id = self.device(named: device, call) else { return }
    do {
      let (pipe, reader) = try WatchPipe.make()
      let watching = devices.update(id) { $0.watch(pipe, now: now) }
      if case .watched = watching { return call.answer(.descriptor(reader)) }
      try? reader.close()
      switch watching {
      case .full:
        call.refuse(
          BusNames.Error.limitsExceeded,
          "\(device.echoed) is watched by \(Watchers.most) programs, and no more may")
      case .notHeld:
        call.refuse(BusNames.Error.handedOver, "\(device.echoed) is handed over to another program")
      case .watched, .leaving, nil:
        call.refuse(BusNames.Error.busy, "\(device.echoed) is about to be given back")
      }
    } catch {
      call.refuse(BusNames.Error.limitsExceeded, "no pipe can be made: \(error)")
    }
  }
}

extension Pipeline {
  /// What becomes of the wish to watch.
  enum Watching {
    case watched
    /// Too many watch it already.
    case full
    /// It is handed over, or about to be.
    case notHeld
    /// It is about to be given back.
    case leaving
  }

  fileprivate mutating func watch(_ pipe: WatchPipe, now: Instant) -> Watching {
    guard lifecycle.canBeWatched else {
      return lifecycle.isLeaving || lifecycle.isClosed ? .leaving : .notHeld
    }
    guard path.add(pipe, at: now) else { return .full }
    log.notice("\(title): root watches it: what is typed there can be read")
    return .watched
  }
}

/// Which devices are paused, and until when: also those that come or are taken anew meanwhile.
struct Pauses<ID: Hashable> {
  private struct Pause {
    let end: Instant
    /// The session with which it also ends.
    let session: String?
  }

  /// That of all devices that no one has resumed since; `nil` if there is none.
  private var all: Pause?
  /// Those of single devices; `nil` for one that was resumed while all are paused.
  private var single: [ID: Pause?] = [:]

  /// Pauses all, or one.
  mutating func pause(_ device: ID?, until end: Instant, session: String? = nil) {
    let pause = Pause(end: end, session: session)
    guard let device else {
      (all, single) = (pause, [:])
      return
    }
    single.updateValue(pause, forKey: device)
  }

  /// Receives that a session has ended, and with it what was paused from there.
  mutating func sessionEnded(_ session: String) {
    if all?.session == session { all = nil }
    single = single.filter { _, pause in
      if let pause { pause.session != session } else { all != nil }
    }
  }

  /// Resumes all, or one.
  mutating func resume(_ device: ID?) {
    guard let device else {
      (all, single) = (nil, [:])
      return
    }
    if all == nil {
      single[device] = nil
    } else {
      single.updateValue(nil, forKey: device)
    }
  }

  /// Receives that a device is gone: what comes under its number is another one.
  mutating func forget(_ device: ID) { single[device] = nil }

  /// Until when a device is paused; `nil` if it is not.
  func end(of device: ID, at now: Instant) -> Instant? {
    let pause = single[device] ?? all
    return pause.flatMap { $0.end > now ? $0.end : nil }
  }
}

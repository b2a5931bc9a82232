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
      guard let id = self.device(named: device, call) else { return }
      pacedCalls.add(call, for: .history(id, isRoot: isRoot))
    case .reload:
      pacedCalls.add(call, for: .reload)
    case .handOver(let device, let seconds):
      handOver(device, for: min(seconds, Handover.longest), call, now: now)
    case .reset(let device, let key):
      reset(device, key: key, call)
    case .watch(let device):
      watch(device, call, now: now)
    case .pause(let device, let seconds, let session):
      let end = seconds == 0 ? Instant.never : now + Microseconds(seconds) * 1_000_000
      changePause(of: device, until: end, session, call, now: now)
    case .resume(let device):
      changePause(of: device, until: .longAgo, nil, call, now: now)
    case .sessionEnded(let session):
      pauses.sessionEnded(session)
      adoptPauses(now: now)
    case .giveBack(let device):
      takeBack(device, call, now: now)
    case .vanished:
      devices.updateAll { if $0.handover?.recipient == call.sender { $0.takeBack(now: now) } }
      reportRecipients()
    }
  }

  /// How often something has changed that anybody may see at once.
  private var revision: UInt64 { devices.revision &+ UInt64(configuration.reloads) }

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
    devices.update(id) { $0.reset(key, in: background) { call.answer() } }
  }

  /// Has the device's days read once for all who ask.
  private func readHistory(of id: DeviceID, _ calls: [BusCall], isRoot: Bool) {
    let today = Day.today
    let isPresent: Void? = devices.update(id) { pipeline in
      let pending = pipeline.history.days.pending(
        KeyDays(isRoot ? pipeline.keys : pipeline.published.counts.keys), on: today)
      let storage = pipeline.storage
      background.add { store in
        var days = StoredDays()
        if case .kept(let device) = storage { days = store.days(of: device).contents ?? days }
        // The oldest first: by the newest before it, a day is one to come.
        for (day, counts) in pending.sorted(by: { $0.key < $1.key }) {
          days.add(counts, on: day, today: today)
        }
        days.beginning = nil
        let text = days.text
        for call in calls { call.answer(.text(text)) }
      }
    }
    guard isPresent == nil else { return }
    for call in calls { call.refuse(BusNames.Error.notHeld, "the device has just gone") }
  }
}

extension String {
  /// As much of it as an answer repeats of what a client has sent.
  fileprivate var echoed: String {
    count <= 200 ? self : "\(prefix(200))…"
  }
}

// MARK: - What is done for many at once

/// Calls for which the same is done once, and no more often than once in a while: whoever floods the daemon does not flood
/// the log, the disk, and those who listen to the bus.
struct PacedCalls<Work: Hashable, Call> {
  private struct Turn {
    let pause: Microseconds
    var lastDone = Instant.longAgo
    var calls: [Call] = []

    var due: Instant { calls.isEmpty ? .never : lastDone + pause }
  }

  private var turns: [Work: Turn] = [:] {
    didSet { deadline = turns.values.lazy.map(\.due).min() ?? .never }
  }

  /// When ``takeDue(at:)`` must be called at the latest. Looked at whenever the timer has gone off: not worked out then.
  private(set) var deadline = Instant.never

  /// - Parameter pause: Between two times that the work is done.
  mutating func add(_ call: Call, for work: Work, every pause: Microseconds = 1_000_000) {
    turns[work, default: Turn(pause: pause)].calls.append(call)
  }

  mutating func takeDue(at now: Instant) -> [Work: [Call]] {
    guard deadline <= now else { return [:] }
    let due = turns.filter { $0.value.due <= now }
    // What has rested is as good as new.
    turns = turns.filter { !$0.value.calls.isEmpty || $0.value.lastDone + $0.value.pause > now }
    for (work, turn) in due { turns[work] = Turn(pause: turn.pause, lastDone: now) }
    return due.mapValues(\.calls)
  }
}

/// What is done once for all who have asked for it meanwhile.
enum PacedWork: Hashable {
  case reload
  case pauses
  case history(DeviceID, isRoot: Bool)
}

extension Daemon {
  func doPacedWork(now: Instant) {
    for (work, calls) in pacedCalls.takeDue(at: now) {
      switch work {
      case .reload:
        reload(for: calls, now: now)
      case .pauses:
        adoptPauses(now: now)
        announceNews()
        for call in calls { call.answer() }
      case .history(let id, let isRoot):
        readHistory(of: id, calls, isRoot: isRoot)
      }
    }
  }

  /// Reads the settings anew. What is asked for while they are being read is done afterwards, once.
  func reload(for calls: [BusCall] = [], now: Instant) {
    guard !isReloading else {
      nextReload = (nextReload ?? []) + calls
      return
    }
    isReloading = true
    serviceManager.reloading(at: now)
    background.read(configuration.places, for: calls)
  }

  /// Adopts settings that were read, and does what they say: takes devices, gives devices back, and adopts new rules for
  /// those that stay. A broken configuration changes nothing.
  func adopt(_ reading: LiveConfiguration.Reading, for calls: [BusCall], now: Instant) {
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
    for call in calls { call.answer(.texts(configuration.problems)) }
    serviceManager.ready(summary)
    unusedMemory.appears(now: now)
    isReloading = false
    if let calls = nextReload {
      nextReload = nil
      reload(for: calls, now: now)
    }
    setTimer()
  }
}

// MARK: - Pausing

extension Daemon {
  /// Has a device pass as it is until then, or debounced again, or all and those that come meanwhile.
  ///
  /// - Parameter device: Its node or a link to it; empty for all.
  private func changePause(
    of device: String, until end: Instant, _ session: String?, _ call: BusCall, now: Instant
  ) {
    var node: DeviceNode.ID?
    if !device.isEmpty {
      guard let id = self.device(named: device, call) else { return }
      node = devices.update(id) { $0.node.id }
    }
    pauses.pause(node, until: end, session: session)
    pacedCalls.add(call, for: .pauses, every: 100_000)
  }

  private func adoptPauses(now: Instant) {
    devices.updateAll { pipeline in
      if !pipeline.isClosed { pipeline.setPause(until: pauses.end(of: pipeline.node.id, at: now)) }
    }
  }
}

extension Pipeline {
  /// Passes everything on as it is until then, or debounces again: for each key from when it is idle.
  mutating func setPause(until end: Instant?) {
    guard end != pausedUntil else { return }
    if (end == nil) == path.engine.isPaused {
      log.notice(
        "\(title): \(end == nil ? "debounced again after a pause" : "paused: everything passes as it is")"
      )
      path.setPaused(end != nil)
    }
    pauseEnd = end ?? .never
    hasNews = true
  }

  /// The pause, as `status` shows it.
  ///
  /// - Parameter moment: When the status is of.
  func pause(at moment: Instant) -> DevicePause? {
    guard let end = pausedUntil else { return nil }
    guard end < .never else { return DevicePause() }
    return DevicePause(remaining: Double(max(0, end - moment)) / 1_000_000)
  }
}

/// Which devices are paused, and until when: also those that come or are taken anew meanwhile.
struct Pauses<ID: Hashable> {
  private struct Pause {
    let end: Instant
    /// The session with which it also ends.
    let session: String?
  }

  /// That of all devices; `nil` if there is none.
  private var all: Pause?
  /// Those of single devices, which hold in its place.
  private var single: [ID: Pause] = [:]

  /// Pauses all, or one; resumes it if the end has been before.
  mutating func pause(_ device: ID?, until end: Instant, session: String? = nil) {
    let pause = Pause(end: end, session: session)
    if let device { single[device] = pause } else { (all, single) = (pause, [:]) }
  }

  /// Receives that a session has ended, and with it what was paused from there.
  mutating func sessionEnded(_ session: String) {
    if all?.session == session { all = nil }
    single = single.filter { $0.value.session != session }
  }

  /// Receives that a device is gone: what comes under its number is another one.
  mutating func forget(_ device: ID) { single[device] = nil }

  /// Until when a device is paused; `nil` if it is not.
  func end(of device: ID, at now: Instant) -> Instant? {
    let pause = single[device] ?? all
    return pause.flatMap { $0.end > now ? $0.end : nil }
  }
}

// MARK: - Handovers

/// That a device is handed over, or about to be.
struct Handover {
  /// For how many seconds at most, unless the recipient asks again: one that hangs must not keep it.
  static let longest: UInt32 = 600

  let recipient: String
  /// The calls that are answered as soon as the recipient can read the device: it may ask again before that.
  var calls: [BusCall] = []
  var seconds: UInt32 = 0
}

extension Daemon {
  private func handOver(_ device: String, for seconds: UInt32, _ call: BusCall, now: Instant) {
    if let id = self.device(named: device, call) {
      devices.update(id) { $0.handOver(for: seconds, call, device.echoed, now: now) }
    }
    // Of a caller that gets nothing, too.
    reportRecipients()
  }

  private func takeBack(_ device: String, _ call: BusCall, now: Instant) {
    let id = devices.first {
      $0.handover?.recipient == call.sender && $0.node.isNamed(by: device)
    }
    guard let id else {
      return call.refuse(
        BusNames.Error.notHeld, "\(device.echoed) is not handed over to the caller")
    }
    devices.update(id) { $0.takeBack(now: now) }
    reportRecipients()
    call.answer()
  }

  func reportRecipients() {
    bus.send(.recipients(Set(devices.compactMap { $0.handover?.recipient })))
  }
}

extension Pipeline {
  /// Hands the device over to a program that reads it itself (`monitor`, `record` or `calibrate`), as soon as no key is
  /// down. If that was done before, the limit is moved.
  fileprivate mutating func handOver(
    for seconds: UInt32, _ call: BusCall, _ device: String, now: Instant
  ) {
    var handover = handover ?? Handover(recipient: call.sender)
    guard handover.recipient == call.sender else {
      return call.refuse(BusNames.Error.handedOver, "\(device) is handed over to another program")
    }
    let limit = now + Microseconds(seconds) * 1_000_000
    guard let actions = lifecycle.handOver(until: limit, at: now) else {
      return call.refuse(BusNames.Error.busy, "\(device) is about to be given back")
    }
    handover.calls.append(call)
    handover.seconds = seconds
    self.handover = handover
    carryOut(actions, now: now)
    reportKeysIfAwaited(now: now)
  }

  fileprivate mutating func takeBack(now: Instant) {
    endHandover(because: "it was returned before it was handed over")
    lifecycle.takeBack(at: now)
  }

  /// Answers a recipient for whom the device is ready, and ends the handover if it is gone or has been taken back.
  mutating func settleHandover() {
    guard let handover else { return }
    switch lifecycle.state {
    case .handedOver:
      for call in handover.calls { call.answer(.number(handover.seconds)) }
      self.handover?.calls = []
    case .handingOver: break
    default: endHandover(because: "the device has just gone")
    }
  }

  /// Whoever still waits for the device is refused.
  private mutating func endHandover(because reason: String) {
    for call in handover?.calls ?? [] { call.refuse(BusNames.Error.busy, reason) }
    handover = nil
  }
}

// MARK: - Watching

extension Daemon {
  /// Gives root a pipe through which it reads what the device sends, what is decided of it, and what is passed on.
  private func watch(_ device: String, _ call: BusCall, now: Instant) {
    guard let id = self.device(named: device, call) else { return }
    do {
      let (pipe, reader) = try WatchPipe.make()
      let refusal = devices.update(id) { $0.watch(pipe, device.echoed, now: now) } ?? nil
      if refusal != nil { try? reader.close() }
      call.answer(refusal ?? .descriptor(reader))
    } catch {
      call.refuse(BusNames.Error.limitsExceeded, "no pipe can be made: \(error)")
    }
  }
}

extension Pipeline {
  /// - Returns: Why it cannot be watched; `nil` if it is.
  fileprivate mutating func watch(
    _ pipe: WatchPipe, _ device: String, now: Instant
  ) -> BusServer.Answer? {
    guard lifecycle.canBeWatched else {
      return lifecycle.isLeaving || lifecycle.isClosed
        ? .refused(BusNames.Error.busy, "\(device) is about to be given back")
        : .refused(BusNames.Error.handedOver, "\(device) is handed over to another program")
    }
    guard path.add(pipe, at: now) else {
      return .refused(
        BusNames.Error.limitsExceeded,
        "\(device) is watched by \(Listeners.mostWatchers) programs, and no more may")
    }
    log.notice("\(title): root watches it: what is typed there can be read")
    return nil
  }
}

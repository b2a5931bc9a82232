import Configuration
import Control
import Debounce
import DeviceSelection
import Devices
import EventDevices
import Logging
import Status

/// What clients may ask of the daemon.
extension Daemon {
  func processBusIfDue(timerWentOff: Bool, now: Instant) {
    // Most of the time it is a key's deadline for which the timer went off.
    if busHasMore || timerWentOff && bus.deadline <= now {
      processBus(now: now)
    } else if timerWentOff {
      loop.wake(at: bus.deadline)
    }
  }

  /// Deals with what the bus has, and with what clients ask for.
  func processBus(now: Instant) {
    busHasMore = false
    for _ in 0..<Self.messagesPerTurn {
      busHasMore = bus.process(now: now)
      for request in bus.takeRequests() {
        serve(request, now: now)
      }
      guard busHasMore else { break }
    }
    listenToBus()
    loop.wake(at: bus.deadline)
  }

  /// Listens to the bus for what it waits for now: to connect, for messages, or for room for those that it has not sent yet.
  func listenToBus() {
    if let (descriptor, events) = bus.takeInterest() {
      loop.change(descriptor, as: .bus, for: UInt32(events))
    }
  }

  private func serve(_ request: BusRequest, now: Instant) {
    switch request {
    case .status(let call):
      if call.wantsAnswer { answers.add(call, from: .everyone) }
    case .statistics(let call, let isRoot):
      if call.wantsAnswer { answers.add(call, from: isRoot ? .root : .group) }
    case .history(let call, let device, let isRoot):
      if call.wantsAnswer { readHistory(of: device, call, isRoot: isRoot) }
    case .reload(let call):
      isToReload = true
      reloadCalls.append(call)
    case .borrow(let call, let device, let seconds):
      lend(device, for: min(seconds, Loans.longest), call, now: now)
    case .reset(let call, let device, let key):
      reset(device, key: key, call)
    case .watch(let call, let device, let caller):
      watch(device, call, caller, now: now)
    case .pause(let call, let device, let seconds, let caller):
      pause(device, for: seconds, call, caller, now: now)
    case .resume(let call, let device, let caller):
      resume(device, call, caller)
    case .giveBack(let call, let device):
      takeBack(device, call, now: now)
    case .vanished(let client):
      for id in devices.loans.devices(of: client) { takeBack(id, now: now) }
    case .lost:
      for id in devices.loans.devices(of: nil) { takeBack(id, now: now) }
    }
  }

  /// Answers those who ask for a status, after devices have had their turn.
  func answerStatusCalls(now: Instant) {
    guard answers.deadline != .never else { return }
    for audience in Audience.allCases {
      // For others than root, nothing that a key decides: not even when the answer is made tells of keys then.
      let version =
        switch audience {
        case .everyone, .group:
          StatusAnswers.Version(
            moment: PublicationClock.lastMoment(at: now), changes: revision)
        case .root:
          StatusAnswers.Version(
            moment: Instant(now.microseconds / 1_000_000),
            changes: devices.changes &+ UInt64(configuration.reloads))
        }
      answers.answer(audience, at: now, version: version) {
        let status = try? StatusJSON.encode(status(for: audience, now: now))
        return status.map { String(decoding: $0, as: UTF8.self) }
      }
    }
  }

  /// How often something has changed that anybody may see at once.
  var revision: UInt64 { devices.revision &+ UInt64(configuration.reloads) }

  /// Drops what was counted and learned of a device that is held, or of one of its keys.
  private func reset(_ device: String, key name: String, _ call: BusCall) {
    guard let id = devices.first(where: { !$0.isClosed && $0.node.isNamed(by: device) }) else {
      return call.refuse(BusNames.Error.notHeld, "\(device) is not held by the daemon")
    }
    var key: KeyCode?
    if !name.isEmpty {
      key = KeyNames.code(named: name) ?? KeyCode(name)
      let keys = devices.update(id) { $0.path.source.capabilities.codes[EventType.key] ?? [] }
      guard let key, keys?.contains(key) == true else {
        return call.refuse(BusNames.Error.noSuchKey, "\(device) has no such key")
      }
    }
    devices.update(id) { $0.reset(key, in: statistics) }
    devices.countsWereReset()
    call.answer()
  }

  /// Reloads the configuration, and does what it says: takes devices, gives devices back, and adopts new rules for
  /// those that stay. A broken configuration changes nothing.
  func reload(now: Instant) {
    isToReload = false
    let isNew = configuration.reload()
    for call in reloadCalls { call.answer(configuration.problems) }
    reloadCalls = []
    guard isNew, !isStopping else { return }
    let nodes = nodesIfKnown()
    for node in nodes ?? [] { renew(node) }
    devices.updateAll { pipeline in
      judge(&pipeline, now: now)
    }
    sharePanicChords()
    guard let nodes else { return }
    configuration.warn(of: nodes)
    for node in nodes { receive(.present(node), now: now) }
  }
}

// MARK: - Loans

extension Daemon {
  private func lend(_ device: String, for seconds: UInt32, _ call: BusCall, now: Instant) {
    guard let id = devices.first(where: { !$0.isClosed && $0.node.isNamed(by: device) }) else {
      return call.refuse(BusNames.Error.notHeld, "\(device) is not held by the daemon")
    }
    let borrower = devices.loans.borrower(of: id)
    guard borrower == nil || borrower == call.sender else {
      return call.refuse(BusNames.Error.lent, "\(device) is lent to another program")
    }
    if borrower == nil {
      guard let watch = bus.watch(call.sender) else {
        return call.refuse(BusNames.Error.busy, "the caller cannot be watched")
      }
      devices.loans.add(id, for: seconds, call, watch)
    } else {
      devices.loans.extend(id, to: seconds, call)
    }
    let limit = now + Microseconds(seconds) * 1_000_000
    devices.update(id) { pipeline in
      guard !pipeline.lend(until: limit, now: now) else { return }
      devices.loans.end(id, because: "\(device) is about to be given back")
    }
  }

  private func takeBack(_ device: String, _ call: BusCall, now: Instant) {
    let lent = devices.loans.devices(of: call.sender)
    guard let id = devices.first(of: lent, where: { $0.node.isNamed(by: device) }) else {
      return call.refuse(BusNames.Error.notHeld, "\(device) is not lent to the caller")
    }
    takeBack(id, now: now)
    call.answer()
  }

  private func takeBack(_ id: DeviceID, now: Instant) {
    devices.loans.end(id, because: "it was returned before it was lent")
    devices.update(id) { $0.takeBack(now: now) }
  }
}

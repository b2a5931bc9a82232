import Configuration
import Control
import Debounce
import EventDevices
import Glibc
import Logging
import Status
import SystemPackage

/// The calls of clients.
extension Daemon {
  /// Does what clients ask for, one thing in a turn: a client that floods must not keep keys waiting.
  func serveClients(now: Instant) {
    if let request = control.requests.takeFirst() { serve(request.kind, request.call, now: now) }
    clientsHaveMore = !control.requests.isEmpty
  }

  private func serve(_ kind: ControlRequest, _ call: ControlledCall, now: Instant) {
    switch kind {
    case .devices(let isRoot):
      call.answer(.devices(controlledDevices(isRoot: isRoot, now: now)))
    case .status:
      call.answer(.status(status(now: now)))
    case .history(let device):
      readHistory(of: device, call)
    case .reload(let forOthers):
      if !forOthers { looksAtAllDevices = true }
      reloadCalls.add(call)
    case .reset(let device, let key):
      reset(device, key: key, call)
    case .pause(let device, let seconds):
      let end = seconds.map { now + Microseconds($0) * 1_000_000 } ?? .never
      changePause(of: device, until: end, call)
    case .resume(let device):
      changePause(of: device, until: .longAgo, call)
    case .watch(let device, let socket):
      watch(device, at: socket, call, now: now)
    }
  }

  /// The device that a client names; `nil` if the call has been refused because the daemon does not hold it.
  private func device(named name: String, _ call: ControlledCall) -> DeviceID? {
    let id = devices.first { !$0.isClosed && $0.node.isNamed(by: name) }
    if id == nil { call.refuse(.notHeld, "\(name) is not held by the daemon") }
    return id
  }

  /// Pauses a device until `end`, or resumes it if that is over; or all devices, and those that come meanwhile.
  ///
  /// - Parameter device: Its node or a link to it; `nil` for all.
  private func changePause(of device: String?, until end: Instant, _ call: ControlledCall) {
    var node: DeviceNode.ID?
    if let device {
      guard let id = self.device(named: device, call) else { return }
      node = devices.update(id) { $0.node.id }
    }
    pauses.pause(node, until: end)
    pauseCalls.add(call)
  }

  /// Drops what was counted and learned of a device that is held, or of one of its keys.
  private func reset(_ device: String, key name: String?, _ call: ControlledCall) {
    guard let id = self.device(named: device, call) else { return }
    var key: KeyCode?
    if let name {
      key = KeyNames.code(named: name) ?? KeyCode(name)
      let keys = devices.update(id) { $0.path.source.capabilities.keys }
      guard let key, keys?.contains(key) == true else {
        return call.refuse(.noSuchKey, "\(device) has no key \(name)")
      }
    }
    devices.update(id) { $0.reset(key, in: background, for: call) }
  }

  /// Has the device's days read, which root alone may ask for.
  private func readHistory(of device: String, _ call: ControlledCall) {
    guard let id = self.device(named: device, call) else { return }
    let today = Day.today
    devices.update(id) { pipeline in
      let pending = pipeline.history.days.pending(KeyDays(pipeline.keys), on: today)
      let storage = pipeline.storage
      background.add { store in
        var days = StoredDays()
        if case .kept(let device) = storage { days = store.days(of: device).contents ?? days }
        // The oldest day is added first: after a newer one, it would count as a day to come.
        for (day, counts) in pending.sorted(by: { $0.key < $1.key }) {
          days.add(counts, on: day, today: today)
        }
        days.beginning = nil
        call.answer(.days(days.text))
      }
    }
  }

  /// Has the client's connection carry what the device sends, what is decided of it, and what is passed on.
  private func watch(
    _ device: String, at socket: FileDescriptor, _ call: ControlledCall, now: Instant
  ) {
    guard let id = self.device(named: device, call) else { return }
    devices.update(id) { pipeline in
      guard !pipeline.lifecycle.isLeaving else {
        return call.refuse(.busy, "\(device) is about to be given back")
      }
      guard pipeline.path.addWatcher(at: socket, now: now) else {
        return call.refuse(
          .tooMany, "\(device) is watched by \(Listeners.mostWatchers) programs, and no more may")
      }
      pipeline.log.notice("\(pipeline.title): root watches it: what is typed there can be read")
      call.answer(.watching)
    }
  }
}

// MARK: - What is done for many at once

extension Daemon {
  func doPacedWork(now: Instant) {
    // Settings that are being read are read once more afterwards.
    if let calls = reloadCalls.takeDue(at: now) {
      serviceManager.reloading(at: now)
      background.read(configuration.places, for: calls)
    }
    guard let calls = pauseCalls.takeDue(at: now) else { return }
    devices.updateAll { pipeline in
      guard !pipeline.isClosed else { return }
      pipeline.setPause(until: pauses.end(of: pipeline.node.id, at: now))
    }
    for call in calls { call.answer() }
  }

  /// Adopts settings that were read, and does what they say: takes devices, gives devices back, and adopts new rules for
  /// those that stay. A broken configuration changes nothing.
  func adopt(_ new: LiveConfiguration.NewSettings, for calls: [ControlledCall], now: Instant) {
    let earlier = configuration.loaded
    if configuration.adopt(new), !isStopping,
      looksAtAllDevices || configuration.settings != earlier.settings
        || configuration.loaded.warnings != earlier.warnings
    {
      // udev reads some files for each node, and devices that failed are tried once more: keys wait for milliseconds. Members
      // may call each second, but only root can change the files.
      devices.updateAll { judge(&$0, now: now) }
      if let nodes = nodesIfKnown() {
        looksAtAllDevices = false
        configuration.warn(of: nodes)
        for node in nodes { receive(.present(node), now: now) }
      }
    }
    for call in calls { call.answer(.problems(configuration.problems)) }
    serviceManager.reloaded(summary)
    setTimer()
  }
}

/// Calls for which the same is done once, and no more often than once in a while: whoever floods the daemon floods
/// neither the log nor the disk.
struct PacedCalls {
  private let pause: Microseconds
  private var lastDone = Instant.longAgo
  private var isDue = false
  private var calls: [ControlledCall] = []

  /// - Parameter pause: The time between two times that the work is done.
  init(every pause: Microseconds) { self.pause = pause }

  /// When ``takeDue(at:)`` must be called at the latest.
  var deadline: Instant { isDue ? lastDone + pause : .never }

  /// - Parameter call: `nil` for a signal, which nobody answers.
  mutating func add(_ call: ControlledCall?) {
    isDue = true
    if let call { calls.append(call) }
  }

  /// The calls for which the work is to be done now; `nil` if there is none, or it is too early.
  mutating func takeDue(at now: Instant) -> [ControlledCall]? {
    guard deadline <= now else { return nil }
    defer { (lastDone, isDue, calls) = (now, false, []) }
    return calls
  }
}

import Configuration
import Control
import Debounce
import DeviceSelection
import EventDevices
import Logging
import Status

/// What clients may ask of the daemon.
extension Daemon {
  func serve(_ request: BusRequest, now: Instant) {
    switch request {
    case .status(let call):
      answer(call, withKeys: false, now: now)
    case .statistics(let call):
      answer(call, withKeys: true, now: now)
    case .reload(let call):
      isToReload = true
      reloadCalls.append(call)
    case .borrow(let call, let device, let seconds):
      lend(device, for: min(seconds, Loans.longest), call, now: now)
    case .giveBack(let call, let device):
      takeBack(device, call, now: now)
    case .vanished(let client):
      for id in devices.loans.devices(of: client) { takeBack(id, now: now) }
    case .lost:
      for id in devices.loans.devices(of: nil) { takeBack(id, now: now) }
    }
  }

  private func answer(_ call: BusCall, withKeys: Bool, now: Instant) {
    guard call.wantsAnswer else { return }
    do {
      let status = try StatusJSON.encode(status(withKeys: withKeys, now: now))
      call.answer(String(decoding: status, as: UTF8.self))
    } catch {
      call.refuse("org.freedesktop.DBus.Error.Failed", "the status cannot be reported: \(error)")
    }
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
      guard !pipeline.isClosed else { return }
      switch options.selection.decide(on: pipeline.node, by: configuration.settings) {
      case .take(let settings):
        pipeline.adopt(settings)
        pipeline.stay()
      case .leave(let reason):
        log.notice("\(pipeline.title): given back: \(reason)")
        pipeline.leave(now: now)
      }
    }
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
      call.refuse(BusNames.Error.busy, "\(device) is about to be given back")
      devices.loans.end(id)
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
    devices.loans.end(id)
    devices.update(id) { $0.takeBack(now: now) }
  }
}

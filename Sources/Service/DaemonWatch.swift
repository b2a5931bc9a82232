import Control
import EventDevices
import Logging
import SystemPackage

/// Watching what the daemon does with a device.
extension Daemon {
  /// Gives the caller a pipe through which it reads what the device sends, what is decided of it, and what is passed on.
  ///
  /// What is typed is root's to see alone: the bus lets nobody else call this, and here it is asked once more.
  func watch(_ device: String, _ call: BusCall, _ caller: BusCaller, now: Instant) {
    guard caller.isRoot else {
      return call.refuse(BusNames.Error.accessDenied, "only root may watch what is typed")
    }
    guard let id = devices.first(where: { !$0.isClosed && $0.node.isNamed(by: device) }) else {
      return call.refuse(BusNames.Error.notHeld, "\(device) is not held by the daemon")
    }
    do {
      let (pipe, reader) = try WatchPipe.make()
      defer { try? reader.close() }
      switch devices.update(id, { $0.watch(pipe, now: now) }) {
      case .watched: call.answer(reader)
      case .full:
        call.refuse(
          BusNames.Error.busy, "\(device) is watched by \(Watchers.most) programs, and no more may")
      case .notHeld:
        call.refuse(BusNames.Error.lent, "\(device) is lent to another program")
      case .leaving, nil:
        call.refuse(BusNames.Error.busy, "\(device) is about to be given back")
      }
    } catch {
      call.refuse(BusNames.Error.busy, "no pipe can be made: \(error)")
    }
  }
}

extension Pipeline {
  /// What becomes of the wish to watch.
  enum Watching {
    case watched
    /// Too many watch it already.
    case full
    /// It is lent, or about to be.
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

extension Lifecycle {
  /// Whether the device is the daemon's, or about to be: then it can be watched.
  var canBeWatched: Bool {
    switch state {
    case .awaitingClone, .awaitingReaders, .keeping, .awaitingKeys, .busy, .forwarding: true
    case .lending, .lent, .setAside, .leaving, .closed: false
    }
  }

  /// Whether those who watch the device have seen all of it.
  var endsWatching: Bool {
    switch state {
    case .lent, .setAside, .closed: true
    case .awaitingClone, .awaitingReaders, .keeping, .awaitingKeys, .busy, .forwarding, .lending,
      .leaving:
      false
    }
  }
}

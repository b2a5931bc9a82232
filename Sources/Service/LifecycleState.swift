/// What can be asked of a ``Lifecycle``.
extension Lifecycle {
  /// Whether the source is grabbed, and what it sends is kept for the clone.
  var keeps: Bool {
    if case .keeping = state { true } else { false }
  }

  /// Whether the device is left to everybody until udev has announced the clone: see ``udevIsBusy(at:)``.
  var awaitsClone: Bool {
    if case .awaitingClone = state { true } else { false }
  }

  /// Whether it is on its way to the first try to grab the device, for which nobody needs to do anything.
  var isPreparing: Bool {
    switch state {
    case .awaitingClone, .awaitingReaders: true
    case .keeping, .awaitingKeys, .busy, .forwarding, .lending, .lent, .setAside, .leaving, .closed:
      false
    }
  }

  /// Whose being opened and closed by programs it must receive.
  enum Interest { case nothing, clone, source }

  var interest: Interest {
    switch state {
    case .awaitingClone, .awaitingReaders, .keeping: .clone
    case .busy: .source
    case .awaitingKeys, .forwarding, .lending, .lent, .setAside, .leaving, .closed: .nothing
    }
  }

  /// Whether it is to be given back, and has not been yet.
  var isLeaving: Bool {
    if case .leaving = state { true } else { false }
  }

  /// Whether the source is done with.
  var isClosed: Bool {
    if case .closed = state { true } else { false }
  }

  /// Whether the clone's readers have had their time, and all of the device can go.
  func hasEnded(at now: Instant) -> Bool {
    if case .closed(let until) = state { until <= now } else { false }
  }
}

extension Lifecycle.State {
  /// See ``Lifecycle/forwards``.
  var forwards: Bool {
    switch self {
    case .forwarding, .lending, .leaving: true
    case .awaitingClone, .awaitingReaders, .keeping, .awaitingKeys, .busy, .lent, .setAside,
      .closed:
      false
    }
  }

  /// See ``Lifecycle/awaitsKeys``.
  var awaitsKeys: Bool {
    switch self {
    case .awaitingKeys, .lending, .leaving, .busy(_, _, .some): true
    case .awaitingClone, .awaitingReaders, .keeping, .busy, .forwarding, .lent, .setAside, .closed:
      false
    }
  }
}

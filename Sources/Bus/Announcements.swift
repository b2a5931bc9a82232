import CSystemd
import Glibc

/// What the daemon has announced on a connection to the bus.
final class Announcements {
  /// Who owns the daemon's name. A signal can be sent to one receiver, whatever that listens for, and by anybody: one of
  /// somebody else's announces nothing.
  fileprivate var owner: String?
  /// Whether it has announced a change that was not taken yet.
  fileprivate var hasChanged = false

  fileprivate func receive(_ signal: BusMessage) {
    switch (signal.sender, signal.member) {
    case (RemoteObject.bus.service, "NameOwnerChanged"):
      guard signal.readString() == BusNames.service else { return }
      _ = signal.readString()
      owner = signal.readString()
      hasChanged = true
    case (owner, BusNames.changed): hasChanged = true
    default: break
    }
  }
}

extension DaemonClient {
  /// Has the daemon's announcements received from now on: that its status is another one, that it has started or ended.
  public mutating func listenForChanges() {
    let announcements = Announcements()
    self.announcements = announcements
    let context = Unmanaged.passUnretained(announcements).toOpaque()
    for rule in [
      """
      type='signal',sender='\(BusNames.service)',path='\(BusNames.object)',\
      interface='\(BusNames.interface)',member='\(BusNames.changed)'
      """,
      RemoteObject.ownerRule(of: BusNames.service),
    ] {
      // Whoever is refused this is announced nothing.
      _ = systemd.bus_add_match_async(
        bus.pointer, nil, rule,
        { signal, context, _ in
          guard let context, let signal = BusMessage(sharing: signal) else { return 0 }
          Unmanaged<Announcements>.fromOpaque(context).takeUnretainedValue().receive(signal)
          return 0
        }, nil, context)
    }
    let question = BusMessage.call("GetNameOwner", of: .bus, on: bus.pointer, BusNames.service)
    guard let question else { return }
    announcements.owner = try? bus.answer(to: question, patience: Self.patience).readString()
  }

  /// What to wait for before ``takeChanges()`` is called again.
  public var poll: pollfd {
    pollfd(
      fd: systemd.bus_get_fd(bus.pointer),
      events: Int16(truncatingIfNeeded: systemd.bus_get_events(bus.pointer)),
      revents: 0)
  }

  /// Whether the daemon has announced a change since this was last called; `nil` if the connection is gone.
  ///
  /// Must be called before each wait: what came during another call is there already, and nobody is woken for it.
  public func takeChanges() -> Bool? {
    while true {
      let result = systemd.bus_process(bus.pointer, nil)
      if result < 0 { return nil }
      if result == 0 { break }
    }
    defer { announcements?.hasChanged = false }
    return announcements?.hasChanged ?? false
  }
}

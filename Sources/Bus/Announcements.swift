import CSystemd
import Glibc

/// What the daemon has announced on a connection to the bus.
final class Announcements {
  /// Who owns the daemon's name. A signal can be sent to one receiver, whatever that listens for, and by anybody: one of
  /// somebody else's announces nothing.
  private var owner: String?
  /// Whether it has announced a change that was not taken yet.
  fileprivate var hasChanged = false
  private var listeners: [BusListener] = []

  /// Whoever is refused this is announced nothing.
  fileprivate init(on bus: borrowing BusConnection) {
    let changes = """
      type='signal',sender='\(BusNames.service)',path='\(BusNames.object)',\
      interface='\(BusNames.interface)',member='\(BusNames.changed)'
      """
    listeners = [
      BusListener(for: changes, on: bus.pointer) { [unowned self] in
        if $0.sender == owner { hasChanged = true }
      },
      BusListener(for: RemoteObject.ownerRule(of: BusNames.service), on: bus.pointer) {
        [unowned self] in
        guard $0.sender == RemoteObject.bus.service, $0.readString() == BusNames.service else {
          return
        }
        _ = $0.readString()
        owner = $0.readString()
        hasChanged = true
      },
    ].compactMap(\.self)
    let question = BusMessage.call("GetNameOwner", of: .bus, on: bus.pointer, BusNames.service)
    guard let question else { return }
    owner = try? bus.answer(to: question, patience: DaemonClient.patience).readString()
  }
}

extension DaemonClient {
  /// Has the daemon's announcements received from now on: that its status is another one, that it has started or ended.
  public mutating func listenForChanges() {
    announcements = Announcements(on: bus)
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

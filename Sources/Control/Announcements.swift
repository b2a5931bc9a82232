import CSystemd
import Glibc

/// What the daemon has announced on a connection to the bus.
final class Announcements {
  /// Whether it has announced a change that was not taken yet.
  fileprivate var hasChanged = false
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
      """
      type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',\
      interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(BusNames.service)'
      """,
    ] {
      // Whoever is refused this is announced nothing.
      _ = csystemd_bus_add_match_async(
        bus, nil, rule,
        { _, context, _ in
          guard let context else { return 0 }
          Unmanaged<Announcements>.fromOpaque(context).takeUnretainedValue().hasChanged = true
          return 0
        }, nil, context)
    }
  }

  /// What to wait for before ``takeChanges()`` is called again.
  public var poll: pollfd {
    pollfd(
      fd: csystemd_bus_get_fd(bus), events: Int16(truncatingIfNeeded: csystemd_bus_get_events(bus)),
      revents: 0)
  }

  /// Whether the daemon has announced a change since this was last called; `nil` if the connection is gone.
  ///
  /// Must be called before each wait: what came during another call is there already, and nobody is woken for it.
  public func takeChanges() -> Bool? {
    while true {
      let result = csystemd_bus_process(bus, nil)
      if result < 0 { return nil }
      if result == 0 { break }
    }
    defer { announcements?.hasChanged = false }
    return announcements?.hasChanged ?? false
  }
}

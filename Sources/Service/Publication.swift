import Debounce
import Status

/// Who asks what the daemon does, by how much they may know.
enum Audience: CaseIterable {
  /// Anybody: nothing that depends on what is typed, nor when.
  case everyone
  /// The group: counts, as they were at the last whole minute.
  case group
  /// Root, who may read the keyboards themselves: everything as it is now.
  case root
}

/// What others than root may know of a device: as it was at the last moment of the ``PublicationClock``.
struct PublishedStatus {
  /// What the daemon is doing with the device. Until the next moment it is taken to do what it is there for: that it waits
  /// for a key to come up, and when that came up, is nobody's business.
  private(set) var state = DeviceStatus.State.debounced
  private(set) var counts = DeviceCounts()
  /// What was reset since the last moment; see ``reset(_:)``.
  private var resets: [KeyCode?] = []

  /// Whether the next moment is to show more than the last, without any further event.
  var isIncomplete: Bool { !resets.isEmpty }

  /// Publishes how the device is now; what is done with keeps its last state.
  mutating func renew(_ state: DeviceStatus.State?, _ counts: DeviceCounts) {
    switch state {
    case .busy, .lent: self.state = state ?? .debounced
    case .starting, .waiting, .debounced, .leaving: self.state = .debounced
    case nil: break
    }
    self.counts = counts
    for key in resets { self.counts.reset(key) }
    resets = []
  }

  /// Drops what was counted and learned of a key, or of all. Nothing else is renewed.
  ///
  /// The next moment does not show it either: whoever resets a key shortly before, again and again, would learn when it
  /// is pressed.
  mutating func reset(_ key: KeyCode?) {
    counts.reset(key)
    // Each once: clients must not be able to make it grow.
    guard !resets.contains(nil), !resets.contains(key) else { return }
    resets.append(key)
  }
}

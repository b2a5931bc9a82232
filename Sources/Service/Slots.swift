import Debounce

/// The name of a device while it is in ``Slots``. The slot may be another's later, whose generation is another one:
/// what is meant for an earlier device does not reach a later one.
struct DeviceID: Hashable, Sendable {
  let slot: Int
  let generation: UInt32
}

/// Numbered places for devices, with the deadline of each, and whether it has more to read than it was given time for.
struct Slots<Device: ~Copyable> {
  /// What stands in a slot.
  final class Entry {
    let id: DeviceID
    var device: Device
    /// When the device must have its turn at the latest.
    var deadline = Instant.never
    /// Whether its source may have more to read than it was given time for.
    var isBehind = false
    /// Whose being opened and closed by programs it last had to receive.
    var interest = Lifecycle.Interest.nothing
    /// Until when it was paused when something was last done with it; `nil` if it was not.
    var pausedUntil: Instant?
    /// Whether the loop listens to its source.
    var isListenedTo = true

    fileprivate init(_ device: consuming Device, id: DeviceID) {
      self.device = device
      self.id = id
    }
  }

  private var entries: [Entry?] = []
  private var generations: [UInt32] = []

  /// How many slots there are, empty ones included.
  var count: Int { entries.count }

  var isEmpty: Bool { entries.allSatisfy { $0 == nil } }

  /// What stands in a slot now; `nil` if it is empty.
  subscript(slot: Int) -> Entry? { entries[slot] }

  /// The device's entry; `nil` if it is gone.
  subscript(id: DeviceID) -> Entry? {
    guard id.slot < entries.count, generations[id.slot] == id.generation else { return nil }
    return entries[id.slot]
  }

  /// Those that are there, in the order of their slots. It allocates: not for what is done for every event.
  var present: [Entry] { entries.compactMap(\.self) }

  /// The name that the next device gets.
  var nextID: DeviceID {
    let slot = entries.firstIndex { $0 == nil } ?? entries.count
    return DeviceID(slot: slot, generation: slot < generations.count ? generations[slot] &+ 1 : 1)
  }

  /// Puts a device into the slot of ``nextID``.
  mutating func add(_ device: consuming Device) -> Entry {
    let id = nextID
    if id.slot == entries.count {
      entries.append(nil)
      generations.append(0)
    }
    generations[id.slot] = id.generation
    let entry = Entry(device, id: id)
    entries[id.slot] = entry
    return entry
  }

  /// Empties a device's slot.
  mutating func remove(_ id: DeviceID) {
    if self[id] != nil { entries[id.slot] = nil }
  }
}

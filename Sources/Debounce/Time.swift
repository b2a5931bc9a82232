/// The engine's own timeline, which never runs backwards.
///
/// It follows the frames' time stamps. Where a stamp is earlier than what was decided already, the step
/// counts as 0 and later stamps are measured from there: a clock that once jumped ahead must not make
/// every gap after it look like nothing.
struct EventClock: Sendable {
  /// Further than any clock runs; it keeps sums of times far from overflow.
  static let horizon: Microseconds = 1 << 60

  /// The time of the last frame applied or deadline fired.
  private var now = -horizon

  /// What must be added to a stamp to get the engine's time.
  private var offset: Microseconds = 0

  /// Whether a frame was applied, or a deadline fired.
  var hasBegun: Bool { now > -Self.horizon }

  /// The engine's time at the stamp `time`.
  func engineTime(of time: Microseconds) -> Microseconds {
    min(min(max(time, -Self.horizon), Self.horizon) + offset, Self.horizon)
  }

  /// The stamp at the engine's time `time`.
  func inputTime(of time: Microseconds) -> Microseconds {
    time - offset
  }

  /// Moves to a frame's stamp and returns the engine's time there.
  @inline(__always)
  mutating func advance(toFrameAt time: Microseconds) -> Microseconds {
    let next = engineTime(of: time)
    if next < now { offset += now - next }
    now = max(now, next)
    return now
  }

  /// Moves to a deadline that fires.
  mutating func advance(toDeadline deadline: Microseconds) {
    now = max(now, deadline)
  }
}

// MARK: - Deadlines

/// The deadlines of one device's keys: at most one per key, earliest first.
///
/// A binary heap with an index of its entries by key, so that setting, moving and dropping a
/// deadline costs the same however many keys a device has. Deadlines at the same time come in the
/// order in which they were set: that is the order of the edges that caused them.
struct DeadlineQueue: Sendable {
  struct Entry: Sendable {
    let deadline: Microseconds
    /// Counts up with every deadline set.
    let serial: UInt64
    let key: KeyCode

    func comesBefore(_ other: Entry) -> Bool {
      (deadline, serial) < (other.deadline, other.serial)
    }
  }

  /// In heap order: the parent of `i` is `(i - 1) / 2`.
  private(set) var entries: ContiguousArray<Entry> = []

  /// Each key's place in `entries`, if it has one.
  private var places: ContiguousArray<CompactIndex>

  private var nextSerial: UInt64 = 0

  init() {
    places = ContiguousArray(repeating: .none, count: EventType.keyCount)
    entries.reserveCapacity(EventType.keyCount)
  }

  /// The earliest entry.
  var first: Entry? { entries.isEmpty ? nil : entries[0] }

  var isEmpty: Bool { entries.isEmpty }

  /// Whether the key has a deadline.
  func contains(_ key: KeyCode) -> Bool { places[Int(key)] != .none }

  /// The place of the key's deadline in the order in which they were set; the last of all if it has none.
  func serial(of key: KeyCode) -> UInt64 {
    places[Int(key)].position.map { entries[$0].serial } ?? .max
  }

  /// Of the keys that satisfy `predicate`, the one with the earliest `time`. If times are equal, the one whose deadline was set
  /// first.
  ///
  /// Looks at every waiting key: for what is done once a press and only while keys wait.
  func first(
    by time: (KeyCode) -> Microseconds = { _ in 0 }, where predicate: (Entry) -> Bool
  ) -> KeyCode? {
    var found: (entry: Entry, time: Microseconds)?
    for place in entries.indices {
      let entry = entries[place]
      guard predicate(entry) else { continue }
      let time = time(entry.key)
      if let earlier = found,
        (earlier.time, earlier.entry.serial) < (time, entry.serial)
      {
        continue
      }
      found = (entry, time)
    }
    return found?.entry.key
  }

  /// Gives the key this deadline, instead of the one it may have.
  ///
  /// It is limited to the latest time that the clock can show, so that it comes due.
  mutating func set(_ key: KeyCode, to deadline: Microseconds) {
    remove(key)
    insert(key, deadline, serial: nextSerial)
    nextSerial += 1
  }

  /// Puts back an entry that was removed, with this deadline, and the place among others of the same time that it had.
  mutating func postpone(_ entry: Entry, to deadline: Microseconds) {
    insert(entry.key, deadline, serial: entry.serial)
  }

  private mutating func insert(_ key: KeyCode, _ deadline: Microseconds, serial: UInt64) {
    let deadline = min(deadline, EventClock.horizon)
    entries.append(Entry(deadline: deadline, serial: serial, key: key))
    siftUp(from: entries.count - 1)
  }

  /// Moves every deadline to the one that `deadline` gives for it, limited as all are, if that is later. Of those that become
  /// equal, the one that was set first comes first.
  mutating func raise(to deadline: (Entry) -> Microseconds) {
    for index in entries.indices {
      let entry = entries[index]
      let later = max(entry.deadline, min(deadline(entry), EventClock.horizon))
      entries[index] = Entry(deadline: later, serial: entry.serial, key: entry.key)
    }
    for index in stride(from: entries.count / 2 - 1, through: 0, by: -1) { siftDown(from: index) }
  }

  /// Drops the key's deadline, if it has one.
  mutating func remove(_ key: KeyCode) {
    guard let hole = places[Int(key)].position else { return }
    places[Int(key)] = .none
    let last = entries.removeLast()
    guard hole < entries.count else { return }
    entries[hole] = last
    siftUp(from: hole)
    if let place = places[Int(last.key)].position { siftDown(from: place) }
  }

  private mutating func siftUp(from start: Int) {
    var child = start
    let entry = entries[child]
    while child > 0 {
      let parent = (child - 1) / 2
      guard entry.comesBefore(entries[parent]) else { break }
      put(entries[parent], at: child)
      child = parent
    }
    put(entry, at: child)
  }

  private mutating func siftDown(from start: Int) {
    var parent = start
    let entry = entries[parent]
    while true {
      var child = 2 * parent + 1
      guard child < entries.count else { break }
      if child + 1 < entries.count, entries[child + 1].comesBefore(entries[child]) { child += 1 }
      guard entries[child].comesBefore(entry) else { break }
      put(entries[child], at: parent)
      parent = child
    }
    put(entry, at: parent)
  }

  private mutating func put(_ entry: Entry, at index: Int) {
    entries[index] = entry
    places[Int(entry.key)] = CompactIndex(index)
  }
}

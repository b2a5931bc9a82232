/// The engine's own timeline, which never runs backwards.
///
/// It follows the frames' time stamps. Where a stamp is earlier than what was decided already, the step
/// counts as 0 and later stamps are measured from there: a clock that once jumped ahead must not make
/// every gap after it look like nothing.
struct EventClock: Sendable {
  /// Further than any clock runs; it keeps sums of times far from overflow.
  static let horizon: Microseconds = 1 << 60

  /// The time of the frame that is applied, or of the deadline that fires; of the last one in between.
  var now = -horizon

  /// The engine's time less the stamps'.
  private var offset: Microseconds = 0

  /// Whether a frame was applied, or a deadline fired.
  var hasBegun: Bool { now > -Self.horizon }

  /// The engine's time at the stamp `time`.
  func engineTime(of time: Microseconds) -> Microseconds {
    min(min(max(time, -Self.horizon), Self.horizon) + offset, Self.horizon)
  }

  /// The stamp at the engine's time `time`.
  func inputTime(of time: Microseconds) -> Microseconds { time - offset }

  /// The engine's time at a frame's stamp, which is not before ``now``.
  @inline(__always)
  mutating func time(ofFrameAt stamp: Microseconds) -> Microseconds {
    let time = engineTime(of: stamp)
    guard time < now else { return time }
    offset += now - time
    return now
  }
}

// MARK: - Deadlines

/// The deadlines of one device's keys: at most one per key, earliest first.
///
/// Deadlines at the same time come in the order in which they were set: that is the order of the edges that caused them. A
/// list in order, as few keys wait at a time.
struct DeadlineQueue: Sendable {
  struct Entry: Sendable {
    fileprivate(set) var deadline: Microseconds
    /// Counts up with every deadline set.
    let serial: UInt64
    let key: KeyCode

    fileprivate func comesBefore(_ other: Entry) -> Bool {
      (deadline, serial) < (other.deadline, other.serial)
    }
  }

  private(set) var entries: ContiguousArray<Entry> = []
  private var nextSerial: UInt64 = 0

  init() { entries.reserveCapacity(EventType.keyCount) }

  var first: Entry? { entries.isEmpty ? nil : entries[0] }

  var isEmpty: Bool { entries.isEmpty }

  func contains(_ key: KeyCode) -> Bool { place(of: key) != nil }

  // By index, here and elsewhere: a loop over the elements would retain the array.
  private func place(of key: KeyCode) -> Int? {
    for place in entries.indices where entries[place].key == key { return place }
    return nil
  }

  /// The key with the earliest `time` of those that satisfy `predicate`. If times are equal, it is the one whose deadline was
  /// set first.
  func first(
    by time: (KeyCode) -> Microseconds = { _ in 0 }, where predicate: (Entry) -> Bool
  ) -> KeyCode? {
    var found: (entry: Entry, time: Microseconds)?
    for place in entries.indices {
      let entry = entries[place]
      guard predicate(entry) else { continue }
      let time = time(entry.key)
      if let earlier = found, (earlier.time, earlier.entry.serial) < (time, entry.serial) {
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
    insert(Entry(deadline: deadline, serial: nextSerial, key: key))
    nextSerial += 1
  }

  /// Puts back an entry that was removed, with this deadline, and the place among others of the same time that it had.
  mutating func postpone(_ entry: Entry, to deadline: Microseconds) {
    insert(Entry(deadline: deadline, serial: entry.serial, key: entry.key))
  }

  private mutating func insert(_ entry: Entry) {
    entries.append(entry)
    raise(entries.count - 1, to: entry.deadline)
    if entries.count > 1 { sort(from: entries.count - 1) }
  }

  /// Gives an entry a deadline, limited as all are. Others may come before it then: see ``sort()``.
  mutating func raise(_ place: Int, to deadline: Microseconds) {
    entries[place].deadline = min(deadline, EventClock.horizon)
  }

  /// Brings entries that were raised to their places, from this one on.
  mutating func sort(from first: Int = 0) {
    for unsorted in first..<entries.count {
      let entry = entries[unsorted]
      var place = unsorted
      while place > 0, entry.comesBefore(entries[place - 1]) {
        entries[place] = entries[place - 1]
        place -= 1
      }
      entries[place] = entry
    }
  }

  /// Drops the key's deadline, if it has one.
  ///
  /// - Returns: The deadline's serial number; the greatest one if there is no deadline.
  @discardableResult
  mutating func remove(_ key: KeyCode) -> UInt64 {
    guard let place = place(of: key) else { return .max }
    let serial = entries[place].serial
    for place in place..<entries.count - 1 { entries[place] = entries[place + 1] }
    entries.removeLast()
    return serial
  }
}

// MARK: - Limits

extension Microseconds {
  /// The nearest length of time that the engine can calculate with: none is negative, and none exceeds some decades.
  var limited: Microseconds { limited(to: 0...(1 << 50)) }
}

extension Comparable {
  /// The nearest value in the range.
  func limited(to range: ClosedRange<Self>) -> Self {
    min(max(self, range.lowerBound), range.upperBound)
  }
}

import Debounce

// Frames that say that events were lost (`SYN_DROPPED`). The key events in such a frame are the differences from the state
// before.

extension Event {
  var saysEventsWereLost: Bool {
    type == EventType.synchronisation && code == EventType.dropped
  }
}

extension Frame {
  /// A frame that says that events were lost, with the differences since.
  ///
  /// - Parameters:
  ///   - held: The keys that are down.
  ///   - before: The keys that were down before.
  ///   - others: All other changes, and the time. Keys and scan codes in it are left out.
  public init(resynchronisedTo held: KeySet, before: KeySet, others: borrowing Frame) {
    let dropped = Event(type: EventType.synchronisation, code: EventType.dropped, value: 0)
    self.init(time: others.time, [dropped])
    for code in held.symmetricDifference(before) { append(.key(code, down: held.contains(code))) }
    for event in others.events where event.type != EventType.key && !event.isScan { append(event) }
  }

  public var saysEventsWereLost: Bool { events.contains { $0.saysEventsWereLost } }

  /// The keys that are down after this frame's differences.
  public func keysHeld(before: KeySet) -> KeySet {
    var held = before
    for event in events where event.type == EventType.key {
      if event.value == 0 { held.remove(event.code) } else { held.insert(event.code) }
    }
    return held
  }
}

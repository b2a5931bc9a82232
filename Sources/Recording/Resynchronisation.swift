import Debounce

extension Debouncer {
  /// Takes a raw frame of a recording as the live run took it, and adds the clean frames that follow from
  /// it to `output`.
  ///
  /// A frame with a `SYN_DROPPED` in it is no input but the truth after events were lost: its key events
  /// are the differences to what was known before.
  public mutating func process(recorded frame: borrowing Frame, into output: inout FrameQueue) {
    guard frame.saysEventsWereLost else { return process(frame, into: &output) }
    let held = frame.keysHeld(before: rawHeld)
    var others = Frame(time: frame.time)
    for event in frame.events where !event.saysEventsWereLost { others.append(event) }
    resynchronise(held: held, others: others, into: &output)
  }
}

extension Event {
  var saysEventsWereLost: Bool {
    type == EventType.synchronisation && code == EventType.dropped
  }
}

extension Frame {
  /// Whether the frame tells of a loss and not of what happened.
  public var saysEventsWereLost: Bool { events.contains { $0.saysEventsWereLost } }

  /// The keys that are down after this frame's differences.
  public func keysHeld(before: KeySet) -> KeySet {
    var changed: [KeyCode: Bool] = [:]
    for event in events where event.type == EventType.key { changed[event.code] = event.value != 0 }
    return KeySet(
      (0..<KeyCode(EventType.keyCount)).lazy.filter { changed[$0] ?? before.contains($0) })
  }
}

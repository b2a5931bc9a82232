import Debounce

extension Debouncer {
  /// Processes a raw frame of a recording as the live run did, adds the clean frames that follow from it to `output`, and
  /// what became of each edge to `outcomes`.
  ///
  /// A frame with a `SYN_DROPPED` in it is no input but the truth after events were lost: its key events
  /// are the differences to what was known before.
  public mutating func process(
    recorded frame: borrowing Frame, into output: inout FrameQueue, outcomes: inout OutcomeLog
  ) {
    guard frame.saysEventsWereLost else {
      return process(frame, into: &output, outcomes: &outcomes)
    }
    let held = frame.keysHeld(before: rawHeld)
    var others = Frame(time: frame.time)
    for event in frame.events where !event.saysEventsWereLost { others.append(event) }
    resynchronise(held: held, others: others, into: &output, outcomes: &outcomes)
  }
}

extension Event {
  var saysEventsWereLost: Bool {
    type == EventType.synchronisation && code == EventType.dropped
  }
}

extension Frame {
  /// Whether the frame reports a loss and not what happened.
  public var saysEventsWereLost: Bool { events.contains { $0.saysEventsWereLost } }

  /// The frame that reports that events were lost, and what is different since.
  ///
  /// - Parameters:
  ///   - others: What else changed; its time is the moment. Keys among it, and scan codes, are left out.
  static func differences(
    to held: KeySet, from before: KeySet, others: borrowing Frame
  ) -> Frame {
    var frame = Frame(
      time: others.time,
      [Event(type: EventType.synchronisation, code: EventType.dropped, value: 0)])
    for code in held.symmetricDifference(before) {
      frame.append(.key(code, down: held.contains(code)))
    }
    for event in others.events where event.type != EventType.key && !event.isScan {
      frame.append(event)
    }
    return frame
  }

  /// The keys that are down after this frame's differences.
  public func keysHeld(before: KeySet) -> KeySet {
    var held = before
    for event in events where event.type == EventType.key {
      if event.value == 0 { held.remove(event.code) } else { held.insert(event.code) }
    }
    return held
  }
}

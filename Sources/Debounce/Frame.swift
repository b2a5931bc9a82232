/// The events of one device that happened together: the unit that is read, decided on and written.
///
/// The `SYN_REPORT` that ends a frame is understood and not stored.
///
/// A frame is meant to be kept and filled again: ``removeAll()`` keeps its storage, so that a frame
/// which has once been as long as the longest one allocates no more.
public struct Frame: Equatable, Sendable {
  /// When the events happened, as the kernel stamped them.
  public var time: Microseconds

  /// The events in the device's order.
  public private(set) var events: ContiguousArray<Event>

  /// Whether there are keys among the events.
  public private(set) var movesKeys: Bool

  public init(time: Microseconds = 0, _ events: some Sequence<Event> = []) {
    self.time = time
    self.events = ContiguousArray(events)
    movesKeys = self.events.contains { $0.type == EventType.key }
  }

  /// An empty frame with room for `capacity` events.
  public init(capacity: Int) {
    time = 0
    events = []
    movesKeys = false
    events.reserveCapacity(capacity)
  }

  public var isEmpty: Bool { events.isEmpty }

  /// Adds an event at the end.
  public mutating func append(_ event: Event) {
    events.append(event)
    if event.type == EventType.key { movesKeys = true }
  }

  /// Empties the frame and keeps its storage.
  public mutating func removeAll() {
    // For the few events that a frame has, quicker than `removeAll(keepingCapacity:)`.
    while !events.isEmpty { events.removeLast() }
    movesKeys = false
  }
}

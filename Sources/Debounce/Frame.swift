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

  public init(time: Microseconds = 0, _ events: some Sequence<Event> = []) {
    self.time = time
    self.events = ContiguousArray(events)
  }

  /// An empty frame with room for `capacity` events.
  public init(capacity: Int) {
    time = 0
    events = []
    events.reserveCapacity(capacity)
  }

  public var isEmpty: Bool { events.isEmpty }

  /// Adds an event at the end.
  public mutating func append(_ event: Event) {
    events.append(event)
  }

  /// Empties the frame and keeps its storage.
  public mutating func removeAll() {
    // For the few events that a frame has, quicker than `removeAll(keepingCapacity:)`.
    while !events.isEmpty { events.removeLast() }
  }
}

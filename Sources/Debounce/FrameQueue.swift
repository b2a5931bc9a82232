/// Frames on their way out, in order: what the engine answers with.
///
/// One flat buffer for all frames. The owner empties it with ``removeAll()`` once they are written;
/// the storage stays, so that the event path allocates nothing.
public struct FrameQueue: Sendable {
  private var events: ContiguousArray<Event> = []
  private var frames: ContiguousArray<(time: Microseconds, end: Int)> = []

  /// An empty queue.
  ///
  /// - Parameter capacity: How many events there is room for before storage must grow.
  public init(capacity: Int = 256) {
    events.reserveCapacity(capacity)
    frames.reserveCapacity(capacity)
  }

  /// How many frames wait to be written.
  public var count: Int { frames.count }

  public var isEmpty: Bool { frames.isEmpty }

  /// When the frame at `index` was emitted: the time of the input that caused it, or its deadline.
  public func time(ofFrameAt index: Int) -> Microseconds {
    frames[index].time
  }

  /// Where the events of the frame at `index` lie in ``withEvents(ofFrameAt:_:)``'s buffer.
  private func range(ofFrameAt index: Int) -> Range<Int> {
    (index == 0 ? 0 : frames[index - 1].end)..<frames[index].end
  }

  /// Calls `body` with the events of the frame at `index`.
  ///
  /// The buffer is valid during the call only.
  public func withEvents<Result>(
    ofFrameAt index: Int, _ body: (UnsafeBufferPointer<Event>) throws -> Result
  ) rethrows -> Result {
    try events.withUnsafeBufferPointer {
      try body(UnsafeBufferPointer(rebasing: $0[range(ofFrameAt: index)]))
    }
  }

  /// The frame at `index`, as a copy of its own. For tests and tools; it allocates.
  public subscript(index: Int) -> Frame {
    Frame(time: time(ofFrameAt: index), events[range(ofFrameAt: index)])
  }

  /// Empties the queue and keeps its storage.
  public mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    frames.removeAll(keepingCapacity: true)
  }

  /// Adds a frame; one without content is not added.
  mutating func append(_ frame: borrowing Frame, at time: Microseconds) {
    guard !frame.isEmpty else { return }
    events.append(contentsOf: frame.events)
    frames.append((time, events.count))
  }

  /// Adds a frame of one key edge, with its scan code before it where it has one.
  mutating func append(_ edge: Event, scan: Int32?, at time: Microseconds) {
    if let scan { events.append(.scan(scan)) }
    events.append(edge)
    frames.append((time, events.count))
  }
}

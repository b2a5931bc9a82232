/// Frames on their way out, in order: what the engine answers with.
///
/// One flat buffer for all frames. The owner empties it, with ``drain(_:)`` or ``removeAll()``; the storage
/// stays, so that the event path allocates nothing.
public struct FrameQueue: Sendable {
  /// The events of all frames, one after the other.
  private var events: Reused<Event>
  /// When each frame was emitted, and where it ends in `events`.
  private var frames: Reused<(time: Microseconds, end: Int)>
  /// Where the last frame ends.
  private var end = 0

  /// An empty queue.
  ///
  /// - Parameter capacity: How many events there is room for before storage must grow.
  public init(capacity: Int = 256) {
    events = Reused(capacity: capacity)
    frames = Reused(capacity: capacity)
  }

  /// How many frames wait to be written.
  public var count: Int { frames.count }

  public var isEmpty: Bool { frames.count == 0 }

  /// When the frame at `index` was emitted: the time of the input that caused it, or its deadline.
  public func time(ofFrameAt index: Int) -> Microseconds {
    frames[index].time
  }

  /// Where the events of the frame at `index` lie in `events`.
  private func range(ofFrameAt index: Int) -> Range<Int> {
    (index == 0 ? 0 : frames[index - 1].end)..<frames[index].end
  }

  /// Calls `body` with the events of the frame at `index`.
  ///
  /// The buffer is valid during the call only.
  public func withEvents<Result>(
    ofFrameAt index: Int, _ body: (UnsafeBufferPointer<Event>) throws -> Result
  ) rethrows -> Result {
    try events.elements.withUnsafeBufferPointer {
      try body(UnsafeBufferPointer(rebasing: $0[range(ofFrameAt: index)]))
    }
  }

  /// Calls `body` with the events of each frame and when it was emitted, in order, and empties the queue: also of what is
  /// left if `body` throws.
  ///
  /// The buffer is valid during the call only.
  @inline(__always)
  public mutating func drain<Failure>(
    _ body: (UnsafeBufferPointer<Event>, Microseconds) throws(Failure) -> Void
  ) throws(Failure) {
    defer { removeAll() }
    var start = 0
    for index in 0..<frames.count {
      let (time, end) = frames[index]
      try events.elements.withUnsafeBufferPointer { (all) throws(Failure) in
        try body(UnsafeBufferPointer(rebasing: all[start..<end]), time)
      }
      start = end
    }
  }

  /// The frame at `index`, as a copy of its own. For tests and tools; it allocates.
  public subscript(index: Int) -> Frame {
    Frame(time: time(ofFrameAt: index), events.elements[range(ofFrameAt: index)])
  }

  /// Empties the queue and keeps its storage.
  public mutating func removeAll() {
    events.count = 0
    frames.count = 0
    end = 0
  }

  /// Adds an event to the frame in hand.
  @inline(__always)
  mutating func append(_ event: Event) {
    events.append(event)
  }

  /// Adds a key event to the frame in hand, after the scan code that it came with.
  @inline(__always)
  mutating func append(_ event: Event, scan: Int32?) {
    if let scan { events.append(.scan(scan)) }
    events.append(event)
  }

  /// Ends the frame in hand; one without content is none.
  @inline(__always)
  mutating func endFrame(at time: Microseconds) {
    guard events.count > end else { return }
    end = events.count
    frames.append((time, end))
  }
}

/// A list that is emptied by forgetting its length, and filled again where it is.
private struct Reused<Element: Sendable>: Sendable {
  /// The list, and after it what is left of longer ones.
  private(set) var elements: ContiguousArray<Element> = []

  /// How long the list is. It may be made shorter.
  var count = 0

  init(capacity: Int) {
    elements.reserveCapacity(capacity)
  }

  subscript(index: Int) -> Element { elements[index] }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count < elements.count {
      elements[count] = element
    } else {
      elements.append(element)
    }
    count += 1
  }
}
